import { ConfigError, readConfig } from '../../platform/config/config.ts';
import { createDatabase } from '../../platform/db/client.ts';
import { migrate, type MigrateOptions } from '../../platform/db/migrations/migrate.ts';
import { ensureEnvironments } from '../seed.ts';
import { createNewId } from '../../platform/new-id.ts';
import { explainingDatabase } from '../../platform/readiness/database-trouble.ts';
import { print } from './serving/role.ts';
import { createFilters, type Filters } from '../../messaging/filters/filters.ts';
import type { StopRequest } from './serving/stop-request.ts';
import { countUnits, dropFilters, findUnfitFilters } from '../../messaging/subscriptions/stored-filters.ts';

/**
 * Returns the steps of a migration that concern filters. Before any change they check that all stored filters are in the language of
 * this release (docs/reference/filters.md). They name each one that is not and stop, or drop these filters if that was requested.
 * `tell` receives lines of output.
 */
export function filterSteps(
  filters: Filters,
  { isDropping, tell }: { isDropping: boolean; tell: (line: string) => void },
): Required<Pick<MigrateOptions, 'before' | 'after'>> {
  return {
    async before(session) {
      const unfit = await findUnfitFilters(session, filters);
      if (unfit.length === 0) return;
      if (isDropping) await dropFilters(session, unfit);
      for (const { subscriptionId, channelId, filter, reason } of unfit) {
        const what = isDropping ? 'Dropped the filter' : 'Cannot keep the filter';
        tell(`${what} of ${subscriptionId} (channel ${channelId}): ${reason}; it is ${JSON.stringify(filter)}`);
      }
      if (!isDropping)
        throw new Error(
          `${unfit.length} stored filters are not in the filter language of this release (docs/reference/filters.md); nothing was changed. Change them with the release that is running now, or add --drop-filters, which pauses each of these subscriptions until you give it another filter`,
        );
      tell('Each of these subscriptions now has the filter `false`, and was paused if it was active.');
      tell(
        'Give each a new filter, resume it, and replay what it has missed (docs/operate/upgrading.md, Filters after an upgrade).',
      );
    },
    after: (session) => countUnits(session, filters),
  };
}

/**
 * `posthorn migrate`: brings the database up to date and creates the environments, so that keys can be created. A signal rolls back the
 * current migration, and `migrate` rejects with a Stopped. Earlier migrations stay, and the next run continues from there.
 * `dropFilters` drops stored filters that are not in the language; without it they stop the run.
 */
export async function runMigrate(stop: StopRequest, { dropFilters }: { dropFilters: boolean }): Promise<void> {
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL must be set; `posthorn start` migrates its embedded PostgreSQL by itself');
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
