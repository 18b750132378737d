/** Questions to several processes, each open until all have replied. */
export type Questions<P> = {
  /**
   * Asks each process with `say`, which passes on the question's number. Resolves with those that have replied, once all have replied
   * or died, but within `patienceMs`.
   */
  ask(
    processes: readonly P[],
    patienceMs: number,
    say: (process: P, question: number) => void,
  ): Promise<ReadonlySet<P>>;
  /** Records the reply of one process. */
  hear(process: P, question: number): void;
  /** Removes a process that has died. */
  leave(process: P): void;
};

export function createQuestions<P>(): Questions<P> {
  const open = new Map<number, { awaited: Set<P>; answered: Set<P>; end(): void }>();
  let last = 0;

  const close = (process: P, question: number, hasAnswered: boolean): void => {
    const asked = open.get(question);
    if (asked === undefined) return;
    if (asked.awaited.delete(process) && hasAnswered) asked.answered.add(process);
    if (asked.awaited.size === 0) asked.end();
  };

  return {
    ask(processes, patienceMs, say) {
      if (processes.length === 0) return Promise.resolve(new Set());
      last += 1;
      const question = last;
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(patience);
          open.delete(question);
          resolve(answered);
        };
        const answered = new Set<P>();
        const patience = setTimeout(end, patienceMs);
        open.set(question, { awaited: new Set(processes), answered, end });
        for (const process of processes) say(process, question);
      });
    },
    hear: (process, question) => close(process, question, true),
    leave(process) {
      for (const question of open.keys()) close(process, question, false);
    },
  };
}
