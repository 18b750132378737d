import type { PoolClient } from 'pg';
import { KEPT_FOR } from '../../api/idempotency/kept-answers.ts';
import type { CancelReason } from '../../kernel/words/statuses.ts';
import { type Publication, itemsOf, columnsOfMessages, type Stored } from '../messages/publication.ts';
import type { Database } from '../../platform/db/client.ts';
import { INBOUND_CODES } from '../../kernel/words/outcomes.ts';
import { lowestIdAt, timeOfId } from '../../kernel/values/ids.ts';

/** By id of a new message: the earlier message that has its client-supplied id, and whether it has the same content. */
export type Repeated = ReadonlyMap<string, { messageId: string; isSame: boolean }>;

type Claimed = { channelId: string; publisherId: string; messageId: string; hash: Buffer };

// SQL: whether the message was cancelled by request, in which case its publisher may reuse the id. Evaluated only for
// ids already in use.
const WAS_CANCELLED = `EXISTS (
       SELECT FROM scheduled_messages s WHERE s.id = p.message_id AND s.cancel_reason = '${'requested' satisfies CancelReason}')`;

/**
 * Reserves the client-supplied ids of these messages, without a query if there are none. Returns those that belong to
 * an earlier message. Two transactions with the same ids wait for each other; ids are inserted in a fixed order, so
 * they cannot deadlock.
 */
