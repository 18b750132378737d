/** Whether the leases of all processes may have run out together, because nobody could renew any. */
export type Lapse = {
  /** The lease was renewed now, for the first time or again. */
  renewed(isFirst: boolean): void;
  /** Whether this process's own lease had run out and others have had no time to renew theirs since. */
  isRecent(): boolean;
};

/**
 * Watches over the own lease of a process: `lifeMs` after a renewal it has run out. While PostgreSQL is away nobody renews, and who
 * comes back first would find all others dead. They renew within `othersRenewWithinMs`.
 */
export function createLapse(
  { lifeMs, othersRenewWithinMs }: { lifeMs: number; othersRenewWithinMs: number },
  now: () => number = () => performance.now(),
): Lapse {
  let renewedAt = now();
  let until = Number.NEGATIVE_INFINITY;
  return {
    renewed(isFirst) {
      if (!isFirst && now() - renewedAt > lifeMs) until = now() + othersRenewWithinMs;
      renewedAt = now();
    },
    isRecent: () => now() < until,
  };
}
