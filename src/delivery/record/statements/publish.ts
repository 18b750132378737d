import { IS_ACTIVE, LIVE_SECRETS, policyOf, WANTED } from '../../../platform/db/sql/fragments.ts';
import { fanOut } from './insert.ts';
import type { StorePublications, NewDelivery } from '../../../messaging/publishing/hand-over.ts';
import { NO_TRACE, type TraceContext } from '../../../kernel/values/trace-context.ts';
import {
  itemsOf,
  columnsOfMessages,
  type NewRun,
  type Publication,
  type Stored,
} from '../../../messaging/messages/publication.ts';
import type { DeliveryToAttempt, SubscriptionToAttempt } from '../../../kernel/contract/delivery-workflow.ts';
import type { RetryPolicy } from '../../../kernel/contract/retry-policy.ts';

/** Subscriptions that are read with their new deliveries; those of a broadcast to more are read when their turn comes. */
const READ_SUBSCRIPTIONS = 50;
// Longer payloads are not kept in memory until their try: they are read from PostgreSQL like those of other processes.
const PAYLOAD_CHARS = 16_384;

/** The subscription as PostgreSQL hands it over; `at` is its clock, ms since the epoch. */
type ReadSubscription = Omit<
  SubscriptionToAttempt,
  'status' | 'isAppSuspended' | 'isDeleted' | 'circuitProbeInMs' | 'readAt'
> & {
  policy: RetryPolicy;
  at: number;
};

/** SQL: what a first try needs to know of the subscription `s`, which is active and whose circuit is closed. */
const SUBSCRIPTION_TO_ATTEMPT = `json_build_object('id', s.id, 'webhookUrl', s.webhook_url, 'headers', s.headers,
    'requestVersion', s.request_version, 'timeoutMs', s.timeout_ms, 'maxRetryAfter', s.max_retry_after, 'maxConcurrency', s.max_concurrency, 'rateLimit', s.rate_limit,
    'hasCircuitBreaker', s.circuit_breaker,
    'isSecretUnreadable', s.secret_unreadable_since IS NOT NULL, 'policy', ${policyOf('s')},
    'at', (extract(epoch FROM now()) * 1000)::float8,
    'secrets', ${LIVE_SECRETS})`;

/** A message that has just been stored. */
type MessageToTry = {
  id: string;
  environmentId: string;
  channelId: string;
  eventType: string;
  payload: string;
  metadata: Record<string, string> | undefined;
  publishedAt: Date;
  trace: TraceContext;
  hops: number;
};

/**
 * Puts together what `loadForAttempts` would read for deliveries that have just been stored, from their messages and
 * their subscriptions as of that statement. `readAt`: when it was sent, ms of performance.now().
 */
function readForFirstTry(messages: readonly MessageToTry[], readAt: number) {
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const subscriptionOf = new Map<string, { subscription: SubscriptionToAttempt; policy: RetryPolicy; at: Date }>();
  return {
    learn({ policy, at, ...subscription }: ReadSubscription): void {
      subscriptionOf.set(subscription.id, {
        subscription: {
          ...subscription,
          status: 'active',
          isAppSuspended: false,
          isDeleted: false,
          circuitProbeInMs: null,
          readAt,
        },
        policy,
        at: new Date(at),
      });
    },
    /** Without `read` where it has to be read when its turn comes. */
    of({
      id: deliveryId,
      subscriptionId,
      messageId,
    }: {
      id: string;
      subscriptionId: string;
      messageId: string;
    }): NewDelivery {
      const message = messageOf.get(messageId);
      const delivery = { id: deliveryId, channelId: message?.channelId ?? '', subscriptionId };
      const known = subscriptionOf.get(subscriptionId);
      if (message === undefined || known === undefined || message.payload.length > PAYLOAD_CHARS) return delivery;
      const read: DeliveryToAttempt = {
        deliveryId,
        environmentId: message.environmentId,
        round: 1,
        status: 'pending',
        attempts: 0,
        policyAttempts: 0,
        policy: known.policy,
        policyStartedAt: known.at,
        dueAt: known.at,
        failureReason: null,
        isLastChance: false,
        lastErrorMessage: null,
        takeovers: 0,
        message: {
          id: message.id,
          channelId: message.channelId,
          eventType: message.eventType,
          payload: message.payload,
          metadata: message.metadata === undefined ? null : JSON.stringify(message.metadata),
          publishedAt: message.publishedAt,
          trace: message.trace,
          hops: message.hops,
        },
        subscription: known.subscription,
      };
      return { ...delivery, read };
    },
  };
}

const IS_OPEN = `(c.status = 'active' OR (c.status = 'system' AND m.only_subscription_id IS NOT NULL))
      AND (m.config_version IS NULL OR m.config_version = c.config_version)`;

