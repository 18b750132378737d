import type { Pool } from 'pg';
import type { Database, DatabaseTransaction } from '../db/client.ts';
import { wakeWorkers } from '../db/due.ts';
import { wantedBy } from '../db/wanted.ts';
import type { MessageReplay as MessageReplayRow } from '../db/generated/client.ts';
import { inTransaction } from '../db/transaction.ts';
import { replayMessages } from '../deliveries/statements/due-again.ts';
import type { FilterInput } from '../filters/filters.ts';
import { lowestIdAt, timeOfId } from '../kernel/ids.ts';
import type { PageRequest } from '../kernel/page.ts';
import type { BulkReplayStatus } from '../kernel/statuses.ts';
import type { MessageReplay } from './schema.ts';

// Messages looked at in one transaction, and never more than a second's worth of deliveries.
const BATCH = 500;
// The same for a subscription with a filter, whose payloads, of up to 256 KiB each, have to be read.
const BATCH_TO_FILTER = 50;
// First tries of a replay that may wait for the subscription at a time. Beyond that its own messages would wait behind the past.
const WAITING_AT_MOST = 1_000;
// A message's id is made before its transaction commits: a younger message may have older ones still to come.
const SETTLED_AFTER_MS = 5_000;

export type NewMessageReplay = Pick<
  MessageReplay,
  'id' | 'subscriptionId' | 'since' | 'until' | 'eventTypes' | 'onlyMissing' | 'ratePerSecond'
> & { environmentId: string; requestedBy: string };

export async function insertMessageReplay(db: DatabaseTransaction, replay: NewMessageReplay): Promise<MessageReplay> {
  return toMessageReplay(await db.messageReplay.create({ data: replay }));
}

export async function findMessageReplay(
  db: Database,
  environmentId: string,
  id: string,
): Promise<MessageReplay | undefined> {
  const row = await db.messageReplay.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toMessageReplay(row);
}

