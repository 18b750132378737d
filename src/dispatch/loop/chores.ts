import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { releaseMended } from '../../deliveries/faults.ts';
import { forgetExpired } from '../recovery/forget-expired.ts';
import { createTakeOver } from '../recovery/incarnation.ts';

// A fifth of a lease: what a dead worker held waits no longer for being noticed than for the lease itself.
const EVERY_MS = 2_000;
// Nobody reads what has expired, so there is no hurry; while there is much of it, every look takes some.
const FORGET_EVERY_MS = 60_000;

export type ChoresDependencies = {
  pool: Pool;
  log: Logger;
  /** Gives back what this process holds without knowing; returns how many deliveries that were. */
  giveBackForgotten: () => Promise<number>;
  /** Those of other parts of the worker. */
  chores: readonly (() => Promise<void>)[];
};

/**
 * Chores of a dispatcher now and then: takes over from dead workers, gives back what it has forgotten, releases what has waited
 * for a secret that is mended, removes what has expired, and does the chores of others. Call it as often as you like.
 */
export function createChores({ pool, log, giveBackForgotten, chores }: ChoresDependencies): () => Promise<void> {
  const takeOver = createTakeOver(pool);
  let nextAt = 0;
  let forgetAt = 0;
  return async () => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + EVERY_MS;
    const taken = await takeOver();
    if (taken > 0) log.info({ deliveries: taken }, 'took over from a worker that died');
    const forgotten = await giveBackForgotten();
    if (forgotten > 0) log.warn({ deliveries: forgotten }, 'gave back what an answer of PostgreSQL had got lost of');
    const mended = await releaseMended(pool);
    if (mended > 0)
      log.info({ deliveries: mended }, 'released deliveries that had waited for a signing secret; they are due again');
    if (Date.now() >= forgetAt && !(await forgetExpired(pool))) forgetAt = Date.now() + FORGET_EVERY_MS;
    for (const chore of chores) await chore();
  };
}
