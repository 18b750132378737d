import type { Logger } from 'pino';
import { isUnreachable } from '../../../platform/db/failures.ts';
import type { Rank } from '../../../kernel/rules/rank.ts';
import type { PublishDue } from './publish-due.ts';

// All workers together look so often. A message scheduled for less than a worker's rest ahead may be this late; all others are known
// before their time.
const POLL_MS = 500;
// Every worker wakes for a message that it knows of, each so long (ms) behind the one before, up to the length of a poll. The first one
// publishes it as a rule, and the others find that it is gone.
const BEHIND_MS = 50;
// Rest when a due message cannot be had: another worker has it, which takes milliseconds, or its channel is being changed.
const LOOK_AGAIN = { soonMs: 5, forMs: 100, laterMs: 100 } as const;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** The processes that publish: the position of this one among them, and ms until its turn of a look that all make every so many ms. */
type Workers = { rank(): Pick<Rank, 'at'>; lookInMs(everyMs: number): number };

/**
 * Publishes scheduled messages at their time, beside the dispatcher, until `stop`, which waits for the work under way. The loop
 * wakes for the next batch. While much is due it rests after each batch half as long as that took, which leaves dispatching its
 * turns.
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
      log[isUnreachable(error) ? 'warn' : 'error']({ err: error }, 'scheduled messages wait for a moment');
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
