/** Steps that undo a start, when something further on fails and at the end. */
export type Undo = {
  add(step: () => Promise<void>): void;
  /** Does all of them once, the last one first. */
  all: () => Promise<void>;
  /** Does `work`; if it fails, everything is undone before the failure is thrown on. */
  onFailure<T>(work: () => Promise<T>): Promise<T>;
};

export function createUndo(): Undo {
  const steps: (() => Promise<void>)[] = [];
  const all = async (): Promise<void> => {
    for (const step of steps.splice(0).reverse()) await step();
  };
  return {
    add: (step) => void steps.push(step),
    all,
    async onFailure(work) {
      try {
        return await work();
      } catch (failure) {
        await all();
        throw failure;
      }
    },
  };
}
