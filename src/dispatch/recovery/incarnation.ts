import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { releaseAllOf, takeOverFrom, takeOverFromUnleased } from '../../deliveries/statements/release.ts';
import { forgetConcurrencyOf } from '../admission/concurrency-store.ts';

// Renewed five times within its life: one slow commit or a short pause of the process is no death.
const RENEW_EVERY_MS = 2_000;
const LIFE_SECONDS = 10;
// Between looks for what a dead one held.
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

// Those of this very process: the same host and pid as a dead one of before may be a living one of now.
const ownIds = new Set<string>();

export type Incarnation = {
  id: string;
  /** Living worker processes, this one included, as of its last renewal (at most 2 s ago). */
  workers(): number;
  end(): Promise<void>;
};

/**
 * Registers this process as one that may hold deliveries, and keeps its lease. `end` gives back what it still holds, so
 * that others need not wait for the lease to run out.
 */
export async function beginIncarnation(pool: Pool, id: string, log: Logger): Promise<Incarnation> {
  let workers = 1;
  const renew = async (): Promise<void> => {
    const { rows } = await pool.query<{ others: number }>(
      `INSERT INTO incarnations (id, expires_at, host, pid) VALUES ($1, now() + make_interval(secs => $2), $3, $4)
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
       RETURNING (SELECT count(*)::int FROM incarnations i WHERE i.id <> $1 AND i.expires_at > now()) AS others`,
      [id, LIFE_SECONDS, hostname(), process.pid],
    );
    workers = 1 + (rows[0]?.others ?? 0);
  };
  ownIds.add(id);
  await renew();
  await endDeadOfThisHost(pool);
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error }, 'the lease of this worker could not be renewed'));
  }, RENEW_EVERY_MS);
  return {
    id,
    workers: () => workers,
    async end() {
      clearInterval(timer);
      ownIds.delete(id);
      await releaseAllOf(pool, id);
      await forgetConcurrencyOf(pool, [id]);
      await pool.query('DELETE FROM incarnations WHERE id = $1', [id]);
    },
  };
}

/** A process killed on this host need not be waited for: what it held is due again at the next look. */
async function endDeadOfThisHost(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string; pid: number }>('SELECT id, pid FROM incarnations WHERE host = $1', [
    hostname(),
  ]);
  const dead = rows.filter(({ id, pid }) => (pid === process.pid ? !ownIds.has(id) : !isProcess(pid)));
  // They stay for as long as any dead one does, so that others look for what they held.
  await pool.query('UPDATE incarnations SET expires_at = now() WHERE id = ANY ($1::text[]) AND expires_at > now()', [
    dead.map(({ id }) => id),
  ]);
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Frees what dead incarnations held, whether they are known or not. Deliveries of this process stay with it: after a pause longer
 * than a lease it would else claim a second time what waits in its memory. Reads all that is held. What dead ones have told of their receivers goes too. Returns how many are due again.
 */
export async function takeOverFromDead(pool: Pool): Promise<number> {
  const dueAgain = await takeOverFromUnleased(pool, [...ownIds]);
  await pool.query(
    `DELETE FROM subscription_concurrency WHERE incarnation_id <> ALL ($1::text[])
       AND incarnation_id NOT IN (SELECT id FROM incarnations WHERE expires_at > now())`,
    [[...ownIds]],
  );
  await pool.query(`DELETE FROM incarnations WHERE expires_at < now() - interval '1 hour'`);
  return dueAgain;
}

/**
 * Frees, call by call, what incarnations held that have died in the last hour, and removes what they have told. Each dead one is looked for again after 2, 4,
 * 8 s and so on, up to a minute: a statement of its may have been committed after its death. So a call with nothing new reads
 * nothing of deliveries, however many were held while a snapshot was open. Returns how many are due again.
 */
export function createTakeOver(pool: Pool): () => Promise<number> {
  const looked = new Map<string, { nextAt: number; restMs: number }>();
  return async () => {
    const { rows } = await pool.query<{ id: string; expiredAt: Date }>({
      name: 'dead_incarnations',
      text: `SELECT id, expires_at AS "expiredAt" FROM incarnations WHERE expires_at <= now() AND id <> ALL ($1::text[])`,
      values: [[...ownIds]],
    });
    // One that came to life again and died once more is another one.
    const dead = new Map(rows.map(({ id, expiredAt }) => [`${id} ${expiredAt.getTime()}`, id]));
    for (const key of looked.keys()) if (!dead.has(key)) looked.delete(key);
    const due = [...dead].filter(([key]) => performance.now() >= (looked.get(key)?.nextAt ?? 0));
    if (due.length === 0) return 0;
    const ids = due.map(([, id]) => id);
    const dueAgain = await takeOverFrom(pool, ids);
    await forgetConcurrencyOf(pool, ids);
    for (const [key] of due) {
      const restMs = Math.min((looked.get(key)?.restMs ?? FIRST_REST_MS / 2) * 2, LONGEST_REST_MS);
      looked.set(key, { nextAt: performance.now() + restMs, restMs });
    }
    return dueAgain;
  };
}
