import type { Config } from '../../../config.ts';
import { createDatabase, type Database } from '../../../db/client.ts';
import { createPool } from '../../../db/connections/pool.ts';
import { createTenants, type Tenants } from '../../../db/tenants.ts';
import { explainingDatabase } from '../../../readiness/database-trouble.ts';
import { findDatabase } from './find-database.ts';

/** Runs work on the database that the command line is for, and explains why it cannot be reached. */
export async function withDatabase<T>(
  config: Config,
  work: (db: Database, tenants: Tenants) => Promise<T>,
): Promise<T> {
  const databaseUrl = findDatabase(config);
  return explainingDatabase({ ...config, databaseUrl }, async () => {
    const db = createDatabase(databaseUrl);
    const pool = createPool(databaseUrl, { max: 1 });
    try {
      return await work(db, createTenants({ db, pool }));
    } finally {
      await Promise.all([db.$disconnect(), pool.end()]);
    }
  });
}
