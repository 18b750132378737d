import type { MigrateOptions } from '../../../platform/db/migrations/migrate.ts';
import type { Filters } from '../../../messaging/filters/filters.ts';
import { countUnits, dropFilters, findUnfitFilters } from '../../../messaging/subscriptions/stored-filters.ts';

/**
 * The part of migrating that looks at filters: before any change it checks that all stored ones are in the language of this release
 * (docs/filters.md). The run names each other one and stops, or drops them where that was asked for. `tell` takes lines.
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
          `${unfit.length} stored filters are outside the language of this release (docs/filters.md); nothing was changed. Change them with the release that runs now, or add --drop-filters: each of these subscriptions is then paused and gets nothing until it has another filter`,
        );
      tell('Each of these subscriptions has the filter `false` now, and was paused if it was active.');
      tell('Give it a filter, resume it, and replay what it has missed (docs/operations.md, Filters after an update).');
    },
    after: (session) => countUnits(session, filters),
  };
}
