/** A body of this many bytes takes turns with others. Reading a smaller one costs 2 ms at most. */
export const COSTLY_BYTES = 32 * 1024;
/** Bytes for which the event loop is left to other requests for 1 ms afterwards: a body of 5 MiB is read in 50 to 150 ms. */
const BYTES_PER_PAUSED_MS = 128 * 1024;

/** Takes a costly piece of work in its turn: one at a time in this process. */
export type ParsingTurns = {
  /** Runs `work` when it is the turn of `owner`, and gives what it returns or throws. */
  take<T>(owner: string, bytes: number, work: () => Promise<T>): Promise<T>;
};

/**
 * Lets costly bodies be read one after the other, so that twenty that arrive together do not keep the event loop for two seconds.
 * Owners take turns, each with its oldest body: one who sends many waits for their own. After each body the event loop is free for
 * other requests for a time in proportion to its size.
 */
export function createParsingTurns(): ParsingTurns {
  /** Work by its owner; the owner that comes first is the next one. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [owner, [work, ...later]] = next;
      waiting.delete(owner);
      if (later.length > 0) waiting.set(owner, later);
      await work?.();
    }
    isRunning = false;
  };

  return {
    take: (owner, bytes, work) =>
      new Promise((resolve, reject) => {
        const turn = async (): Promise<void> => {
          // What another request has ready is done first: bodies that arrive together are handed over in one turn of the event loop.
          await new Promise((next) => setImmediate(next));
          await work().then(resolve, reject);
          await new Promise((next) => setTimeout(next, Math.ceil(bytes / BYTES_PER_PAUSED_MS)));
        };
        waiting.set(owner, [...(waiting.get(owner) ?? []), turn]);
        if (!isRunning) void run();
      }),
  };
}
