// Deliveries kept in memory for a slow subscription: this many, fewer where many share the memory, plus as many as it takes in ten
// looks (5 s) at its present pace.
const KEPT = { most: 50, least: 2, inAll: 1_000 };
const LOOKS_KEPT = 10;
// No more of a subscription is claimed while it holds at least this part of its share.
const FULL_PART = 0.5;

/**
 * Tells, look by look, how much of the queue of a slow or limited subscription is more than it will take soon. The first look that
 * finds a subscription spares it, because its pace is not known yet.
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
    /** Number of surplus deliveries of each, from the numbers that wait now. */
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
    /** Subscriptions with enough in memory, by the last look. */
    full: (): string[] => full,
  };
}
