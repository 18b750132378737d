import type { QueryResultRow } from 'pg';
import { TIME_IS_GIVEN } from './time-given.ts';
import { lowestIdAt, timeOfId } from '../../kernel/values/ids.ts';
import { BEGINNING, type StreamPosition } from '../../kernel/values/commit-position.ts';

/** Runs one statement in a transaction that begins with IN_ORDER. */
export type RunSql = <R extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<R[]>;

// Processes make their ids before the transaction begins, and by their own clocks: how far apart both may be.
const ORDERED_WITHIN_MS = 60_000;

// Everything below it has ended, and whoever committed is visible in the same snapshot. A plain "behind the last one" would
// lose a message that commits late (docs/decisions.md).
export const ENDED = 'm.transaction_id < pg_snapshot_xmin(pg_current_snapshot())';

// With statistics from before a backlog PostgreSQL would gather and sort all of it for every page: 300 ms instead of 20 for ten
// channels, one of them 100,000 messages behind. With neither of the two it walks the index in its order and stops.
export const IN_ORDER = 'SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off';

// A scheduled message may be published long after the time in its id, should no worker have been there: it bounds nothing.
const FIRST_SINCE = `
  SELECT m.id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND NOT ${TIME_IS_GIVEN} ORDER BY m.id LIMIT 1`;
// The year 10889: every id of a message is below.
const ABOVE_ALL = lowestIdAt('message', new Date(2 ** 48 - 1));
// MATERIALIZED: looked for by transaction, the whole history before it would be read.
const EARLIEST = `
  WITH later AS MATERIALIZED (
    SELECT m.transaction_id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND m.id < $3 AND ${ENDED}
  )
  SELECT l.transaction_id::text AS "transactionId" FROM later l ORDER BY l.transaction_id LIMIT 1`;

/**
 * The position before the first message, in the order of commits, that was published after `since`; undefined when no reader
 * could be shown one yet. The first minute of those messages is looked through: a later message has a later transaction.
 * Where all of them were scheduled, all are looked through.
 */
export async function findPositionSince(
  run: RunSql,
  channelId: string,
  since: Date,
): Promise<StreamPosition | undefined> {
  const lowest = lowestIdAt('message', new Date(since.getTime() + 1));
  const [found] = await run<{ id: string }>(FIRST_SINCE, [channelId, lowest]);
  const first = found && timeOfId('message', found.id);
  const until = first === undefined ? ABOVE_ALL : lowestIdAt('message', new Date(first.getTime() + ORDERED_WITHIN_MS));
  const [earliest] = await run<{ transactionId: string }>(EARLIEST, [channelId, lowest, until]);
  return earliest && { transactionId: earliest.transactionId, id: lowest };
}

const NOW = `
  SELECT s.system_identifier::text AS database, pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
    l.transaction_id::text AS "transactionId", l.id
  FROM pg_control_system() s LEFT JOIN LATERAL (
    SELECT m.transaction_id, m.id FROM messages m WHERE m.channel_id = $1 AND ${ENDED}
    ORDER BY m.transaction_id DESC, m.id DESC LIMIT 1
  ) l ON true`;

/** What positions of a channel are bound to and read by, and the last message that every reader may have been shown. */
export async function findCommitOrder(
  run: RunSql,
  channelId: string,
): Promise<{ database: string; horizon: string; last: StreamPosition }> {
  type Found = { database: string; horizon: string; transactionId: string | null; id: string | null };
  const [found] = await run<Found>(NOW, [channelId]);
  if (found === undefined) throw new Error('PostgreSQL has not said which database it is');
  const { database, horizon, transactionId, id } = found;
  return { database, horizon, last: transactionId === null || id === null ? BEGINNING : { transactionId, id } };
}

// Filters are asked behind this, so that a filter that nothing fits costs no more than one that everything fits.
const MOST_LOOKED_AT = 1_000;
const BEHIND = `
  SELECT m.id, m.transaction_id::text AS "transactionId", m.event_type AS "eventType" FROM messages m
  WHERE m.channel_id = $1 AND (m.transaction_id, m.id) > ($2::xid8, $3) AND ${ENDED}
  ORDER BY m.transaction_id, m.id LIMIT ${MOST_LOOKED_AT}`;

/** The next messages behind a position, in the order of commits, 1,000 at most. `isLast`: no more of them were there. */
export async function findCommittedBehind(
  run: RunSql,
  channelId: string,
  { transactionId, id }: StreamPosition,
): Promise<{ found: (StreamPosition & { eventType: string })[]; isLast: boolean }> {
  const found = await run<StreamPosition & { eventType: string }>(BEHIND, [channelId, transactionId, id]);
  return { found, isLast: found.length < MOST_LOOKED_AT };
}