/** Replays newest first, one more than asked for. */
export async function listMessageReplays(
  db: Database,
  filter: { environmentId: string; subscriptionId: string | undefined; status: BulkReplayStatus | undefined },
  page: PageRequest,
): Promise<MessageReplay[]> {
  const rows = await db.messageReplay.findMany({
    where: {
      environmentId: filter.environmentId,
      ...(filter.subscriptionId !== undefined && { subscriptionId: filter.subscriptionId }),
      ...(filter.status !== undefined && { status: filter.status }),
      ...(page.after !== undefined && { id: { lt: page.after } }),
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toMessageReplay);
}

/** Stops a replay before its next batch. False when it had already ended. */
export async function cancelMessageReplay(
  db: Database,
  environmentId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.messageReplay.updateMany({
    where: { id, environmentId, status: { in: ['pending', 'running'] } },
    data: { status: 'cancelled', finishedAt: now },
  });
  return count === 1;
}

/** `waitMs` until the next batch: the rate, a full queue, or messages that are too young. */
export type ReplayProgress = { isFinished: boolean; matched: number; replayed: number; waitMs: number };

/** Columns that decide which messages are next, and which of them the filter lets through. */
type Where = {
  subscription_id: string;
  since: Date;
  until: Date;
  event_types: string[];
  /** The event types that the subscription wants. */
  wants: string[] | null;
  rate_per_second: number;
  position: string | null;
  waiting: number;
};
type Looked = Where & { channel_id: string; filter: string };
type Job = Where & {
  only_missing: boolean;
  requested_by: string;
  matched: number;
  replayed: number;
  channel_id: string | null;
  filter: string | null;
};

const COLUMNS = `job.*, s.channel_id, s.filter, s.event_types AS wants, (SELECT count(*)::int FROM (
      SELECT FROM deliveries d WHERE d.subscription_id = job.subscription_id AND d.due_at IS NOT NULL
        AND d.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts = 0 LIMIT ${WAITING_AT_MOST}) AS w) AS waiting`;

// Where a replay of filtered messages is, without a lock.
const LOOK = `
  SELECT ${COLUMNS}
  FROM message_replays job JOIN subscriptions s ON s.id = job.subscription_id AND s.deleted_at IS NULL
  WHERE job.id = $1 AND job.status IN ('pending', 'running') AND s.filter IS NOT NULL`;

const TAKE = `
  WITH job AS (
    UPDATE message_replays SET status = 'running', carrier = $2 WHERE id = $1 AND status IN ('pending', 'running')
    RETURNING *
  )
  SELECT ${COLUMNS}
  FROM job LEFT JOIN subscriptions s ON s.id = job.subscription_id AND s.deleted_at IS NULL`;

// Whether the subscription and the replay want a message; test messages were meant for one subscription.
const IS_WANTED = `${wantedBy('s.event_types')} AND ${wantedBy('$6::text[]')} AND m.only_subscription_id IS NULL
      AND m.erased_at IS NULL`;

// Reads the messages for the filter, without a lock: the filter may take its time, and REPLAY leaves out messages erased meanwhile.
const READ = `
  SELECT m.id, m.event_type AS "eventType", m.metadata, CASE WHEN ${IS_WANTED} THEN m.payload END AS payload
  FROM messages m JOIN subscriptions s ON s.id = $5
  WHERE m.channel_id = $1 AND m.id > $2 AND m.id < $3 ORDER BY m.id LIMIT $4`;

type ToFilter = {
  id: string;
  eventType: string;
  metadata: Record<string, string> | null;
  /** Null for a message that is not wanted anyway. */
  payload: string | null;
};

// One statement: a finished delivery goes into its next round as in a single replay, a missing one is made, and one under way is left
// alone. Messages are locked before their deliveries, as erasing does, so that an erasure under way is seen and nothing of it is left.
// $9 are the messages that the subscription's filter lets through.
const REPLAY = `
  WITH looked AS (
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.erased_at, m.only_subscription_id FROM messages m
    WHERE m.channel_id = $1 AND m.id > $2 AND m.id < $3 ORDER BY m.id LIMIT $4
    FOR SHARE
  ), wanted AS (
    SELECT m.* FROM looked m JOIN subscriptions s ON s.id = $5
    WHERE ${IS_WANTED} AND ($9::text[] IS NULL OR m.id = ANY ($9))
  ), ${replayMessages({ wanted: 'wanted', subscriptionId: '$5', onlyMissing: '$7', requestedBy: '$8' })}
  SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT max(id) FROM looked) AS last,
    (SELECT count(*)::int FROM wanted) AS wanted,
    (SELECT count(*)::int FROM made) + (SELECT count(*)::int FROM again) AS replayed`;

/** Whether the expression lets a message through, as publishing would decide. */
export type AskFilter = (expression: string, message: FilterInput) => boolean | Promise<boolean>;

/**
 * Replays the next messages of a replay that its subscription's filter lets through now, and stores the progress, in one transaction.
 * A repeated call goes on behind the last one, and two at a time take turns on the row. A replay whose subscription is deleted ends as
 * cancelled. The filter is evaluated before that transaction, which would hold back every stream. A batch is dropped if the filter or
 * the place has changed by then, and the next call evaluates anew.
 */
export async function replayNextMessages(
  pool: Pool,
  { replayId, carrier, now, ask }: { replayId: string; carrier: string; now: Date; ask: AskFilter },
): Promise<ReplayProgress> {
  const asked = await askNext(pool, { replayId, now, ask });
  return inTransaction(pool, async (connection) => {
    const { rows: jobs } = await connection.query<Job>(TAKE, [replayId, carrier]);
    const job = jobs[0];
    if (job === undefined) return { isFinished: true, matched: 0, replayed: 0, waitMs: 0 };
    const { matched, replayed } = job;
    if (job.channel_id === null) {
      await connection.query(`UPDATE message_replays SET status = 'cancelled', finished_at = now() WHERE id = $1`, [
        replayId,
      ]);
      return { isFinished: true, matched, replayed, waitMs: 0 };
    }
    if (job.waiting >= WAITING_AT_MOST) return { isFinished: false, matched, replayed, waitMs: 1_000 };
    if (job.filter !== null && asked?.place !== placeOf(job))
      return { isFinished: false, matched, replayed, waitMs: 0 };
    const read = job.filter === null ? undefined : asked;
    const { after, before, settled } = boundsOf(job, now);
    const limit = limitOf(job);
    const { rows } = await connection.query<{ looked: number; last: string | null; wanted: number; replayed: number }>(
      REPLAY,
      [
        job.channel_id,
        after,
        read?.before ?? before,
        limit,
        job.subscription_id,
        job.event_types,
        job.only_missing,
        job.requested_by,
        read?.matching ?? null,
      ],
    );
    const batch = rows[0] ?? { looked: 0, last: null, wanted: 0, replayed: 0 };
    const isAtEnd = (read?.looked ?? batch.looked) < limit;
    const isFinished = isAtEnd && settled.getTime() === job.until.getTime();
    await connection.query(
      `UPDATE message_replays SET matched = matched + $2, replayed = replayed + $3, position = coalesce($4, position),
         status = CASE WHEN $5 THEN 'completed' ELSE status END, finished_at = CASE WHEN $5 THEN now() END
       WHERE id = $1`,
      [replayId, batch.wanted, batch.replayed, batch.last, isFinished],
    );
    if (batch.replayed > 0) await wakeWorkers(connection);
    const paceMs = (batch.replayed * 1_000) / job.rate_per_second;
    return {
      isFinished,
      matched: matched + batch.wanted,
      replayed: replayed + batch.replayed,
      waitMs: isAtEnd ? Math.max(paceMs, 1_000) : paceMs,
    };
  });
}

/** The ids between which the next messages are, and the time up to which they have settled. */
function boundsOf({ since, until, position }: Where, now: Date): { after: string; before: string; settled: Date } {
  const settled = new Date(Math.min(until.getTime(), now.getTime() - SETTLED_AFTER_MS));
  return { after: position ?? lowestIdAt('message', since), before: lowestIdAt('message', settled), settled };
}

const limitOf = ({ filter, rate_per_second: rate }: Where & { filter: string | null }): number =>
  Math.min(filter === null ? BATCH : BATCH_TO_FILTER, rate);

/** State that the verdicts hold for. */
const placeOf = ({ position, filter, wants }: Pick<Job, 'position' | 'filter' | 'wants'>): string =>
  JSON.stringify([position, filter, wants]);

type Asked = { place: string; looked: number; before: string; matching: string[] };

/**
 * The messages of the next batch that the filter lets through, and the id before which the batch ends: messages that retention removes
 * meanwhile must not make room for others that the filter has not seen. Undefined without a filter.
 */
async function askNext(
  pool: Pool,
  { replayId, now, ask }: { replayId: string; now: Date; ask: AskFilter },
): Promise<Asked | undefined> {
  const { rows: found } = await pool.query<Looked>(LOOK, [replayId]);
  const job = found[0];
  if (job === undefined || job.waiting >= WAITING_AT_MOST) return undefined;
  const { after, before } = boundsOf(job, now);
  const limit = limitOf(job);
  const { rows } = await pool.query<ToFilter>(READ, [
    job.channel_id,
    after,
    before,
    limit,
    job.subscription_id,
    job.event_types,
  ]);
  const matching: string[] = [];
  for (const { id, eventType, metadata, payload } of rows) {
    if (payload === null) continue;
    const input = { key: job.channel_id, eventType, payload, metadata: metadata ?? undefined };
    if (await ask(job.filter, input)) matching.push(id);
  }
  const last = rows.at(-1)?.id;
  return {
    place: placeOf(job),
    looked: rows.length,
    // Ids have one length: nothing lies between one and the same with a character more.
    before: rows.length < limit || last === undefined ? before : `${last}0`,
    matching,
  };
}

const toMessageReplay = (row: MessageReplayRow): MessageReplay => {
  const upTo = row.position === null ? undefined : timeOfId('message', row.position);
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    // Only this service writes the column, from BULK_REPLAY_STATUSES.
    status: row.status as BulkReplayStatus,
    since: row.since,
    until: row.until,
    eventTypes: row.eventTypes,
    onlyMissing: row.onlyMissing,
    ratePerSecond: row.ratePerSecond,
    matched: row.matched,
    replayed: row.replayed,
    ...(upTo !== undefined && { upTo }),
    createdAt: row.createdAt,
    ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
  };
};
