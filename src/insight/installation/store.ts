import type { Pool } from 'pg';

type WorkerRow = {
  id: string;
  host: string | null;
  pid: number | null;
  startedAt: Date;
  renewedAt: Date;
  isAlive: boolean;
  silentMs: number;
  reachesTemporal: boolean;
};

// A lease lasts ten seconds from its last renewal. The row of an expired worker stays until its claims have been
// reclaimed.
const WORKERS = `
  SELECT id, host, pid, started_at AS "startedAt", expires_at - interval '10 seconds' AS "renewedAt", expires_at > now() AS "isAlive",
    (extract(epoch FROM now() - expires_at) * 1000)::float8 + 10000 AS "silentMs", NOT is_temporal_away AS "reachesTemporal"
  FROM incarnations ORDER BY id DESC LIMIT 200`;

/** Returns workers, newest first, at most 200. */
export const readWorkers = async (pool: Pool): Promise<WorkerRow[]> => (await pool.query<WorkerRow>(WORKERS)).rows;

const FACTS = `
  SELECT current_setting('server_version') AS postgresql, (
    SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
    ORDER BY migration_name DESC LIMIT 1) AS "newestMigration"`;

type Facts = { postgresql: string; newestMigration: string | null };

/** Returns the version of PostgreSQL and the last migration applied. */
export async function readFacts(pool: Pool): Promise<{ postgresql: string; newestMigration: string }> {
  const { rows } = await pool.query<Facts>(FACTS);
  const { postgresql = '', newestMigration } = rows[0] ?? {};
  return { postgresql, newestMigration: newestMigration ?? '' };
}
