import type { Pool } from 'pg';
import { openPoolBehindPooler } from '../../platform/db/connection.ts';
import { explainIn } from './database.ts';
import { fail, type Finding, lookInto, ok } from './finding.ts';

/** No two servers began in the same microsecond and have a database of one name. */
const WHICH_DATABASE = `SELECT current_database() || ' of ' || extract(epoch FROM pg_postmaster_start_time()) AS "is"`;

/** DATABASE_URL, where it is a pooler, leads to the database of DIRECT_DATABASE_URL, in which `pool` is. */
export function checkPooler(
  pool: Pool,
  { pooledDatabaseUrl, connectWithinMs }: { pooledDatabaseUrl: string; connectWithinMs: number },
): Promise<Finding> {
  const check = 'pooler';
  return lookInto(
    check,
    async () => {
      const behind = openPoolBehindPooler(pooledDatabaseUrl, 1, { connectWithinMs });
      try {
        const [direct, pooled] = await Promise.all([whichDatabase(pool), whichDatabase(behind)]);
        if (direct !== pooled)
          return fail(check, 'DATABASE_URL leads to another database than DIRECT_DATABASE_URL; correct one of them');
        return ok(
          check,
          `DATABASE_URL: ${new URL(pooledDatabaseUrl).host} leads to the same database as DIRECT_DATABASE_URL`,
        );
      } finally {
        await behind.end();
      }
    },
    explainIn({ databaseUrl: pooledDatabaseUrl }),
  );
}

async function whichDatabase(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ is: string }>(WHICH_DATABASE);
  return rows[0]?.is ?? '';
}