// One statement is one transaction: the messages of a whole group and all their deliveries commit together.
// The channel is looked at in the same snapshot, so a publication to a paused one stores nothing. $9 is the incarnation
// that takes the new deliveries at once (null: none, they wait to be claimed); what is paused, or waits for a
// circuit, is left to be claimed later. So is everything beyond the first $17, which the channels of the group share: the rows of a claim
// are handed out in one turn of the event loop, and 100,000 of them stopped it for seconds. The system channel takes nothing but the
// test messages of its subscriptions.
// The matches of filters are as many as deliveries come of them, however many filters refuse. Behind the two selects PostgreSQL
// does not see how many: it would plan a comparison of each with each where it expects their hash table to be large.
const TAKES_FIRST_TRIES = `${IS_ACTIVE} AND s.circuit_opened_at IS NULL`;
const publishing = (begun: string): string => `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[],
                         $10::int[], $11::text[], $12::text[], $15::smallint[], $16::smallint[]) WITH ORDINALITY
      AS m (id, environment_id, channel_id, event_type, payload, metadata, published_at, only_subscription_id, config_version,
            traceparent, tracestate, hops, chain_depth, place)
  ), channel AS (
    SELECT c.id, c.environment_id, c.config_version, CASE c.kind WHEN 'system' THEN 'system' ELSE c.status END AS status FROM channels c
    WHERE c.id IN (SELECT channel_id FROM input) AND c.deleted_at IS NULL
  ), published AS (
    INSERT INTO messages (id, environment_id, channel_id, event_type, payload, metadata, published_at, traceparent, tracestate,
                          hops, chain_depth, only_subscription_id)
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.payload, m.metadata::json, m.published_at,
           m.traceparent, m.tracestate, m.hops, m.chain_depth, m.only_subscription_id
    FROM input m JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id AND ${IS_OPEN}
    RETURNING environment_id, channel_id, only_subscription_id
  ), counted AS (
    INSERT INTO stat_parts (environment_id, channel_id, accepted)
    SELECT environment_id, channel_id, count(*) FROM published WHERE only_subscription_id IS NULL GROUP BY environment_id, channel_id
  ), routed AS (${fanOut({
    messages: `input m
    JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id AND ${IS_OPEN}`,
    wanted: `CASE WHEN m.only_subscription_id IS NULL
               THEN ${WANTED} AND (s.filter IS NULL OR (m.id, s.id) IN (
                 SELECT f.message_id, f.subscription_id
                 FROM unnest((SELECT $13::text[]), (SELECT $14::text[])) AS f (message_id, subscription_id)))
               ELSE s.id = m.only_subscription_id END`,
    holder: `CASE WHEN ${TAKES_FIRST_TRIES} AND count(*) FILTER (WHERE ${TAKES_FIRST_TRIES})
        OVER (PARTITION BY m.channel_id ORDER BY m.place ROWS UNBOUNDED PRECEDING) <= $17::int / greatest(1, (SELECT count(*) FROM channel))
      THEN $9::text END`,
  })}
    RETURNING id, message_id, subscription_id, holder
  )${begun}
  SELECT 'channel' AS kind, c.id, c.environment_id AS "environmentId", c.status AS "messageId", NULL AS "subscriptionId",
    NULL::json AS subscription, c.config_version AS count FROM channel c
  UNION ALL
  SELECT 'held', r.id, NULL, r.message_id, r.subscription_id, NULL, NULL FROM routed r WHERE r.holder IS NOT NULL
  UNION ALL
  SELECT 'unclaimed', NULL, NULL, r.message_id, NULL, NULL, count(*)::int FROM routed r WHERE r.holder IS NULL GROUP BY r.message_id
  UNION ALL
  SELECT 'subscription', s.id, NULL, NULL, NULL, ${SUBSCRIPTION_TO_ATTEMPT}, NULL FROM subscriptions s
  WHERE s.id IN (SELECT DISTINCT r.subscription_id FROM routed r WHERE r.holder IS NOT NULL LIMIT ${READ_SUBSCRIPTIONS})`;

const PUBLISH = publishing('');

// The same for a group that begins runs of workflows, or that runs may wait for: they commit with their messages. A group without any is
// spared this part.
const PUBLISH_AND_RUN = publishing(`, begun AS (
    INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, message_id, channel_id, chain_depth, due_at)
    SELECT r.id, m.environment_id, r.workflow_id, r.version, r.trigger_type, m.id, m.channel_id, r.chain_depth, now()
    FROM unnest((SELECT $18::text[]), (SELECT $19::text[]), (SELECT $20::text[]), (SELECT $21::int[]), (SELECT $22::smallint[]), (SELECT $23::text[]))
        AS r (id, message_id, workflow_id, version, chain_depth, trigger_type)
      JOIN input m ON m.id = r.message_id
      JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id AND ${IS_OPEN}
    ON CONFLICT (workflow_id, message_id) WHERE message_id IS NOT NULL DO NOTHING
  ), heard AS (
    INSERT INTO awaited_messages (message_id, environment_id)
    SELECT m.id, m.environment_id FROM unnest((SELECT $24::text[])) AS h (message_id)
      JOIN input m ON m.id = h.message_id
      JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id AND ${IS_OPEN}
  )`);

