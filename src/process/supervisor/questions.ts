/** Rounds of asking processes and waiting for all their answers. */
export type Rounds<P> = {
  /**
   * Asks each by `say`, which passes on the round's number. Resolves when all have answered or died, after `patienceMs` at the latest, with
   * those that have answered.
   */
  ask(processes: readonly P[], patienceMs: number, say: (process: P, round: number) => void): Promise<ReadonlySet<P>>;
  /** The answer of one. */
  hear(process: P, round: number): void;
  /** A process that has died answers no more. */
  leave(process: P): void;
};

export function createRounds<P>(): Rounds<P> {
  const open = new Map<number, { awaited: Set<P>; answered: Set<P>; end(): void }>();
  let last = 0;

  const settle = (process: P, round: number, hasAnswered: boolean): void => {
    const asked = open.get(round);
    if (asked === undefined) return;
    if (asked.awaited.delete(process) && hasAnswered) asked.answered.add(process);
    if (asked.awaited.size === 0) asked.end();
  };

  return {
    ask(processes, patienceMs, say) {
      if (processes.length === 0) return Promise.resolve(new Set());
      last += 1;
      const round = last;
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(patience);
          open.delete(round);
          resolve(answered);
        };
        const answered = new Set<P>();
        const patience = setTimeout(end, patienceMs);
        open.set(round, { awaited: new Set(processes), answered, end });
        for (const process of processes) say(process, round);
      });
    },
    hear: (process, round) => settle(process, round, true),
    leave(process) {
      for (const round of open.keys()) settle(process, round, false);
    },
  };
}
