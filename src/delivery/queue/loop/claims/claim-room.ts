/** Size of a claim: small in calm, because each row is started before the next claim; in a burst what the drain sends at once. */
export const CLAIM = {
  calm: { count: 6, perSubscription: 2 },
  burst: { count: 1_000, perSubscription: 300 },
};

// Most first tries that one process holds. More of them wait in PostgreSQL, for this process or another.
const HELD_AT_MOST = 10_000;

export type ClaimRoom = { room: number; except: string[] };

/**
 * How many more first tries a process may claim in a burst, and which subscriptions are left out: those that hold their share of
 * `count`, counted over all that hold any. They take no room, so the next subscription finds some, however many wait for slow
 * receivers. `waiting`: the number that this process holds of each.
 */
export function claimRoom(
  waiting: ReadonlyMap<string, number>,
  { count, full }: { count: number; full: readonly string[] },
): ClaimRoom {
  const share = count / (waiting.size + 1);
  const except = new Set(full);
  let [inAll, counted] = [0, 0];
  for (const [subscriptionId, held] of waiting) {
    inAll += held;
    if (held >= share) except.add(subscriptionId);
    if (!except.has(subscriptionId)) counted += held;
  }
  return { room: Math.min(count - counted, HELD_AT_MOST - inAll), except: [...except] };
}
