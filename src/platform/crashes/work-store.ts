import type { Pool } from 'pg';

/** Kinds of stored work that this process evaluates on its event loop. */
export type WorkKind = 'run' | 'delivery' | 'schedule' | 'inbound' | 'scheduled message' | 'waiting step';

/** One part of such work: an `id` is a suspect as a whole, and crashes are counted for each `part`. */
export type WorkPart = { kind: WorkKind; id: string; part: string };

// Four renewals long, and shorter than the 5 s after which Temporal gives the activity of a dead worker to another one.
const LEASE_SECONDS = 4;
/** The first crash makes the work a suspect; two more are counted before it starts. */
export const MAX_WORK_DEATHS = 3;
// After the second and the third crash. A process that runs the work renews its pause, so that no other process counts a crash of work
// that takes long.
const PAUSE_SECONDS = { second: 5, third: 15 };
const FORGOTTEN_AFTER = "interval '1 hour'";
// For work that was given up and is still stored: a scheduled message whose filters crash each process that evaluates them.
const GIVEN_UP_FOR = "interval '30 days'";

/**
 * Records that this process works on it. Returns whether it is a suspect: another process died or froze while it had the work in hand,
 * or crashes of it have been counted.
 */
export async function takeInHand(
  pool: Pool,
  { kind, id, holder }: { kind: WorkKind; id: string; holder: string },
): Promise<boolean> {
  const { rows } = await pool.query<{ isSuspect: boolean }>({
    name: 'take_in_hand',
    text: `INSERT INTO work_in_hand (kind, id, holder, expires_at) VALUES ($1, $2, $3, now() + interval '${LEASE_SECONDS} seconds')
      ON CONFLICT (kind, id, holder) DO UPDATE SET expires_at = excluded.expires_at
      RETURNING EXISTS (SELECT FROM work_in_hand w WHERE w.kind = $1 AND w.id = $2 AND w.holder <> $3 AND w.expires_at <= now())
        OR EXISTS (SELECT FROM work_deaths d WHERE d.kind = $1 AND d.id = $2) AS "isSuspect"`,
    values: [kind, id, holder],
  });
  return rows[0]?.isSuspect === true;
}

/** Renews the leases of everything that this process has in hand, and the pause of the suspect that it runs. */
export async function renewHolder(pool: Pool, holder: string): Promise<void> {
  await pool.query({
    name: 'renew_in_hand',
    text: `WITH pauses AS (
        UPDATE work_deaths SET next_at = greatest(next_at, now() + interval '${PAUSE_SECONDS.second} seconds') WHERE holder = $1
      )
      UPDATE work_in_hand SET expires_at = now() + interval '${LEASE_SECONDS} seconds' WHERE holder = $1`,
    values: [holder],
  });
}

/** Removes work that this process is done with for now. */
export async function putDown(
  pool: Pool,
  { holder, works }: { holder: string; works: readonly { kind: WorkKind; id: string }[] },
): Promise<void> {
  await pool.query({
    name: 'put_down',
    text: `DELETE FROM work_in_hand w USING unnest($2::text[], $3::text[]) AS g (kind, id)
      WHERE w.holder = $1 AND w.kind = g.kind AND w.id = g.id`,
    values: [holder, works.map(({ kind }) => kind), works.map(({ id }) => id)],
  });
}

/** Returns every process that has something in hand, or had when it died. */
export async function holdersInHand(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ holder: string }>('SELECT DISTINCT holder FROM work_in_hand');
  return rows.map(({ holder }) => holder);
}

/** Ends the leases of processes that are known to be dead. */
export async function endWorkLeases(pool: Pool, holders: readonly string[]): Promise<void> {
  await pool.query(
    'UPDATE work_in_hand SET expires_at = now() WHERE holder = ANY ($1::text[]) AND expires_at > now()',
    [holders],
  );
}

/** Deletes records that no process has used for an hour, except those of work that was given up. */
export async function forgetOldWork(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM work_in_hand WHERE expires_at < now() - ${FORGOTTEN_AFTER}`);
  await pool.query(
    `DELETE FROM work_deaths WHERE next_at < now() - ${FORGOTTEN_AFTER}
      AND (deaths < ${MAX_WORK_DEATHS} OR kind = 'inbound' OR next_at < now() - ${GIVEN_UP_FOR})`,
  );
}

/** The part after a response from outside, which has a count of its own: the process had survived the part before the request. */
export const afterResponse = (part: string): string => `${part} answer`;

/** Whether a suspect may run now. `waitsMs`: the rest of its pause. `over`: it has had its three crashes. */
export type CountedDeath = 'counted' | 'over' | { waitsMs: number };

/** Counts a crash before the part starts. `isForced`: even during its pause, because its request was sent and has a response. */
export async function countDeath(
  pool: Pool,
  { kind, id, part, holder, isForced }: WorkPart & { holder: string; isForced: boolean },
): Promise<CountedDeath> {
  const { rows } = await pool.query<{ deaths: number; inMs: number }>({
    name: 'work_deaths',
    text: `SELECT deaths, (extract(epoch FROM next_at - clock_timestamp()) * 1000)::float8 AS "inMs" FROM work_deaths
      WHERE kind = $1 AND id = $2 AND part IN ($3, $4)`,
    values: [kind, id, part, afterResponse(part)],
  });
  const waitsMs = Math.max(0, ...rows.map(({ inMs }) => inMs));
  if (waitsMs > 0 && !isForced) return { waitsMs };
  if (rows.some(({ deaths }) => deaths >= MAX_WORK_DEATHS)) return 'over';
  const { rowCount } = await pool.query({
    name: 'count_death',
    text: `INSERT INTO work_deaths AS d (kind, id, part, deaths, holder, next_at)
      VALUES ($1, $2, $3, 2, $4, now() + interval '${PAUSE_SECONDS.second} seconds')
      ON CONFLICT (kind, id, part) DO UPDATE SET deaths = d.deaths + 1, holder = excluded.holder,
        next_at = now() + interval '${PAUSE_SECONDS.third} seconds'
      WHERE $5 OR d.next_at <= now()`,
    values: [kind, id, part, holder, isForced],
  });
  // Another process was faster.
  return rowCount === 1 ? 'counted' : { waitsMs: PAUSE_SECONDS.second * 1_000 };
}

/** Deletes the counted crashes of a part, because the process has survived it. */
export async function survive(pool: Pool, { kind, id, part }: WorkPart): Promise<void> {
  await pool.query({
    name: 'survive_work',
    text: 'DELETE FROM work_deaths WHERE kind = $1 AND id = $2 AND part = $3',
    values: [kind, id, part],
  });
}
