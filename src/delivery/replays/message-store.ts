import type { PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { wakeWorkers } from '../../platform/db/waking.ts';
import { wantedBy } from '../../platform/db/sql/fragments.ts';
import type { MessageReplay as MessageReplayRow } from '../../platform/db/generated/client.ts';
import { replayMessages } from '../record/statements/due-again.ts';
import { lowestIdAt, timeOfId } from '../../kernel/values/ids.ts';
import type { ReplayStatus } from '../../kernel/words/statuses.ts';
import type { Batch, ReadableKind, ReplayDependencies, StoredReplay } from './kind.ts';
import type { MessageReplay, MessageReplayPreview } from './schema.ts';

// Messages examined per transaction. A batch never creates more than one second's worth of deliveries.
const BATCH = 500;
// The same for a subscription with a filter, whose payloads (up to 256 KiB each) have to be read.
const BATCH_TO_FILTER = 50;
// Maximum first attempts of a replay that may wait for the subscription at a time. With more, new messages would have
// to wait for old ones.
const WAITING_AT_MOST = 1_000;
// A message's id is created before its transaction commits, so a younger message can become visible before older ones.
const SETTLED_AFTER_MS = 5_000;

export type NewMessageReplay = Pick<
  MessageReplay,
  'id' | 'subscriptionId' | 'since' | 'until' | 'eventTypes' | 'onlyMissing' | 'ratePerSecond' | 'requestedBy'
> & { environmentId: string };

export async function insertMessageReplay(
  db: DatabaseTransaction,
  replay: NewMessageReplay,
): Promise<StoredReplay<MessageReplay>> {
  return toMessageReplay(await db.messageReplay.create({ data: replay }));
}

/** Columns that decide which messages come next, and which of them the filter selects. */
type Where = {
  subscription_id: string;
  since: Date;
  until: Date;
  event_types: string[];
  /** The event types of the subscription. */
  wants: string[] | null;
  rate_per_second: number;
  position: string | null;
  waiting: number;
};
type Filtered = Where & { channel_id: string; filter: string };
type Wanted = Where & { only_missing: boolean; requested_by: string; channel_id: string; filter: string | null };

// A replay with the current state of its subscription. No row if the subscription is deleted.
const WANTED = `
  SELECT r.*, s.channel_id, s.filter, s.event_types AS wants, (SELECT count(*)::int FROM (
      SELECT FROM deliveries d WHERE d.subscription_id = r.subscription_id AND d.due_at IS NOT NULL
        AND d.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts = 0 LIMIT ${WAITING_AT_MOST}) AS w) AS waiting
  FROM message_replays r JOIN subscriptions s ON s.id = r.subscription_id AND s.deleted_at IS NULL
  WHERE r.id = $1`;

// A replay with a filter that has not ended.
const FILTERED = `${WANTED} AND r.status IN ('pending', 'running') AND s.filter IS NOT NULL`;

// Whether the subscription and the replay cover a message. Test messages were meant for one subscription only.
const IS_WANTED = `${wantedBy('s.event_types')} AND ${wantedBy('$6::text[]')} AND m.only_subscription_id IS NULL
      AND m.erased_at IS NULL`;

// Reads the messages for the filter without locks, because evaluating may take time. REPLAY skips messages erased
// meanwhile.
const READ = `
  SELECT m.id, m.event_type AS "eventType", m.metadata, CASE WHEN ${IS_WANTED} THEN m.payload END AS payload
  FROM messages m JOIN subscriptions s ON s.id = $5
  WHERE m.channel_id = $1 AND m.id > $2 AND m.id < $3 ORDER BY m.id LIMIT $4`;

type ToFilter = {
  id: string;
  eventType: string;
  metadata: Record<string, string> | null;
  /** Null if the message is not covered anyway. */
  payload: string | null;
};

// A single statement: a finished delivery enters its next round as in a single replay, a missing one is created, and
// one in progress is left alone. Messages are locked before their deliveries, as erasing does, so that a concurrent
// erasure is seen and nothing of the message remains. $9 are the messages that the subscription's filter selects, $10
// is the replay.
const REPLAY = `
  WITH looked AS (
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.erased_at, m.only_subscription_id FROM messages m
    WHERE m.channel_id = $1 AND m.id > $2 AND m.id < $3 ORDER BY m.id LIMIT $4
    FOR SHARE
  ), wanted AS (
    SELECT m.* FROM looked m JOIN subscriptions s ON s.id = $5
    WHERE ${IS_WANTED} AND ($9::text[] IS NULL OR m.id = ANY ($9))
  ), ${replayMessages({ wanted: 'wanted', subscriptionId: '$5', onlyMissing: '$7', requestedBy: '$8', replayId: '$10' })}
  SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT max(id) FROM looked) AS last,
    (SELECT count(*)::int FROM wanted) AS wanted,
    (SELECT count(*)::int FROM made) + (SELECT count(*)::int FROM again) AS replayed`;

type ReplayRun = { id: string; now: Date };

/**
 * Replays the next messages that the subscription's filter currently selects. `asked` was evaluated before this
 * transaction, because an open transaction would hold back every stream. If the filter or the position has changed
 * since, the batch is dropped and the next one evaluates again.
 */
async function replayNext(connection: PoolClient, { id, now }: ReplayRun, asked: Asked | undefined): Promise<Batch> {
  const { rows: found } = await connection.query<Wanted>(WANTED, [id]);
  const [wanted] = found;
  if (wanted === undefined) return { result: 'cancelled' };
  if (wanted.waiting >= WAITING_AT_MOST) return { result: 'notNow', waitMs: 1_000 };
  if (wanted.filter !== null && asked?.place !== placeOf(wanted)) return { result: 'notNow', waitMs: 0 };
  const read = wanted.filter === null ? undefined : asked;
  const { after, before, settled } = boundsOf(wanted, now);
  const limit = limitOf(wanted);
  const { rows } = await connection.query<{ looked: number; last: string | null; wanted: number; replayed: number }>(
    REPLAY,
    [
      wanted.channel_id,
      after,
      read?.before ?? before,
      limit,
      wanted.subscription_id,
      wanted.event_types,
      wanted.only_missing,
      wanted.requested_by,
      read?.matching ?? null,
      id,
    ],
  );
  const batch = rows[0] ?? { looked: 0, last: null, wanted: 0, replayed: 0 };
  const isAtEnd = (read?.looked ?? batch.looked) < limit;
  if (batch.replayed > 0) await wakeWorkers(connection);
  const paceMs = (batch.replayed * 1_000) / wanted.rate_per_second;
  return {
    result: 'made',
    counts: { matched: batch.wanted, replayed: batch.replayed },
    last: batch.last,
    isLast: isAtEnd && settled.getTime() === wanted.until.getTime(),
    waitMs: isAtEnd ? Math.max(paceMs, 1_000) : paceMs,
  };
}

/** Returns the ids between which the next messages are, and the time up to which all messages are visible. */
function boundsOf({ since, until, position }: Where, now: Date): { after: string; before: string; settled: Date } {
  const settled = new Date(Math.min(until.getTime(), now.getTime() - SETTLED_AFTER_MS));
  return { after: position ?? lowestIdAt('message', since), before: lowestIdAt('message', settled), settled };
}

const limitOf = ({ filter, rate_per_second: rate }: Where & { filter: string | null }): number =>
  Math.min(filter === null ? BATCH : BATCH_TO_FILTER, rate);

/** The state that filter results are valid for. */
const placeOf = ({ position, filter, wants }: Pick<Wanted, 'position' | 'filter' | 'wants'>): string =>
  JSON.stringify([position, filter, wants]);

type Asked = { place: string; looked: number; before: string; matching: string[] };

/**
 * Evaluates the filter for the messages of the next batch. Returns those that match and the id at which the batch ends:
 * if retention removes messages meanwhile, the batch must not extend to others that the filter has not seen. Returns
 * undefined without a filter.
 */
async function askNext({ pool, filters }: ReplayDependencies, { id, now }: ReplayRun): Promise<Asked | undefined> {
  const { rows: found } = await pool.query<Filtered>(FILTERED, [id]);
  const [wanted] = found;
  if (wanted === undefined || wanted.waiting >= WAITING_AT_MOST) return undefined;
  const { channel_id: channelId, filter } = wanted;
  const { after, before } = boundsOf(wanted, now);
  const limit = limitOf(wanted);
  const { rows } = await pool.query<ToFilter>(READ, [
    channelId,
    after,
    before,
    limit,
    wanted.subscription_id,
    wanted.event_types,
  ]);
  const matching: string[] = [];
  for (const { id: messageId, eventType, metadata, payload } of rows) {
    if (payload === null) continue;
    const input = { key: channelId, eventType, payload, metadata: metadata ?? undefined };
    const [verdict] = await filters.evaluate([filter], input);
    if (verdict?.matches === true) matching.push(messageId);
  }
  const last = rows.at(-1)?.id;
  return {
    place: placeOf(wanted),
    looked: rows.length,
    // All ids have the same length, so no id lies between this one and itself with a character appended.
    before: rows.length < limit || last === undefined ? before : `${last}0`,
    matching,
  };
}

/**
 * Replays of stored messages to one subscription, at a limited rate. A replay whose subscription is deleted ends as
 * cancelled.
 */
export const messageReplays: ReadableKind<
  MessageReplay,
  { subscriptionId?: string | undefined; status?: ReplayStatus | undefined }
> = {
  name: 'replay',
  prefix: 'messageReplay',
  table: 'message_replays',
  counts: ['matched', 'replayed'],
  async prepare(deps, run) {
    const asked = await askNext(deps, run);
    return (connection) => replayNext(connection, run, asked);
  },
  async find(db, environmentId, id) {
    const row = await db.messageReplay.findFirst({ where: { id, environmentId } });
    return row === null ? undefined : toMessageReplay(row);
  },
  async list(db, { environmentId, subscriptionId, status }, page) {
    const rows = await db.messageReplay.findMany({
      where: {
        environmentId,
        ...(subscriptionId !== undefined && { subscriptionId }),
        ...(status !== undefined && { status }),
        ...(page.after !== undefined && { id: { lt: page.after } }),
      },
      orderBy: { id: 'desc' },
      take: page.limit + 1,
    });
    return rows.map(toMessageReplay);
  },
};

const toMessageReplay = (row: MessageReplayRow): StoredReplay<MessageReplay> => {
  const upTo = row.position === null ? undefined : timeOfId('message', row.position);
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    // Only this service writes the column, with values of REPLAY_STATUSES.
    status: row.status as ReplayStatus,
    since: row.since,
    until: row.until,
    eventTypes: row.eventTypes,
    onlyMissing: row.onlyMissing,
    ratePerSecond: row.ratePerSecond,
    matched: row.matched,
    replayed: row.replayed,
    ...(upTo !== undefined && { upTo }),
    requestedBy: row.requestedBy,
    createdAt: row.createdAt,
    ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
  };
};

