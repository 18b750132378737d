import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { releaseMended } from '../../deliveries/faults.ts';
import { forgetExpired } from '../recovery/forget-expired.ts';
import { createTakeOver } from '../recovery/incarnation.ts';

// A fifth of a lease: rows of a dead worker wait for the end of the lease, and hardly longer.
const EVERY_MS = 2_000;
// Nobody reads expired rows, so there is no hurry. While there are many, every look removes some.
const FORGET_EVERY_MS = 60_000;

export type ChoresDependencies = {
  pool: Pool;
  log: Logger;
  /** Gives back deliveries that this process holds without knowing; returns their number. */
  giveBackForgotten: () => Promise<number>;
  /** Chores of other parts of the worker. */
  chores: readonly (() => Promise<void>)[];
};

/**
 * Chores of a dispatcher: takes over from dead workers, gives back forgotten claims, releases deliveries whose secret is mended,
 * removes expired rows, and does the chores of other parts. `run` may be called as often as you like; after `hurry` it does not wait
 * for its time. A busy loop asks `isHurried`.
 */
export function createChores({ pool, log, giveBackForgotten, chores }: ChoresDependencies): {
  run(): Promise<void>;
  hurry(): void;
  isHurried(): boolean;
} {
  const takeOver = createTakeOver(pool);
  let nextAt = 0;
  let forgetAt = 0;
  const run = async (): Promise<void> => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + EVERY_MS;
    const taken = await takeOver();
    if (taken > 0) log.info({ deliveries: taken }, 'took over the claims of a dead worker; they are due again');
    const forgotten = await giveBackForgotten();
    if (forgotten > 0)
      log.warn(
        { deliveries: forgotten },
        'released claims this worker did not know it held (a reply from PostgreSQL was lost); they are due again',
      );
    const mended = await releaseMended(pool);
    if (mended > 0)
      log.info({ deliveries: mended }, 'released deliveries that had waited for a signing secret; they are due again');
    if (Date.now() >= forgetAt && !(await forgetExpired(pool))) forgetAt = Date.now() + FORGET_EVERY_MS;
    for (const chore of chores) await chore();
  };
  return {
    run,
    hurry() {
      nextAt = 0;
    },
    isHurried: () => nextAt === 0,
  };
}
