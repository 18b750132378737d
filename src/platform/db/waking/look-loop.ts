import type { Logger } from 'pino';

/** Looks again and again, at once when it is woken, until `stop`, which waits for the look under way. */
export type Looking = { wake(): void; stop(): Promise<void> };

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Ms until the next look. While `isDeaf` nothing wakes the loop before then: the look would find what this one has found. */
export type Rest = { ms: number; isDeaf?: boolean };

/** `what` waits while looks fail. */
export function startLooking({ log, what, look }: { log: Logger; what: string; look: () => Promise<Rest> }): Looking {
  let isStopping = false;
  let isWoken = false;
  let wakeUp = (): void => {};

  const rest = ({ ms, isDeaf = false }: Rest): Promise<void> =>
    new Promise((resolve) => {
      if (isStopping || (isWoken && !isDeaf)) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        if (isDeaf && !isStopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
  const tryToLook = (): Promise<Rest> =>
    look().catch((error: unknown) => {
      log.warn({ err: error }, `${what} wait for a moment; this worker looks again`);
      return { ms: PAUSE_AFTER_FAILURE_MS };
    });
  const run = async (): Promise<void> => {
    while (!isStopping) {
      isWoken = false;
      await rest(await tryToLook());
    }
  };

  const running = run();
  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    async stop() {
      isStopping = true;
      wakeUp();
      await running;
    },
  };
}
