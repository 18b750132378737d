/** Who has taken how much of a bound of the process, of which no owner may have more than a share. */
export type Shares = {
  /** Takes one of them. Otherwise says which bound is reached: the owner's own, or that of the process. */
  take(owner: string): 'taken' | 'own' | 'all';
  /** Gives one back that this owner has taken. */
  give(owner: string): void;
};

export function createShares({ inAll, ofOne }: { inAll: number; ofOne: number }): Shares {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return {
    take(owner) {
      const own = takenBy.get(owner) ?? 0;
      if (own >= ofOne) return 'own';
      if (taken >= inAll) return 'all';
      taken += 1;
      takenBy.set(owner, own + 1);
      return 'taken';
    },
    give(owner) {
      const rest = (takenBy.get(owner) ?? 1) - 1;
      taken -= 1;
      // An owner without any takes no memory.
      if (rest === 0) takenBy.delete(owner);
      else takenBy.set(owner, rest);
    },
  };
}
