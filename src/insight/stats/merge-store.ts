import type { Pool } from 'pg';
import { inTransaction } from '../../platform/db/transaction.ts';
import { COUNTED_CODES, LATENCY_CLASSES, NO_LATENCY } from '../../kernel/words/outcomes.ts';

/** Parts merged per transaction: 30 ms for as many groups as a burst creates in seconds. */
export const PARTS_AT_ONCE = 5_000;
const REMOVED_AT_ONCE = 5_000;

/** Resolution in minutes, and how long statistics of that resolution are kept. */
export const GRAINS = { minute: { minutes: 1, keptDays: 3 }, hour: { minutes: 60, keptDays: 400 } } as const;

// Only one process merges at a time, so that processes do not wait for each other's rows. The number has no meaning.
const LOCK = 'SELECT pg_try_advisory_xact_lock(440044) AS "isMine"';

// The counts of an environment include those of its channels, and those of a channel its subscriptions, so a reader
// only adds up steps. The order keeps neighbouring index entries together.
const MERGE = `
  WITH taken AS (
    DELETE FROM stat_parts WHERE id IN (SELECT id FROM stat_parts ORDER BY id LIMIT $1)
    RETURNING environment_id, channel_id, subscription_id, at, accepted, dead_letters, outcomes
  ), facts AS (
    SELECT environment_id, channel_id, subscription_id, at, ${COUNTED_CODES.accepted} AS code, ${NO_LATENCY} AS latency_class, accepted AS count
    FROM taken WHERE accepted > 0
    UNION ALL
    SELECT environment_id, channel_id, subscription_id, at, ${COUNTED_CODES.deadLetter}, ${NO_LATENCY}, dead_letters FROM taken WHERE dead_letters > 0
    UNION ALL
    SELECT environment_id, channel_id, subscription_id, at, o / ${LATENCY_CLASSES}, o % ${LATENCY_CLASSES}, 1 FROM taken, unnest(outcomes) AS o
  ), spread AS (
    SELECT f.*, g.minutes, date_bin(make_interval(mins => g.minutes), f.at, 'epoch') AS begun
    FROM facts f CROSS JOIN (VALUES (${GRAINS.minute.minutes}), (${GRAINS.hour.minutes})) AS g (minutes)
  ), merged AS (
    INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
    SELECT coalesce(subscription_id, channel_id, environment_id) AS of_id, environment_id, minutes, begun, code, latency_class, sum(count)
    FROM spread GROUP BY GROUPING SETS (
      (environment_id, minutes, begun, code, latency_class),
      (environment_id, channel_id, minutes, begun, code, latency_class),
      (environment_id, channel_id, subscription_id, minutes, begun, code, latency_class))
    HAVING (grouping(channel_id) = 1 OR channel_id IS NOT NULL) AND (grouping(subscription_id) = 1 OR subscription_id IS NOT NULL)
    ORDER BY of_id, minutes, begun, code, latency_class
    ON CONFLICT (of_id, minutes, at, code, latency_class) DO UPDATE SET count = stat_counts.count + excluded.count
  )
  SELECT count(*)::int AS taken FROM taken`;

/**
 * Suffix of `of_id` for the statistics of all runs of an environment. Those of its traffic are stored under the id
 * alone.
 */
export const ALL_RUNS = '/runs';

const MERGE_RUNS = `
  WITH taken AS (
    DELETE FROM run_stat_parts WHERE id IN (SELECT id FROM run_stat_parts ORDER BY id LIMIT $1) RETURNING environment_id, workflow_id, at, code
  ), merged AS (
    INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
    SELECT o.id, t.environment_id, g.minutes, date_bin(make_interval(mins => g.minutes), t.at, 'epoch') AS begun, t.code, ${NO_LATENCY}, count(*)
    FROM taken t CROSS JOIN LATERAL (VALUES (t.workflow_id), (t.environment_id || '${ALL_RUNS}')) AS o (id)
      CROSS JOIN (VALUES (${GRAINS.minute.minutes}), (${GRAINS.hour.minutes})) AS g (minutes)
    GROUP BY o.id, t.environment_id, g.minutes, begun, t.code
    ORDER BY o.id, g.minutes, begun, t.code
    ON CONFLICT (of_id, minutes, at, code, latency_class) DO UPDATE SET count = stat_counts.count + excluded.count
  )
  SELECT count(*)::int AS taken FROM taken`;

const MERGE_INBOUND = `
  WITH taken AS (
    DELETE FROM inbound_stat_parts WHERE id IN (SELECT id FROM inbound_stat_parts ORDER BY id LIMIT $1)
    RETURNING environment_id, inbound_webhook_id, at, code
  ), merged AS (
    INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
    SELECT t.inbound_webhook_id, t.environment_id, g.minutes, date_bin(make_interval(mins => g.minutes), t.at, 'epoch') AS begun, t.code,
      ${NO_LATENCY}, count(*)
    FROM taken t CROSS JOIN (VALUES (${GRAINS.minute.minutes}), (${GRAINS.hour.minutes})) AS g (minutes)
    GROUP BY t.inbound_webhook_id, t.environment_id, g.minutes, begun, t.code
    ORDER BY t.inbound_webhook_id, g.minutes, begun, t.code
    ON CONFLICT (of_id, minutes, at, code, latency_class) DO UPDATE SET count = stat_counts.count + excluded.count
  )
  SELECT count(*)::int AS taken FROM taken`;

/**
 * Merges the oldest parts (traffic, runs and inbound requests) into minutes and hours in one transaction and deletes
 * them. Returns whether there may be more. Does nothing while another process is merging.
 */
export async function mergeParts(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ isMine: boolean }>(LOCK);
    if (rows[0]?.isMine !== true) return false;
    let isMore = false;
    for (const [name, text] of [
      ['merge_stat_parts', MERGE],
      ['merge_run_stat_parts', MERGE_RUNS],
      ['merge_inbound_stat_parts', MERGE_INBOUND],
    ] as const) {
      const merged = await connection.query<{ taken: number }>({ name, text, values: [PARTS_AT_ONCE] });
      isMore ||= merged.rows[0]?.taken === PARTS_AT_ONCE;
    }
    return isMore;
  });
}

const REMOVE = `
  DELETE FROM stat_counts WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM stat_counts WHERE minutes = $1 AND at < now() - make_interval(days => $2) ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED))`;

/** Deletes expired statistics. Returns whether there may be more. */
export async function removeOldFigures(pool: Pool): Promise<boolean> {
  let isMore = false;
  for (const { minutes, keptDays } of Object.values(GRAINS)) {
    const { rowCount } = await pool.query(REMOVE, [minutes, keptDays, REMOVED_AT_ONCE]);
    isMore ||= rowCount === REMOVED_AT_ONCE;
  }
  return isMore;
}
