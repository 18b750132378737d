import { ConfigError, readConfig } from '../../platform/config/config.ts';
import { createDatabase } from '../../platform/db/client.ts';
import { migrate } from '../../platform/db/migrations/migrate.ts';
import { ensureEnvironments } from '../seed.ts';
import { createNewId } from '../../platform/new-id.ts';
import { explainingDatabase } from '../../platform/readiness/database-trouble.ts';
import { print } from './serving/role.ts';
import { createFilters } from '../../messaging/filters/filters.ts';
import { filterSteps } from './serving/stored-filters.ts';
import type { StopRequest } from './serving/stop-request.ts';

/**
 * `posthorn migrate`: brings the database up to date and makes the environments, so that keys can be created. A signal rolls the
 * migration under way back, and `migrate` rejects with a Stopped. Earlier migrations stay, and the next run goes on from there.
 * `dropFilters` drops stored filters that are outside the language; without it they stop the run.
 */
export async function runMigrate(stop: StopRequest, { dropFilters }: { dropFilters: boolean }): Promise<void> {
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL must be set: `posthorn start` migrates its own PostgreSQL by itself');
  stop.takeOver();
  await explainingDatabase(config, async () => {
    const steps = filterSteps(createFilters(), { isDropping: dropFilters, tell: print });
    const applied = await migrate(databaseUrl, { onProgress: print, signal: stop.signal, ...steps });
    const db = createDatabase(databaseUrl);
    try {
      await ensureEnvironments({ db, newId: createNewId(Date.now) });
    } finally {
      await db.$disconnect();
    }
    if (applied.length === 0) print('The database is up to date');
  });
}
