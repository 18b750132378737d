import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

// Renewed five times within its life: one slow commit or a short pause of the process is no death (DESIGN §3).
const RENEW_EVERY_MS = 2_000;
const LIFE_SECONDS = 10;

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
      await pool.query('UPDATE deliveries SET holder = NULL WHERE holder = $1', [id]);
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
  await pool.query('DELETE FROM incarnations WHERE id = ANY ($1::text[])', [dead.map(({ id }) => id)]);
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
 * Frees what dead incarnations held. The round stays: should the dead one have started the Temporal workflow after all,
 * starting it again says so, and nothing is sent twice (docs/decisions.md). What this process holds itself it keeps: after a
 * pause longer than a lease it would else claim a second time what waits in its memory. Returns how many are due again.
 */
export async function takeOverFromDead(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE deliveries SET holder = NULL
     WHERE holder IS NOT NULL AND holder <> ALL ($1::text[])
       AND holder NOT IN (SELECT id FROM incarnations WHERE expires_at > now())`,
    [[...ownIds]],
  );
  await pool.query(`DELETE FROM incarnations WHERE expires_at < now() - interval '1 hour'`);
  return rowCount ?? 0;
}
