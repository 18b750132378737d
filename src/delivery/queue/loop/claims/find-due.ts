import type { Pool } from 'pg';
import { IS_ACTIVE } from '../../../../platform/db/sql/fragments.ts';
import { inLane, LEAD_SECONDS, type Lane } from '../../../record/statements/claim.ts';

/** A position in the order of due times; the id tells rows of one time apart. All times are PostgreSQL's. */
export type DuePosition = { due: Date; id: string };

/** Subscriptions with a due row in a lane, and the earliest possible time of it. */
export type DueSubscription = { lane: Lane; id: string; since: Date };

/** Result of one look. `last` is the position of the last row it read, undefined when it read none. */
export type DueLook = { found: DueSubscription[]; at: Date; rows: number; last: DuePosition | undefined };

// The condition of the index deliveries_due, word for word: no other statement is planned with it.
const IN_INDEX = 'num_nulls(d.due_at) = 0 AND num_nonnulls(d.holder, d.carrier) = 0';

// One descent into the index and a step for each waiting row; dead entries of finished ones are behind the position.
const BEHIND = `
  WITH seen AS MATERIALIZED (
    SELECT d.due_at, d.id, d.subscription_id, d.policy_attempts = 0 AS is_first FROM deliveries d
    WHERE ${IN_INDEX} AND (d.due_at, d.id) > ($1::timestamptz, $2::text) AND d.due_at <= now() + make_interval(secs => $3::float8)
    ORDER BY d.due_at, d.id LIMIT $4
  ), last AS (
    SELECT due_at, id FROM seen ORDER BY due_at DESC, id DESC LIMIT 1
  )
  SELECT now() AS at, (SELECT count(*)::int FROM seen) AS rows, last.due_at AS "lastDue", last.id AS "lastId",
    f.lane, f.subscription_id AS id, f.since
  FROM (SELECT) AS always LEFT JOIN last ON true
  LEFT JOIN (
    SELECT CASE WHEN is_first THEN 'first' ELSE 'retry' END AS lane, subscription_id, min(due_at) AS since FROM seen
    WHERE due_at <= now() + make_interval(secs => CASE WHEN is_first THEN ${LEAD_SECONDS.first} ELSE ${LEAD_SECONDS.retry} END)
    GROUP BY is_first, subscription_id
  ) AS f ON true`;

type Row = { at: Date; rows: number; lastDue: Date | null; lastId: string | null } & (
  | { id: string; lane: Lane; since: Date }
  | { id: null }
);

/** Reads up to `limit` claimable rows behind `position`, due until `untilSeconds` from now. */
export async function findBehind(
  pool: Pool,
  { position, untilSeconds, limit }: { position: DuePosition; untilSeconds: number; limit: number },
): Promise<DueLook> {
  const { rows } = await pool.query<Row>({
    name: 'find_due_behind',
    text: BEHIND,
    values: [position.due, position.id, untilSeconds, limit],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('PostgreSQL answered a look for due deliveries with no row');
  const { at, rows: count, lastDue, lastId } = first;
  return {
    found: rows.flatMap((row) => (row.id === null ? [] : [{ lane: row.lane, id: row.id, since: row.since }])),
    at,
    rows: count,
    last: lastDue === null || lastId === null ? undefined : { due: lastDue, id: lastId },
  };
}

// A loose walk over a lane's index, one step for each subscription in it. The walk reads over every dead entry and every paused
// subscription on its way.
const walk = (lane: Lane): string => {
  const step = (behind: string): string => `
      SELECT d.subscription_id, d.due_at FROM deliveries d WHERE ${inLane(lane, 'd.')}${behind}
      ORDER BY d.subscription_id, d.due_at LIMIT 1`;
  return `
  WITH RECURSIVE waiting AS (
    (${step('')})
    UNION ALL
    SELECT next.* FROM waiting w CROSS JOIN LATERAL (${step(' AND d.subscription_id > w.subscription_id')}) AS next
  )
  SELECT w.subscription_id AS id, w.due_at AS since FROM waiting w
  CROSS JOIN LATERAL (
    SELECT FROM subscriptions s WHERE s.id = w.subscription_id AND ${IS_ACTIVE} AND s.deleted_at IS NULL LIMIT 1
  ) AS s`;
};
const WALK: Record<Lane, string> = { first: walk('first'), retry: walk('retry') };

/** Every active subscription with a claimable row, now or later. `at`: the time at which the first of them was looked for. */
export async function findEverywhere(pool: Pool): Promise<{ found: DueSubscription[]; at: Date }> {
  const { rows: times } = await pool.query<{ at: Date }>('SELECT now() AS at');
  const found: DueSubscription[] = [];
  for (const lane of ['first', 'retry'] as const) {
    const { rows } = await pool.query<Omit<DueSubscription, 'lane'>>({ name: `find_due_${lane}`, text: WALK[lane] });
    found.push(...rows.map((row) => ({ ...row, lane })));
  }
  const at = times[0]?.at;
  if (at === undefined) throw new Error('PostgreSQL did not tell the time');
  return { found, at };
}
