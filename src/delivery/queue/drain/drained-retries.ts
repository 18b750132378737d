import { addTo } from './counts.ts';

export type DrainedRetries = {
  enter(id: string, subscriptionId: string): void;
  /** Forgets a delivery that the drain holds no more. A first try was never among them. */
  leave(id: string): void;
  /** Number of retries of each subscription. */
  counts: ReadonlyMap<string, number>;
};

/**
 * The retries among the deliveries of a drain, counted as they come and go. The count is asked with each publish: a drain that looked
 * through its backlog for it spent more time on that than on its tries.
 */
export function createDrainedRetries(): DrainedRetries {
  const subscriptions = new Map<string, string>();
  const counts = new Map<string, number>();
  const leave = (id: string): void => {
    const subscriptionId = subscriptions.get(id);
    if (subscriptionId === undefined) return;
    subscriptions.delete(id);
    addTo(counts, subscriptionId, -1);
  };
  return {
    enter(id, subscriptionId) {
      // One that is offered again while its last result is being recorded is one retry.
      leave(id);
      subscriptions.set(id, subscriptionId);
      addTo(counts, subscriptionId, 1);
    },
    leave,
    counts,
  };
}