export async function claimPublisherIds(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Repeated> {
  const wanted = publications
    .flatMap(({ environmentId, channelId, messages }) =>
      messages.flatMap(({ id: messageId, publisher }) =>
        publisher === undefined
          ? []
          : [{ environmentId, channelId, publisherId: publisher.id, messageId, hash: publisher.hash }],
      ),
    )
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  if (wanted.length === 0) return new Map();
  const names = [
    wanted.map(({ environmentId }) => environmentId),
    wanted.map(({ channelId }) => channelId),
    wanted.map(({ publisherId }) => publisherId),
  ];
  const { rows: claimed } = await connection.query<{ messageId: string }>(
    `INSERT INTO publisher_ids AS p (environment_id, channel_id, publisher_id, message_id, hash, expires_at)
     SELECT u.*, now() + ${KEPT_FOR} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[]) AS u
     ON CONFLICT (environment_id, channel_id, publisher_id) DO UPDATE
     SET message_id = EXCLUDED.message_id, hash = EXCLUDED.hash, expires_at = EXCLUDED.expires_at
     WHERE p.expires_at <= now() OR ${WAS_CANCELLED}
     RETURNING message_id AS "messageId"`,
    [...names, wanted.map(({ messageId }) => messageId), wanted.map(({ hash }) => hash)],
  );
  if (claimed.length === wanted.length) return new Map();
  // A separate statement, which sees what the previous one has waited for.
  const { rows: standing } = await connection.query<Claimed>(
    `SELECT p.channel_id AS "channelId", p.publisher_id AS "publisherId", p.message_id AS "messageId", p.hash
     FROM unnest($1::text[], $2::text[], $3::text[]) AS u (environment_id, channel_id, publisher_id)
     JOIN publisher_ids p USING (environment_id, channel_id, publisher_id)`,
    names,
  );
  const standingFor = new Map(standing.map((row) => [nameOf(row), row]));
  const repeated = new Map<string, { messageId: string; isSame: boolean }>();
  for (const one of wanted) {
    const first = standingFor.get(nameOf(one));
    if (first !== undefined && first.messageId !== one.messageId)
      repeated.set(one.messageId, { messageId: first.messageId, isSame: first.hash.equals(one.hash) });
  }
  return repeated;
}

/** A client-supplied id is visible ASCII, so a space can end it. */
const nameOf = ({ channelId, publisherId }: Pick<Claimed, 'channelId' | 'publisherId'>): string =>
  `${publisherId} ${channelId}`;

// The channel is locked FOR SHARE until the commit, so that it cannot be deleted or get another schema in between.
// Deleting it cancels the messages that it finds.
const SCHEDULE = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[],
                         $9::text[], $10::text[], $11::smallint[], $12::bool[])
      AS m (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, config_version, traceparent, tracestate,
            hops, is_held)
  ), channel AS MATERIALIZED (
    SELECT c.id, c.environment_id, c.config_version, CASE c.kind WHEN 'system' THEN 'system' ELSE c.status END AS status
    FROM channels c WHERE c.id IN (SELECT channel_id FROM input) AND c.deleted_at IS NULL
    ORDER BY c.id FOR SHARE
  ), scheduled AS (
    INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, due_at,
                                    traceparent, tracestate, hops)
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.payload, m.metadata::json, m.deliver_at, m.deliver_at,
           m.traceparent, m.tracestate, m.hops
    FROM input m JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id 
      AND (c.status = 'active' OR (c.status = 'paused' AND m.is_held))
      AND (m.config_version IS NULL OR m.config_version = c.config_version)
  )
  SELECT id, environment_id AS "environmentId", status, config_version AS version FROM channel`;

/**
 * Stores scheduled messages in the transaction of `connection`. Returns the state of their channels, like
 * `storePublications`. Recipients are determined when the messages are due.
 */
export async function storeScheduled(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Stored[]> {
  const items = itemsOf(publications);
  const { rows } = await connection.query<{ id: string; environmentId: string; status: string; version: number }>(
    SCHEDULE,
    [
      ...columnsOfMessages(items),
      items.map(({ publication }) => publication.configVersion ?? null),
      items.map(({ publication }) => publication.trace?.traceparent ?? null),
      items.map(({ publication }) => publication.trace?.tracestate ?? null),
      items.map(({ publication }) => publication.hops ?? null),
      items.map(({ publication }) => publication.isHeldWhilePaused === true),
    ],
  );
  return publications.map(({ environmentId, channelId, configVersion }) => {
    const channel = rows.find((row) => row.id === channelId && row.environmentId === environmentId);
    const isStale = channel !== undefined && configVersion !== undefined && configVersion !== channel.version;
    return { channelStatus: channel?.status, isStale };
  });
}

/** Returns the channel and status of a subscription, for its test message. */
export async function subscriptionTarget(
  db: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<{ channelId: string; status: string } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id: subscriptionId, environmentId, deletedAt: null },
    select: { channelId: true, status: true },
  });
  return row ?? undefined;
}

// A captured request can be replayed forever if its service does not sign the time. Record at most this many repeated
// requests of a webhook in 60 s. Others become messages.
const REPEATED_A_MINUTE = 100;
const MINUTE_MS = 60_000;

const NOTE = `
  WITH noted AS (
  INSERT INTO inbound_receipts (id, environment_id, inbound_webhook_id, is_repeated, is_sample, event_id, message_id, expires_at)
  SELECT u.id, u.environment_id, u.webhook_id, u.is_repeated, u.is_sample, u.event_id, u.message_id,
    now() + make_interval(days => c.retention_days)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::text[], $8::text[], $9::text[])
    AS u (id, environment_id, channel_id, webhook_id, is_repeated, is_sample, event_id, message_id, recent_from)
  JOIN channels c ON c.id = u.channel_id
  WHERE NOT u.is_repeated OR (
    SELECT count(*) FROM (
      SELECT FROM inbound_receipts r WHERE r.inbound_webhook_id = u.webhook_id AND r.is_repeated AND r.id > u.recent_from
      LIMIT ${REPEATED_A_MINUTE}) AS recent) < ${REPEATED_A_MINUTE}
  RETURNING environment_id, inbound_webhook_id, is_repeated
  )
  INSERT INTO inbound_stat_parts (environment_id, inbound_webhook_id, code)
  SELECT environment_id, inbound_webhook_id, CASE WHEN is_repeated THEN ${INBOUND_CODES.repeated} ELSE ${INBOUND_CODES.received} END FROM noted`;

/**
 * Records and counts the requests of external services that these messages came from, without a query if there are
 * none. A repeated request names the first message of its event. These rows and the messages are stored in one
 * transaction.
 */
export async function noteInboundReceipts(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
  repeated: Repeated,
): Promise<void> {
  const receipts = publications.flatMap(({ environmentId, channelId, messages }) =>
    messages.flatMap(({ id, receipt }) => {
      if (receipt === undefined) return [];
      const first = repeated.get(id)?.messageId;
      return [{ ...receipt, environmentId, channelId, messageId: first ?? id, isRepeated: first !== undefined }];
    }),
  );
  if (receipts.length === 0) return;
  await connection.query({
    name: 'note-inbound-receipts',
    text: NOTE,
    values: [
      receipts.map(({ id }) => id),
      receipts.map(({ environmentId }) => environmentId),
      receipts.map(({ channelId }) => channelId),
      receipts.map(({ webhookId }) => webhookId),
      receipts.map(({ isRepeated }) => isRepeated),
      receipts.map(({ isSample }) => isSample),
      receipts.map(({ eventId }) => eventId ?? null),
      receipts.map(({ messageId }) => messageId),
      receipts.map(({ id }) => aMinuteBefore(id)),
    ],
  });
}

/** The lowest id of the minute before, so that the index finds the recent ones. */
function aMinuteBefore(id: string): string {
  const at = timeOfId('inboundReceipt', id)?.getTime() ?? 0;
  return lowestIdAt('inboundReceipt', new Date(at - MINUTE_MS));
}

// SQL: providers retry a failed request for up to three days (Stripe), with the same id.
const KNOWN_FOR = `interval '72 hours'`;

type WantedEvent = { webhookId: string; eventId: string; environmentId: string; messageId: string };

/**
 * Reserves the ids that external services gave the events of these messages, without a query if there are none. Returns
 * those that belong to an earlier message, whatever its content, because a provider may word an event differently when
 * it sends it again. Two transactions with the same ids wait for each other, in a fixed order. If two messages of this
 * transaction have the same id, the first one gets it.
 */
export async function claimInboundEvents(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Repeated> {
  const firstOf = new Map<string, WantedEvent>();
  const wanted = publications.flatMap(({ environmentId, messages }) =>
    messages.flatMap(({ id: messageId, inbound }) =>
      inbound === undefined ? [] : [{ ...inbound, environmentId, messageId }],
    ),
  );
  for (const one of wanted) if (!firstOf.has(eventNameOf(one))) firstOf.set(eventNameOf(one), one);
  const distinct = [...firstOf.values()].toSorted((one, other) => (eventNameOf(one) < eventNameOf(other) ? -1 : 1));
  if (distinct.length === 0) return new Map();
  const names = [distinct.map(({ webhookId }) => webhookId), distinct.map(({ eventId }) => eventId)];
  const { rows: claimed } = await connection.query<{ messageId: string }>(
    `INSERT INTO inbound_events AS e (inbound_webhook_id, event_id, environment_id, message_id, expires_at)
     SELECT u.*, now() + ${KNOWN_FOR} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS u
     ON CONFLICT (inbound_webhook_id, event_id) DO UPDATE
     SET message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at
     WHERE e.expires_at <= now()
     RETURNING message_id AS "messageId"`,
    [...names, distinct.map(({ environmentId }) => environmentId), distinct.map(({ messageId }) => messageId)],
  );
  const standing = new Map(distinct.map((one) => [eventNameOf(one), one.messageId]));
  if (claimed.length < distinct.length) {
    // A separate statement, which sees what the previous one has waited for.
    const { rows } = await connection.query<Omit<WantedEvent, 'environmentId'>>(
      `SELECT e.inbound_webhook_id AS "webhookId", e.event_id AS "eventId", e.message_id AS "messageId"
       FROM unnest($1::text[], $2::text[]) AS u (inbound_webhook_id, event_id)
       JOIN inbound_events e USING (inbound_webhook_id, event_id)`,
      names,
    );
    for (const row of rows) standing.set(eventNameOf(row), row.messageId);
  }
  const repeated = new Map<string, { messageId: string; isSame: boolean }>();
  for (const one of wanted) {
    const messageId = standing.get(eventNameOf(one)) ?? one.messageId;
    if (messageId !== one.messageId) repeated.set(one.messageId, { messageId, isSame: true });
  }
  return repeated;
}

/** A webhook id contains no space. */
const eventNameOf = ({ webhookId, eventId }: Pick<WantedEvent, 'webhookId' | 'eventId'>): string =>
  `${webhookId} ${eventId}`;
