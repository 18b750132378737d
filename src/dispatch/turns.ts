import type { Served, Turn } from '../deliveries/statements/claim.ts';

// Between questions whether something has ended, ms, each twice as long as the one before: quick tries end within some ms, and
// those of a dead endpoint within seconds.
const SOON = { first: 50, longest: 1_000 };

/** `inVain`: how often it was asked and had to wait, since it last gave something. */
type Known = Turn & { readonly notBefore: number; readonly inVain: number };
const READY = { notBefore: 0, inVain: 0 };

/**
 * Keeps whose deliveries a claim of one lane asks for, in turns: a claim never looks at a subscription that is not known to
 * have any. `now` in ms, from any origin.
 */
export function createTurns(now: () => number) {
  // The order is that of the turns: who was served goes to the end. An entry never changes, so that one that has been told
  // of anew while a claim asked about it is told apart from the one that was asked about.
  const known = new Map<string, Known>();
  // Who takes nothing until somebody tells: what comes for them meanwhile is not asked about again and again.
  const closed = new Set<string>();
  const isReady = ({ notBefore }: Known): boolean => notBefore <= now();

  /** The next ones that may have something now. */
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
  const wait = (ms: number, inVain: number): number =>
    ms > 0 ? ms : Math.min(SOON.longest, SOON.first * 2 ** Math.min(inVain, 10));

  return {
    /** Something of this subscription was due at `since`, or is soon. */
    see(id: string, since: Date): void {
      if (closed.has(id)) return;
      const { notBefore, inVain } = known.get(id) ?? READY;
      known.set(id, { id, since: earliest(id, since), notBefore, inVain });
    },

    /** The same, and it is asked about now, however long it was to wait: it takes tries again, or may. */
    open(id: string, since: Date): void {
      closed.delete(id);
      known.set(id, { id, since: earliest(id, since), ...READY });
    },

    /** Who takes nothing is asked again once something of it is due: it may have been told of, and the news lost. */
    doubt(): void {
      closed.clear();
    },

    next,

    hasNext: (except?: readonly string[]): boolean => next(1, except).length > 0,

    /**
     * Takes over what a claim of `asked` brought, which took at most `perSubscription` of each and `count` in all. Who gave
     * less than it was asked for has nothing more: it is forgotten until something of it is due again.
     */
    settle(asked: readonly Turn[], served: Served, limits: { count: number; perSubscription: number }): void {
      const total = [...served.claimed.values()].reduce((sum, { count }) => sum + count, 0);
      const lastServed = asked.findLastIndex(({ id }) => served.claimed.has(id));
      // Behind the one that filled the claim nobody was asked.
      const reached = total >= limits.count ? asked.slice(0, lastServed + 1) : asked;
      for (const [index, turn] of reached.entries()) {
        if (known.get(turn.id) !== turn) continue;
        const taken = served.claimed.get(turn.id);
        const waitMs = served.waits.get(turn.id);
        const isCut = total >= limits.count && index === lastServed;
        const hasMore = taken !== undefined && (taken.isProbe || isCut || taken.count >= limits.perSubscription);
        const { inVain } = known.get(turn.id) ?? READY;
        known.delete(turn.id);
        const since = taken?.last ?? turn.since;
        if (waitMs === null) closed.add(turn.id);
        else if (waitMs !== undefined)
          known.set(turn.id, { id: turn.id, since, notBefore: now() + wait(waitMs, inVain), inVain: inVain + 1 });
        else if (hasMore) known.set(turn.id, { id: turn.id, since, ...READY });
      }
    },
  };
}
