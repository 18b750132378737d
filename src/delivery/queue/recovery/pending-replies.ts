/**
 * Statements of this process that change which deliveries it holds, and whose replies it has not dealt with yet: claims, publishes
 * that claim, releases. While one is pending, PostgreSQL and the process may disagree about who holds a delivery without anything being
 * lost.
 */
export type PendingReplies = {
  /** Runs a statement, or a transaction. It is pending until the end of the turn of the event loop that brings its result. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Marks this moment. The returned function says whether everything that was pending then has ended since. */
  mark(): () => boolean;
};

export function createPendingReplies(): PendingReplies {
  const pending = new Set<object>();
  return {
    async during(work) {
      const reply = {};
      pending.add(reply);
      try {
        return await work();
      } finally {
        // Whoever awaits the result takes the claims over in microtasks of this turn.
        setImmediate(() => pending.delete(reply));
      }
    },
    mark() {
      const before = [...pending];
      return () => !before.some((reply) => pending.has(reply));
    },
  };
}
