import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Looking, startLooking } from '../../platform/db/waking.ts';
import { mergeParts, removeOldFigures } from './merge-store.ts';

// Interval across all workers, so this is the maximum age of statistics.
const EVERY_MS = 5_000;
// Expired statistics are not read, so there is no hurry.
const REMOVE_EVERY_MS = 10 * 60_000;

type Merging = {
  pool: Pool;
  log: Logger;
  /** Milliseconds until this process's turn of a poll that the workers share, each `everyMs` in total. */
  lookInMs(everyMs: number): number;
};

/**
 * Merges the parts that publishing and recording write, and deletes expired statistics, until `stop`, which waits for
 * work in progress.
 */
export function startMerging({ pool, log, lookInMs }: Merging): Looking {
  let removeAt = 0;
  return startLooking({
    log,
    what: 'traffic statistics',
    async look() {
      if (await mergeParts(pool)) return { ms: 0 };
      if (performance.now() >= removeAt && !(await removeOldFigures(pool)))
        removeAt = performance.now() + REMOVE_EVERY_MS;
      return { ms: lookInMs(EVERY_MS) };
    },
  });
}