/**
 * The messages of a channel that a replay to one subscription covers, from one id (inclusive) to another (exclusive).
 */
export type CountedSpan = {
  subscriptionId: string;
  channelId: string;
  from: string;
  before: string;
  eventTypes: readonly string[];
  onlyMissing: boolean;
};
export type CountedMessages = Pick<MessageReplayPreview, 'matched' | 'isExact' | 'oldest'>;
type Found = { id: string; eventType: string };

// Messages examined for a count without a filter: takes a second or two, however many are stored.
const MOST_COUNTED = 100_000;

/** Returns what a count needs of a subscription; undefined once it is deleted. */
export async function findCounted(
  db: DatabaseTransaction,
  id: string,
): Promise<{ channelId: string; filter: string | null } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id, deletedAt: null },
    select: { channelId: true, filter: true },
  });
  return row ?? undefined;
}

// The same choice as `replayMessages`: a delivery in progress is left alone, and with `onlyMissing` any existing one. A
// scalar subquery uses the index on both ids for each message; with a join, PostgreSQL might go through all deliveries.
const IS_REPLAYED = `${IS_WANTED} AND NOT coalesce((SELECT $7::boolean OR d.due_at IS NOT NULL FROM deliveries d
      WHERE d.message_id = m.id AND d.subscription_id = s.id), false)`;