type Row = {
  id: string;
  environmentId: string | null;
  messageId: string;
} & (
  | { kind: 'channel'; count: number }
  | { kind: 'held'; subscriptionId: string }
  /** A message, with the number of its deliveries that no process has claimed. */
  | { kind: 'unclaimed'; count: number }
  | { kind: 'subscription'; subscription: ReadSubscription }
);

/** See `StorePublications`. */
export const storePublications: StorePublications = async (pool, publications, holder) => {
  const items = itemsOf(publications);
  // Without any trace both columns are one null each, and so are hops and depths of chains: unnest fills up what is shorter.
  const hasTrace = publications.some(({ trace }) => trace !== undefined);
  const hasHops = publications.some(({ hops }) => hops !== undefined);
  const hasChain = publications.some(({ chainDepth }) => chainDepth !== undefined);
  const matches = publications.flatMap((publication) => publication.matches ?? []);
  const runs = publications.flatMap((publication) =>
    (publication.runs ?? []).map((run) => ({ ...run, chainDepth: publication.chainDepth ?? 0 })),
  );
  const heard = publications.flatMap((publication) => publication.heard ?? []);
  const hasRuns = runs.length + heard.length > 0;
  const readAt = performance.now();
  const { rows } = await pool.query<Row>({
    name: hasRuns ? 'publish_and_run' : 'publish',
    text: hasRuns ? PUBLISH_AND_RUN : PUBLISH,
    values: [
      ...columnsOfMessages(items),
      items.map(({ publication }) => publication.onlySubscriptionId ?? null),
      holder?.incarnationId ?? null,
      items.map(({ publication }) => publication.configVersion ?? null),
      hasTrace ? items.map(({ publication }) => publication.trace?.traceparent ?? null) : null,
      hasTrace ? items.map(({ publication }) => publication.trace?.tracestate ?? null) : null,
      matches.map(({ messageId }) => messageId),
      matches.map(({ subscriptionId }) => subscriptionId),
      hasHops ? items.map(({ publication }) => publication.hops ?? null) : null,
      hasChain ? items.map(({ publication }) => publication.chainDepth ?? null) : null,
      holder?.atMost ?? 0,
      ...(hasRuns ? [...runColumns(runs), heard] : []),
    ],
  });
  const read = readForFirstTry(
    items.map(({ publication: { environmentId, channelId, trace = NO_TRACE, hops = 0 }, message }) => ({
      ...message,
      environmentId,
      channelId,
      trace,
      hops,
    })),
    readAt,
  );
  return { hasRuns, ...resultOf(rows, publications, read) };
};

/** The rows of the publish statement, sorted out. */
function resultOf(
  rows: readonly Row[],
  publications: readonly Publication[],
  read: ReturnType<typeof readForFirstTry>,
) {
  const channelOf = new Map<string, { status: string; version: number }>();
  const routed = new Map<string, number>();
  const held: { id: string; subscriptionId: string; messageId: string }[] = [];
  let hasUntaken = false;
  for (const row of rows) {
    if (row.kind === 'channel')
      channelOf.set(`${row.environmentId} ${row.id}`, { status: row.messageId, version: row.count });
    else if (row.kind === 'subscription') read.learn(row.subscription);
    else {
      const made = row.kind === 'held' ? 1 : row.count;
      routed.set(row.messageId, (routed.get(row.messageId) ?? 0) + made);
      if (row.kind === 'held') held.push(row);
      else hasUntaken = true;
    }
  }
  return {
    hasUntaken,
    stored: publications.map(({ environmentId, channelId, configVersion }): Stored => {
      const channel = channelOf.get(`${environmentId} ${channelId}`);
      const isStale = channel !== undefined && configVersion !== undefined && configVersion !== channel.version;
      return { channelStatus: channel?.status, isStale };
    }),
    routed,
    taken: held.map(read.of),
  };
}

const runColumns = (runs: readonly (NewRun & { chainDepth: number })[]): unknown[] => [
  runs.map(({ id }) => id),
  runs.map(({ messageId }) => messageId),
  runs.map(({ workflowId }) => workflowId),
  runs.map(({ version }) => version),
  runs.map(({ chainDepth }) => chainDepth),
  runs.map(({ triggerType }) => triggerType),
];
