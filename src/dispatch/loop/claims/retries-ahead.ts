import type { Admission } from '../../admission/admission.ts';
import type { FirstTries } from '../../admission/first-tries.ts';
import type { FairQueues } from '../../drain/fair-queues.ts';
import { type Claimed, held } from './claimed.ts';
import type { DueRows } from './due-rows.ts';

// Retries claimed ahead of their time, in all and of one subscription.
const AHEAD = { count: 40, perSubscription: 10 };

type RetriesAhead = {
  /** Claims retries that are due soon, as far as there is room. False where none could be. */
  claim(): Promise<boolean>;
  /** Ids of those whose time has not come yet. */
  ids(): Iterable<string>;
  /** Retries that wait for their time stay claimed, and come into the queue no more. */
  stop(): void;
};

/** Claims retries a little before they are due, and puts each into the queue `retries` when its time has come. */
export function createRetriesAhead({
  due,
  retries,
  firstTries,
  admission,
  wake,
}: {
  due: Pick<DueRows, 'has' | 'claim'>;
  retries: FairQueues<Claimed>;
  firstTries: Pick<FirstTries, 'stuck'>;
  admission: Pick<Admission, 'learn'>;
  wake: () => void;
}): RetriesAhead {
  const timers = new Map<NodeJS.Timeout, string>();
  return {
    async claim() {
      if (!due.has('retry')) return false;
      const stuck = firstTries.stuck(retries);
      const room = AHEAD.count - retries.size() + stuck.held - timers.size;
      if (room <= 0 || !due.has('retry', stuck.ids)) return false;
      const claimed = await due.claim('retry', { ...AHEAD, count: room, except: stuck.ids });
      admission.learn(claimed);
      for (const details of claimed) {
        const timer = setTimeout(() => {
          timers.delete(timer);
          retries.push(held(details));
          wake();
        }, details.dueInMs);
        timers.set(timer, details.id);
      }
      return true;
    },
    ids: () => timers.values(),
    stop() {
      for (const timer of timers.keys()) clearTimeout(timer);
    },
  };
}
