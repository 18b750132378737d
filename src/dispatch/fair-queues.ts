/** First-in first-out per subscription, served in turns, so that a long queue never stands before a short one. */
export type FairQueues<T extends { subscriptionId: string }> = {
  push(item: T): void;
  size(): number;
  sizeOf(subscriptionId: string): number;
  /** Adds the length of every queue to `counts`. */
  countInto(counts: Map<string, number>): void;
  /**
   * Takes items in turns, one of each subscription per turn, while `mayTake` says yes for its next item. A subscription
   * whose item is refused is passed over for the rest of this call.
   */
  take(limit: number, mayTake: (item: T) => boolean): T[];
  /** The next item of every subscription. */
  heads(): T[];
  /** Removes the last `count` items of a subscription, and returns them. */
  trim(subscriptionId: string, count: number): T[];
};

export function createFairQueues<T extends { subscriptionId: string }>(): FairQueues<T> {
  // The order of the keys is the order of the turns: who was served goes to the end.
  const queues = new Map<string, { items: T[]; head: number }>();
  let size = 0;

  const shift = (subscriptionId: string, queue: { items: T[]; head: number }): void => {
    queue.head += 1;
    size -= 1;
    queues.delete(subscriptionId);
    if (queue.head < queue.items.length) queues.set(subscriptionId, queue);
    // Shifting an array of thousands costs a copy each time; the used part is cut off now and then instead.
    if (queue.head > 1_000) {
      queue.items.splice(0, queue.head);
      queue.head = 0;
    }
  };

  return {
    push(item) {
      const queue = queues.get(item.subscriptionId);
      if (queue === undefined) queues.set(item.subscriptionId, { items: [item], head: 0 });
      else queue.items.push(item);
      size += 1;
    },
    size: () => size,
    sizeOf(subscriptionId) {
      const queue = queues.get(subscriptionId);
      return queue === undefined ? 0 : queue.items.length - queue.head;
    },
    countInto(counts) {
      for (const [subscriptionId, { items, head }] of queues) {
        counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + items.length - head);
      }
    },
    take(limit, mayTake) {
      const taken: T[] = [];
      let waiting = [...queues.keys()];
      while (taken.length < limit && waiting.length > 0) {
        const served: string[] = [];
        for (const subscriptionId of waiting) {
          const queue = queues.get(subscriptionId);
          const item = queue?.items[queue.head];
          if (queue === undefined || item === undefined || taken.length >= limit || !mayTake(item)) continue;
          shift(subscriptionId, queue);
          taken.push(item);
          served.push(subscriptionId);
        }
        waiting = served;
      }
      return taken;
    },
    heads: () => [...queues.values()].map(({ items, head }) => items[head]).filter((item) => item !== undefined),
    trim(subscriptionId, count) {
      const queue = queues.get(subscriptionId);
      if (queue === undefined || count <= 0) return [];
      const removed = queue.items.splice(Math.max(queue.head, queue.items.length - count));
      size -= removed.length;
      if (queue.head >= queue.items.length) queues.delete(subscriptionId);
      return removed;
    },
  };
}
