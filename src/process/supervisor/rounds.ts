/** Rounds of asking processes and waiting for all their answers. */
export type Rounds<P> = {
  /** Asks each by `say`, which passes on the round's number. Resolves when all have answered or died, after `patienceMs` at the latest. */
  ask(processes: readonly P[], patienceMs: number, say: (process: P, round: number) => void): Promise<void>;
  /** The answer of one. */
  hear(process: P, round: number): void;
  /** A process that has died answers no more. */
  leave(process: P): void;
};

export function createRounds<P>(): Rounds<P> {
  const open = new Map<number, { awaited: Set<P>; end(): void }>();
  let last = 0;

  const hear = (process: P, round: number): void => {
    const asked = open.get(round);
    if (asked === undefined) return;
    asked.awaited.delete(process);
    if (asked.awaited.size === 0) asked.end();
  };

  return {
    ask(processes, patienceMs, say) {
      if (processes.length === 0) return Promise.resolve();
      last += 1;
      const round = last;
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(patience);
          open.delete(round);
          resolve();
        };
        const patience = setTimeout(end, patienceMs);
        open.set(round, { awaited: new Set(processes), end });
        for (const process of processes) say(process, round);
      });
    },
    hear,
    leave(process) {
      for (const round of open.keys()) hear(process, round);
    },
  };
}
