// Kept in memory of a subscription however slow it is, less where many share what is kept of all, and beyond that what it takes in
// ten looks (5 s) at its present pace.
const KEPT = { most: 50, least: 2, inAll: 1_000 };
const LOOKS_KEPT = 10;
// Nothing more of a subscription is claimed while it has at least this part of what it may keep.
const FULL_PART = 0.5;

/**
 * Tells, look by look, how much of the queue of a slow or limited subscription is more than it will take soon. A
 * subscription is spared at the first look that finds it: its pace is not known yet.
 */
export function createSurplus() {
  const sent = new Map<string, number>();
  let seen: ReadonlySet<string> = new Set();
  let full: string[] = [];
  return {
    /** One request of that subscription has ended. */
    sent(subscriptionId: string): void {
      sent.set(subscriptionId, (sent.get(subscriptionId) ?? 0) + 1);
    },
    /** From the numbers that wait now: how many of each are too many. */
    look(counts: ReadonlyMap<string, number>): Map<string, number> {
      const surplus = new Map<string, number>();
      const share = Math.floor(KEPT.inAll / (counts.size + 1));
      const keptOfAny = Math.max(KEPT.least, Math.min(KEPT.most, share));
      full = [];
      for (const [subscriptionId, count] of counts) {
        if (!seen.has(subscriptionId)) continue;
        const kept = keptOfAny + (sent.get(subscriptionId) ?? 0) * LOOKS_KEPT;
        if (count > kept) surplus.set(subscriptionId, count - kept);
        if (count >= kept * FULL_PART) full.push(subscriptionId);
      }
      seen = new Set(counts.keys());
      sent.clear();
      return surplus;
    },
    /** Subscriptions that the last look has found to have enough. */
    full: (): string[] => full,
  };
}
