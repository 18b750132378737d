import type { Pool } from 'pg';

/** Kinds of stored work that an event loop evaluates. */
export type WorkKind = 'run' | 'delivery' | 'schedule' | 'inbound' | 'scheduled message' | 'waiting step';

/** One part of such work: `id` is what may be under suspicion, `part` what is counted. */
export type WorkPart = { kind: WorkKind; id: string; part: string };

// Shorter than the 5 s after which Temporal gives the activity of a dead worker to another one, and four renewals long.
const LEASE_SECONDS = 4;
/** A death that nobody had counted, and two that were counted before the work began. */
export const MAX_WORK_DEATHS = 3;
// After the second death, and after the third one, which the work is given up for then. A process that works renews the pause, so that
// nobody takes long work for deadly.
const PAUSE_SECONDS = { second: 5, third: 15 };
const FORGOTTEN_AFTER = "interval '1 hour'";
// What was given up and is still there: a message that waits, and whose filters end each process that evaluates them.
const GIVEN_UP_FOR = "interval '30 days'";

/**
 * Puts on record that this process works on it. True when another process died, or stood still, while it did, or when deaths of it are
 * counted.
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

/** Renews the leases of everything that this process has in hand, and the pauses of what it does alone. */
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

/** This process has nothing more to do with these for now. */
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

/** Every process that has something in hand, or had when it died. */
export async function holdersInHand(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ holder: string }>('SELECT DISTINCT holder FROM work_in_hand');
  return rows.map(({ holder }) => holder);
}

/** These processes are known to be dead. */
export async function endWorkLeases(pool: Pool, holders: readonly string[]): Promise<void> {
  await pool.query(
    'UPDATE work_in_hand SET expires_at = now() WHERE holder = ANY ($1::text[]) AND expires_at > now()',
    [holders],
  );
}

/** Removes what nobody has worked on for an hour, but for what was given up. */
export async function forgetOldWork(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM work_in_hand WHERE expires_at < now() - ${FORGOTTEN_AFTER}`);
  await pool.query(
    `DELETE FROM work_deaths WHERE next_at < now() - ${FORGOTTEN_AFTER}
      AND (deaths < ${MAX_WORK_DEATHS} OR kind = 'inbound' OR next_at < now() - ${GIVEN_UP_FOR})`,
  );
}

// The part behind an answer from outside has a count of its own: the one before the request was survived by then.
const BEHIND = 'answer';
export const behindAnswer = (part: string): string => `${part} ${BEHIND}`;

/** What may be done with a part under suspicion. `waits`: for so many ms, by its pause. `over`: it has had its three deaths. */
export type CountedDeath = 'counted' | 'over' | { waitsMs: number };

/**
 * Counts a death before the part is taken up. `isForced`: whatever its pause is, because its request is out and has been answered.
 */
export async function countDeath(
  pool: Pool,
  { kind, id, part, holder, isForced }: WorkPart & { holder: string; isForced: boolean },
): Promise<CountedDeath> {
  const { rows } = await pool.query<{ deaths: number; inMs: number }>({
    name: 'work_deaths',
    text: `SELECT deaths, (extract(epoch FROM next_at - clock_timestamp()) * 1000)::float8 AS "inMs" FROM work_deaths
      WHERE kind = $1 AND id = $2 AND part IN ($3, $4)`,
    values: [kind, id, part, behindAnswer(part)],
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
  // Another process was quicker.
  return rowCount === 1 ? 'counted' : { waitsMs: PAUSE_SECONDS.second * 1_000 };
}

/** The process has lived through it. */
export async function survive(pool: Pool, { kind, id, part }: WorkPart): Promise<void> {
  await pool.query({
    name: 'survive_work',
    text: 'DELETE FROM work_deaths WHERE kind = $1 AND id = $2 AND part = $3',
    values: [kind, id, part],
  });
}
