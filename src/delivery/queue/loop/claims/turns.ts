import type { ClaimResult, Turn } from '../../../record/statements/claim.ts';

/** A subscription that takes nothing before `notBefore`. */
type Known = Turn & { readonly notBefore: number };
const READY = { notBefore: 0 };

/**
 * Keeps the subscriptions that a claim of one lane asks for, in turns: a claim never looks at a subscription that is not known to
 * have a row. `now` in ms, from any origin.
 */
export function createTurns(now: () => number) {
  // The order is that of the turns: a served one goes to the end. An entry never changes. So a subscription that is reported anew
  // while a claim asks about it differs from the entry that was asked about.
  const known = new Map<string, Known>();
  // Subscriptions that take nothing until a notification: new rows of theirs are not asked about again and again.
  const closed = new Set<string>();
  const isReady = ({ notBefore }: Known): boolean => notBefore <= now();

  /** The next subscriptions that may have something now. */
  const next = (limit: number, except: readonly string[] = []): Turn[] => {
    const left = new Set(except);
    const turns: Turn[] = [];
    for (const turn of known.values()) {
      if (turns.length >= limit) break;
      if (isReady(turn) && !left.has(turn.id)) turns.push(turn);
    }
    return turns;
  };

  const earliest = (id: string, since: Date): Date => {
    const before = known.get(id);
    return before !== undefined && before.since < since ? before.since : since;
  };

  return {
    /** A row of this subscription was due at `since`, or will be soon. */
    see(id: string, since: Date): void {
      if (closed.has(id)) return;
      const { notBefore } = known.get(id) ?? READY;
      known.set(id, { id, since: earliest(id, since), notBefore });
    },

    /** The same, and it is asked about now, however long its rest was: it takes tries again, or may. */
    open(id: string, since: Date): void {
      closed.delete(id);
      known.set(id, { id, since: earliest(id, since), ...READY });
    },

    /** A subscription that takes nothing is asked again once a row of it is due: a notification may have been lost. */
    doubt(): void {
      closed.clear();
    },

    next,

    /** Whether it may have a row. */
    knows: (id: string): boolean => known.has(id),

    hasNext: (except?: readonly string[]): boolean => next(1, except).length > 0,

    /**
     * Learns from the result of a claim of `asked`, which took at most `perSubscription` of each and `count` in all. A subscription
     * that gave less than it was asked for has nothing more: it is forgotten until another row of it is due.
     */
    learn(asked: readonly Turn[], served: ClaimResult, limits: { count: number; perSubscription: number }): void {
      const total = [...served.claimed.values()].reduce((sum, { count }) => sum + count, 0);
      const lastServed = asked.findLastIndex(({ id }) => served.claimed.has(id));
      // Subscriptions behind the one that filled the claim were not asked.
      const reached = total >= limits.count ? asked.slice(0, lastServed + 1) : asked;
      for (const [index, turn] of reached.entries()) {
        if (known.get(turn.id) !== turn) continue;
        const taken = served.claimed.get(turn.id);
        const waitMs = served.waits.get(turn.id);
        const isCut = total >= limits.count && index === lastServed;
        const hasMore = taken !== undefined && (taken.isProbe || isCut || taken.count >= limits.perSubscription);
        known.delete(turn.id);
        const since = taken?.last ?? turn.since;
        if (waitMs === null) closed.add(turn.id);
        else if (waitMs !== undefined) known.set(turn.id, { id: turn.id, since, notBefore: now() + waitMs });
        else if (hasMore) known.set(turn.id, { id: turn.id, since, ...READY });
      }
    },
  };
}
