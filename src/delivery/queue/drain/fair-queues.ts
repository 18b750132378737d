import type { NewDelivery } from '../../../messaging/publishing/hand-over.ts';

/** A turn's owner. The channel takes turns first: a message to thousands of subscriptions is one channel's. */
export type Queued = { channelId: string; subscriptionId: string };
/** A delivery this process holds, waiting for its try. */
export type QueuedDelivery = Pick<NewDelivery, 'id' | 'channelId' | 'subscriptionId' | 'isLastChance'>;

/**
 * First-in first-out per subscription. Channels take turns first, and within each its subscriptions, so neither a long queue nor a
 * broadcast stands before a short one.
 */
export type FairQueues<T extends Queued> = {
  push(item: T): void;
  size(): number;
  /** Number of subscriptions with a queue. */
  subscriptions(): number;
  sizeOf(subscriptionId: string): number;
  /** Adds the length of every queue to `counts`. */
  countInto(counts: Map<string, number>): void;
  /**
   * Takes items by turns while `mayTake` says yes for the next item of a subscription. A subscription whose item is refused is
   * passed over for the rest of this call.
   */
  take(limit: number, mayTake: (item: T) => boolean): T[];
  /** The next item of every subscription. */
  heads(): T[];
  /** Every item, in no particular order. */
  all(): T[];
  /** Removes the last `count` items of a subscription, and returns them. */
  trim(subscriptionId: string, count: number): T[];
};

type Queue<T> = { channelId: string; items: T[]; head: number };

export function createFairQueues<T extends Queued>(): FairQueues<T> {
  const queues = new Map<string, Queue<T>>();
  // The order of both maps is the order of the turns: a served one goes to the end.
  const channels = new Map<string, Set<string>>();
  let size = 0;

  const leaveTurns = (channelId: string, subscriptionId: string): void => {
    const subscriptions = channels.get(channelId);
    subscriptions?.delete(subscriptionId);
    if (subscriptions?.size === 0) channels.delete(channelId);
  };

  const shift = (subscriptionId: string, queue: Queue<T>): void => {
    queue.head += 1;
    size -= 1;
    const subscriptions = channels.get(queue.channelId);
    leaveTurns(queue.channelId, subscriptionId);
    if (queue.head === queue.items.length) queues.delete(subscriptionId);
    else subscriptions?.add(subscriptionId);
    if (subscriptions !== undefined && subscriptions.size > 0) {
      channels.delete(queue.channelId);
      channels.set(queue.channelId, subscriptions);
    }
    // Shifting an array of thousands costs a copy each time, so the used part is cut off now and then.
    if (queue.head > 1_000) {
      queue.items.splice(0, queue.head);
      queue.head = 0;
    }
  };

  /** The next item of a channel in each call, until all its subscriptions are empty or refused. */
  const turnsOf = (subscriptions: ReadonlySet<string>, mayTake: (item: T) => boolean): (() => T | undefined) => {
    let waiting = [...subscriptions];
    let served: string[] = [];
    let next = 0;
    return () => {
      for (;;) {
        if (next === waiting.length) {
          if (served.length === 0) return undefined;
          [waiting, served, next] = [served, [], 0];
        }
        const subscriptionId = waiting[next] ?? '';
        next += 1;
        const queue = queues.get(subscriptionId);
        const item = queue?.items[queue.head];
        if (queue === undefined || item === undefined || !mayTake(item)) continue;
        shift(subscriptionId, queue);
        served.push(subscriptionId);
        return item;
      }
    };
  };

  return {
    push(item) {
      const { channelId, subscriptionId } = item;
      const queue = queues.get(subscriptionId);
      if (queue === undefined) {
        queues.set(subscriptionId, { channelId, items: [item], head: 0 });
        const subscriptions = channels.get(channelId);
        if (subscriptions === undefined) channels.set(channelId, new Set([subscriptionId]));
        else subscriptions.add(subscriptionId);
      } else queue.items.push(item);
      size += 1;
    },
    size: () => size,
    subscriptions: () => queues.size,
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
      let turns = [...channels.values()].map((subscriptions) => turnsOf(subscriptions, mayTake));
      while (taken.length < limit && turns.length > 0) {
        const going: typeof turns = [];
        for (const turn of turns) {
          const item = taken.length < limit ? turn() : undefined;
          if (item === undefined) continue;
          taken.push(item);
          going.push(turn);
        }
        turns = going;
      }
      return taken;
    },
    all: () => [...queues.values()].flatMap(({ items, head }) => items.slice(head)),
    heads: () => [...queues.values()].map(({ items, head }) => items[head]).filter((item) => item !== undefined),
    trim(subscriptionId, count) {
      const queue = queues.get(subscriptionId);
      if (queue === undefined || count <= 0) return [];
      const removed = queue.items.splice(Math.max(queue.head, queue.items.length - count));
      size -= removed.length;
      if (queue.head >= queue.items.length) {
        queues.delete(subscriptionId);
        leaveTurns(queue.channelId, subscriptionId);
      }
      return removed;
    },
  };
}