const LOOKED = `
  SELECT m.* FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND m.id < $3 ORDER BY m.id LIMIT $4`;

const COUNT = `
  WITH looked AS MATERIALIZED (SELECT id, event_type, erased_at, only_subscription_id FROM (${LOOKED}) AS m),
  wanted AS MATERIALIZED (
    SELECT m.id, m.event_type FROM looked m JOIN subscriptions s ON s.id = $5 WHERE ${IS_REPLAYED})
  SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT count(*)::int FROM wanted) AS matched,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'eventType', event_type) ORDER BY id), '[]')
      FROM (SELECT * FROM wanted ORDER BY id LIMIT $8) AS first) AS oldest`;

const READ_TO_COUNT = `
  SELECT m.id, m.event_type AS "eventType", m.metadata, CASE WHEN ${IS_REPLAYED} THEN m.payload END AS payload
  FROM (${LOOKED}) AS m JOIN subscriptions s ON s.id = $5 ORDER BY m.id`;

const valuesOf = (span: CountedSpan, limit: number): unknown[] => [
  span.channelId,
  span.from,
  span.before,
  limit,
  span.subscriptionId,
  span.eventTypes,
  span.onlyMissing,
];

/**
 * Counts what a replay would deliver now, among the oldest 100,000 messages of its time range, and returns the oldest
 * of them.
 */
export async function countReplayed(
  db: DatabaseTransaction,
  span: CountedSpan,
  shown: number,
): Promise<CountedMessages> {
  const [row] = await db.$queryRawUnsafe<{ looked: number; matched: number; oldest: Found[] }[]>(
    COUNT,
    ...valuesOf(span, MOST_COUNTED),
    shown,
  );
  const { looked, matched, oldest } = row ?? { looked: 0, matched: 0, oldest: [] };
  return { matched, isExact: looked < MOST_COUNTED, oldest: oldest.map(shownMessage) };
}

/** A message for the filter. `payload` is null if the message is not covered anyway. */
type ToCount = Found & { metadata: Record<string, string> | null; payload: string | null };

/** Returns the next messages of a count, oldest first. */
export const readToCount = (db: DatabaseTransaction, span: CountedSpan, limit: number): Promise<ToCount[]> =>
  db.$queryRawUnsafe<ToCount[]>(READ_TO_COUNT, ...valuesOf(span, limit));

/** A message in the response to a dry run. Its publication time is in its id. */
export const shownMessage = ({ id, eventType }: Found): MessageReplayPreview['oldest'][number] => ({
  id,
  eventType,
  publishedAt: timeOfId('message', id) ?? new Date(0),
});
