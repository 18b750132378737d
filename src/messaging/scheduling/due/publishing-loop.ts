import type { Logger } from 'pino';
import { isUnreachable } from '../../../platform/db/failures.ts';
import type { Rank } from '../../../kernel/rules/rank.ts';
import type { PublishDue } from './publish-due.ts';

// All workers together poll this often. A message scheduled less than one polling interval ahead may be this late; all
// others are known in time.
const POLL_MS = 500;
// Every worker wakes for a message that it knows of, each this many ms after the one before, up to the polling
// interval. Usually the first one publishes it and the others find it gone.
const BEHIND_MS = 50;
// Pause if a due message cannot be locked: another worker has it, which takes milliseconds, or its channel is being
// changed.
const LOOK_AGAIN = { soonMs: 5, forMs: 100, laterMs: 100 } as const;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** The processes that publish: the index of this one, and the ms until its turn of a poll that all share. */
type Workers = { rank(): Pick<Rank, 'at'>; lookInMs(everyMs: number): number };

/**
 * Publishes scheduled messages at their time, alongside the dispatcher, until `stop`, which waits for work in progress.
 * The loop wakes for the next batch. While much is due, it pauses after each batch for half as long as the batch took,
 * which leaves time for dispatching.
 */
export function startPublishingScheduled({
  publishDue,
  log,
  workers,
}: {
  publishDue: PublishDue;
  log: Logger;
  workers: Workers;
}): { stop(): Promise<void> } {
  let isStopping = false;
  let wakeUp = (): void => {};

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isStopping) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const look = async (): Promise<number> => {
    const startedAt = performance.now();
    try {
      const { isMore, nextInMs } = await publishDue();
      if (isMore) return (performance.now() - startedAt) / 2;
      const pollInMs = workers.lookInMs(POLL_MS);
      if (nextInMs === undefined) return pollInMs;
      if (nextInMs <= 0) return nextInMs > -LOOK_AGAIN.forMs ? LOOK_AGAIN.soonMs : LOOK_AGAIN.laterMs;
      // A timer that is a fraction of a millisecond early would find nothing due.
      return Math.min(Math.ceil(nextInMs) + 1 + Math.min(workers.rank().at * BEHIND_MS, POLL_MS), pollInMs);
    } catch (error) {
      log[isUnreachable(error) ? 'warn' : 'error'](
        { err: error },
        'could not publish scheduled messages; retrying in a second',
      );
      return PAUSE_AFTER_FAILURE_MS;
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopping) await rest(await look());
  };

  const running = run();
  return {
    async stop() {
      isStopping = true;
      wakeUp();
      await running;
    },
  };
}
