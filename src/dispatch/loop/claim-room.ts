// First tries that one process holds at most: beyond it the next ones wait in PostgreSQL, for this process or another.
const HELD_AT_MOST = 10_000;

export type ClaimRoom = { room: number; except: string[] };

/**
 * How many more first tries a process may claim in a burst, and of which subscriptions none: of those that have their share of
 * `count` already, counted over all that have any. They take no room from the others, so however many of them wait for slow
 * receivers, there is room for the next subscription. `waiting`: what this process holds of each.
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
