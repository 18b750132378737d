import type { DatabaseTransaction } from '../platform/db/client.ts';
import { along, type Bounds, createValues, idBounds, queryAlong } from '../platform/db/sql/walk.ts';
import { ID_PREFIXES, timeOfId } from '../kernel/values/ids.ts';
import { idsWithin, type TimeWindow } from '../kernel/values/instant.ts';
import type { PageRequest } from '../kernel/values/page.ts';
import { type ListedRequest, type RefusalReason, SAMPLE_AGENT } from './schema.ts';

type Wanted = { environmentId: string; webhookId: string; outcome?: ListedRequest['outcome'] | undefined };

type Row = {
  id: string;
  outcome: ListedRequest['outcome'];
  isSample: boolean;
  eventId: string | null;
  messageId: string | null;
  eventType: string | null;
  reason: RefusalReason | null;
  detail: string | null;
  address: string | null;
  bytes: number | null;
  hasBody: boolean | null;
};

type Kind = 'inboundReceipt' | 'inboundRefusal';

/** Ids of both kinds have the same length and sort by the part after the prefix. */
const placeIn = (id: string): string => id.slice(id.indexOf('_'));

/** Returns the page's requests to a webhook, newest first and with any outcome, plus one more if there is one. */
export async function findRequests(
  db: DatabaseTransaction,
  { environmentId, webhookId, outcome, ...window }: Wanted & TimeWindow,
  { limit, after }: PageRequest,
): Promise<ListedRequest[]> {
  const values = createValues();
  const boundsOf = (kind: Kind): Bounds =>
    idBounds(
      values,
      idsWithin(kind, window),
      after === undefined ? undefined : `${ID_PREFIXES[kind]}${placeIn(after)}`,
    );
  const where = [`d.environment_id = ${values.add(environmentId)}`];
  const of = values.add(webhookId);
  const taken = (isRepeated: boolean): string =>
    along({
      table: 'inbound_receipts',
      columns: ['inbound_webhook_id', 'is_repeated'],
      at: [of, String(isRepeated)],
      bounds: boundsOf('inboundReceipt'),
      where,
      limit: limit + 1,
      beside: `'${isRepeated ? 'repeated' : 'received'}' AS outcome, d.is_sample, d.event_id, d.message_id,
        NULL::text AS reason, NULL::text AS detail, NULL::text AS address, NULL::int AS bytes, NULL::boolean AS has_body`,
    });
  const ways: Record<ListedRequest['outcome'], () => string> = {
    received: () => taken(false),
    repeated: () => taken(true),
    refused: () =>
      along({
        table: 'inbound_refusals',
        columns: ['inbound_webhook_id'],
        at: [of],
        bounds: boundsOf('inboundRefusal'),
        where,
        limit: limit + 1,
        beside: `'refused' AS outcome, coalesce(d.user_agent = '${SAMPLE_AGENT}', false) AS is_sample, d.event_id,
          d.message_id, d.reason, d.detail, d.address, d.bytes, d.kept_bytes IS NOT NULL AS has_body`,
      }),
  };
  const walks = outcome === undefined ? Object.values(ways) : [ways[outcome]];
  const rows = await queryAlong<Row>(
    db,
    `WITH newest AS MATERIALIZED (
       SELECT * FROM (${walks.map((way) => `(${way()})`).join(' UNION ALL ')}) AS each
       ORDER BY substr(each.id, 4) DESC LIMIT ${limit + 1})
     SELECT n.id, n.outcome, n.is_sample AS "isSample", n.event_id AS "eventId", n.message_id AS "messageId",
       (SELECT m.event_type FROM messages m WHERE m.id = n.message_id) AS "eventType", n.reason, n.detail, n.address, n.bytes,
       n.has_body AS "hasBody"
     FROM newest n ORDER BY substr(n.id, 4) DESC`,
    values,
  );
  return rows.map((row) => toRequest(webhookId, row));
}

function toRequest(webhookId: string, { id, outcome, isSample, ...row }: Row): ListedRequest {
  const kind = outcome === 'refused' ? 'inboundRefusal' : 'inboundReceipt';
  const { eventId, messageId, eventType, reason, detail, address, bytes, hasBody } = row;
  return {
    id,
    webhookId,
    outcome,
    isSample,
    ...(eventId !== null && { eventId }),
    ...(messageId !== null && { messageId }),
    ...(eventType !== null && { eventType }),
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail }),
    ...(address !== null && { address }),
    ...(bytes !== null && { bytes }),
    ...(hasBody !== null && { hasBody }),
    // The time of a request is encoded in its id, which also orders the list.
    receivedAt: timeOfId(kind, id) ?? new Date(0),
  };
}

/** A refused request: its body and head while they are kept, and the message published when it was accepted. */
export type RefusedRow = {
  webhookId: string;
  body: Buffer | null;
  head: string | null;
  messageId: string | null;
  bytes: number;
};

export async function findRefused(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<RefusedRow | undefined> {
  const row = await db.inboundRefusal.findFirst({
    where: { id, environmentId },
    select: { webhookId: true, body: true, head: true, messageId: true, bytes: true },
  });
  return row === null ? undefined : { ...row, body: row.body && Buffer.from(row.body) };
}

/**
 * Stores the message published from a refused request and its event id. Removes the body, which is now in the message.
 * Returns false if the request had already been accepted.
 */
export async function markAccepted(
  db: DatabaseTransaction,
  environmentId: string,
  { id, messageId, eventId }: { id: string; messageId: string; eventId: string | undefined },
): Promise<boolean> {
  const data = { messageId, body: null, head: null, keptBytes: null, ...(eventId !== undefined && { eventId }) };
  const { count } = await db.inboundRefusal.updateMany({ where: { id, environmentId, messageId: null }, data });
  return count > 0;
}

/**
 * Stores the new reason after a failed attempt to accept a request. Does nothing if it has been accepted in the
 * meantime.
 */
export async function markRefusedAgain(
  db: DatabaseTransaction,
  environmentId: string,
  { id, reason, detail, eventId }: { id: string; reason: RefusalReason; detail: string; eventId: string | undefined },
): Promise<void> {
  const data = { reason, detail, ...(eventId !== undefined && { eventId }) };
  await db.inboundRefusal.updateMany({ where: { id, environmentId, messageId: null }, data });
}
