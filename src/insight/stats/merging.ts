import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Looking, startLooking } from '../../platform/db/waking.ts';
import { mergeParts, removeOldFigures } from './merge-store.ts';

// All workers together look this often, so figures are this old at most.
const EVERY_MS = 5_000;
// Nobody reads old figures, so there is no hurry.
const REMOVE_EVERY_MS = 10 * 60_000;

type Merging = {
  pool: Pool;
  log: Logger;
  /** Ms until this process's turn of a look that all make every so many ms. */
  lookInMs(everyMs: number): number;
};

/** Sums up the parts that publishing and recording leave, and removes old figures, until `stop`, which waits for the work under way. */
export function startMerging({ pool, log, lookInMs }: Merging): Looking {
  let removeAt = 0;
  return startLooking({
    log,
    what: 'figures of traffic',
    async look() {
      if (await mergeParts(pool)) return { ms: 0 };
      if (performance.now() >= removeAt && !(await removeOldFigures(pool)))
        removeAt = performance.now() + REMOVE_EVERY_MS;
      return { ms: lookInMs(EVERY_MS) };
    },
  });
}
