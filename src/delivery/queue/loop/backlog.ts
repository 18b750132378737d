/** DELIVERY_BURST_THRESHOLD: first tries due of one subscription, five times as many in all; never; always. */
export type BurstThreshold = number | 'off';

// All subscriptions together may have this many times the queue of one before they are drained.
const IN_ALL = 5;
// A burst is over when both the waiting tries and the arrivals of the last second are below this part of the threshold. The queue
// alone is not enough: a drain empties it at once, and a flow of thousands a second would flutter between the two ways.
const CALM_PART = 0.5;
const SECOND_MS = 1_000;

type Counts = ReadonlyMap<string, number>;

/** Decides which first tries are drained, by the waiting tries of one subscription and of all, with a gap between on and off. */
export type BurstDetector = {
  /** A first try has come to this process. */
  arrive(subscriptionId: string): void;
  /** A first try could not begin its own Temporal workflow in time: a burst has begun if more came in a second than the threshold. */
  late(subscriptionId: string): void;
  /** Takes a new count of due tries: held in memory, and waiting unclaimed. */
  see(counts: Counts): void;
  isDrained(subscriptionId: string): boolean;
  /** Whether anything is drained at this moment. */
  isBurst(): boolean;
};

const fixed = (isAlways: boolean): BurstDetector => ({
  arrive: () => {},
  late: () => {},
  see: () => {},
  isDrained: () => isAlways,
  isBurst: () => isAlways,
});

/** `now` in ms, from any origin. */
export function createBurstDetector(threshold: BurstThreshold, now: () => number): BurstDetector {
  if (threshold === 'off') return fixed(false);
  if (threshold === 0) return fixed(true);
  const drained = new Set<string>();
  let isGeneral = false;
  let current = new Map<string, number>();
  let previous: Counts = current;
  let secondEndsAt = now() + SECOND_MS;

  const turnSecond = (): void => {
    if (now() < secondEndsAt) return;
    previous = now() < secondEndsAt + SECOND_MS ? current : new Map();
    current = new Map();
    secondEndsAt = now() + SECOND_MS;
  };
  const total = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
  const recent = (subscriptionId: string): number =>
    Math.max(current.get(subscriptionId) ?? 0, previous.get(subscriptionId) ?? 0);

  return {
    arrive(subscriptionId) {
      turnSecond();
      current.set(subscriptionId, (current.get(subscriptionId) ?? 0) + 1);
    },
    late(subscriptionId) {
      // The queue alone would not tell: a drain that makes the late ones keeps it short.
      if (recent(subscriptionId) > threshold) drained.add(subscriptionId);
      if (Math.max(total(current), total(previous)) > threshold * IN_ALL) isGeneral = true;
    },
    see(counts) {
      turnSecond();
      for (const [subscriptionId, count] of counts) if (count > threshold) drained.add(subscriptionId);
      const calm = threshold * CALM_PART;
      for (const subscriptionId of drained) {
        if (Math.max(counts.get(subscriptionId) ?? 0, recent(subscriptionId)) <= calm) drained.delete(subscriptionId);
      }
      const waiting = total(counts);
      isGeneral = isGeneral
        ? Math.max(waiting, total(current), total(previous)) > calm * IN_ALL
        : waiting > threshold * IN_ALL;
    },
    isDrained: (subscriptionId) => isGeneral || drained.has(subscriptionId),
    isBurst: () => isGeneral || drained.size > 0,
  };
}
