import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { releaseMended } from '../../attempt/faults.ts';
import { forgetExpired } from '../recovery/forget-expired.ts';
import { createTakeOver, type Incarnation } from '../recovery/incarnation.ts';

// A fifth of a lease: rows of a dead worker wait for the end of the lease, and hardly longer.
const EVERY_MS = 2_000;
// Nobody reads expired rows, so there is no hurry. While there are many, every look removes some.
const FORGET_EVERY_MS = 60_000;

export type ChoresDependencies = {
  pool: Pool;
  log: Logger;
  /** Gives back deliveries that this process holds without knowing; returns their number. */
  giveBackForgotten: () => Promise<number>;
  lookInMs: Incarnation['lookInMs'];
  /** Chores of other parts of the worker, each for all workers. */
  chores: readonly (() => Promise<void>)[];
};

/**
 * Chores of a dispatcher. Each process gives back its forgotten claims. The workers take turns at the others: take over from dead
 * workers, release deliveries whose secret is mended, remove expired rows, and do the chores of other parts. `run` may be called as
 * often as you like; after `hurry` it waits for no turn. A busy loop asks `isHurried`.
 */
export function createChores({ pool, log, giveBackForgotten, lookInMs, chores }: ChoresDependencies): {
  run(): Promise<void>;
  hurry(): void;
  isHurried(): boolean;
} {
  const takeOver = createTakeOver(pool);
  let ownAt = 0;
  let sharedAt = 0;
  let forgetAt = 0;

  const doOwn = async (): Promise<void> => {
    ownAt = performance.now() + EVERY_MS;
    const forgotten = await giveBackForgotten();
    if (forgotten > 0)
      log.warn(
        { deliveries: forgotten },
        'released claims this worker did not know it held (a reply from PostgreSQL was lost); they are due again',
      );
  };
  const doShared = async (): Promise<void> => {
    sharedAt = performance.now() + lookInMs(EVERY_MS);
    const taken = await takeOver();
    if (taken > 0) log.info({ deliveries: taken }, 'took over the claims of a dead worker; they are due again');
    const mended = await releaseMended(pool);
    if (mended > 0)
      log.info({ deliveries: mended }, 'released deliveries that had waited for a signing secret; they are due again');
    if (performance.now() >= forgetAt && !(await forgetExpired(pool))) forgetAt = performance.now() + FORGET_EVERY_MS;
    for (const chore of chores) await chore();
  };

  return {
    async run() {
      if (performance.now() >= sharedAt) await doShared();
      if (performance.now() >= ownAt) await doOwn();
    },
    hurry() {
      sharedAt = 0;
    },
    isHurried: () => sharedAt === 0,
  };
}
