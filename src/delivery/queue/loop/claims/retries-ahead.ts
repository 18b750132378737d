import type { Admission } from '../../../limits/admission.ts';
import type { FirstTries } from '../../../limits/first-tries.ts';
import type { Drain } from '../../drain/drain.ts';
import type { FairQueues } from '../../drain/fair-queues.ts';
import { type Claimed, held } from './claimed.ts';
import type { DueRows } from './due-rows.ts';

// Retries claimed ahead of their time, in all and of one subscription.
const AHEAD = { count: 40, perSubscription: 10 };
// Retries that the drain has of one subscription, shared by those that have any: it gives back what slow receivers will not take soon.
const DRAINED = { most: 20, least: 2, inAll: 100 };

type RetriesAhead = {
  /** Claims retries that are due soon, as far as there is room. False where none could be. */
  claim(): Promise<boolean>;
  /** Ids of those whose time has not come yet. */
  ids(): Iterable<string>;
  /** Retries that wait for their time stay claimed, and come into the queue no more. */
  stop(): void;
};

/**
 * Claims retries a little before they are due. When the time of one has come it goes into the queue `retries`, or to the drain where its
 * subscription has as many open Temporal workflows for retries as it may have. `mayDrain` says whether a drain would make them.
 */
export function createRetriesAhead({
  due,
  retries,
  drain,
  mayDrain,
  firstTries,
  admission,
  wake,
}: {
  due: Pick<DueRows, 'has' | 'claim'>;
  retries: FairQueues<Claimed>;
  drain: Pick<Drain, 'offer' | 'retries'>;
  mayDrain: () => boolean;
  firstTries: Pick<FirstTries, 'stuck'>;
  admission: Pick<Admission, 'learn'>;
  wake: () => void;
}): RetriesAhead {
  const timers = new Map<NodeJS.Timeout, string>();
  /** Subscriptions of which the drain has enough. First tries do not count: their backlog must not hold up retries. */
  const full = (): string[] => {
    const share = Math.floor(DRAINED.inAll / (drain.retries.size + 1));
    const most = Math.max(DRAINED.least, Math.min(DRAINED.most, share));
    return [...drain.retries].flatMap(([id, count]) => (count >= most ? [id] : []));
  };
  return {
    async claim() {
      if (!due.has('retry')) return false;
      const stuck = firstTries.stuck(retries);
      const room = AHEAD.count - retries.size() + stuck.held - timers.size;
      const except = [...stuck.ids, ...full()];
      if (room <= 0 || !due.has('retry', except)) return false;
      const claimed = await due.claim('retry', { ...AHEAD, count: room, except });
      admission.learn(claimed);
      for (const details of claimed) {
        const timer = setTimeout(() => {
          timers.delete(timer);
          // One that a worker had claimed when it died may have a Temporal workflow already, which sends it.
          if (details.isBeyondOpen === true && !details.isTakenOver && mayDrain())
            drain.offer(held(details), { isRetry: true });
          else retries.push(held(details));
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
