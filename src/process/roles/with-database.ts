import type { Config } from '../../config.ts';
import { createDatabase, type Database } from '../../db/client.ts';
import { explainingDatabase } from '../../readiness/database-trouble.ts';
import { findDatabase } from './find-database.ts';

/** Runs work on the database that the command line is for, and explains why it cannot be reached. */
export async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const databaseUrl = findDatabase(config);
  return explainingDatabase(databaseUrl, async () => {
    const db = createDatabase(databaseUrl);
    try {
      return await work(db);
    } finally {
      await db.$disconnect();
    }
  });
}
