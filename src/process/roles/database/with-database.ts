import type { Config } from '../../../platform/config/config.ts';
import { createDatabase, type Database } from '../../../platform/db/client.ts';
import { createPool } from '../../../platform/db/connection.ts';
import { createTenants, type Tenants } from '../../../platform/db/tenants.ts';
import { explainingDatabase } from '../../../platform/readiness/database-trouble.ts';
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
