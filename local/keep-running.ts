import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningChild } from './child.ts';

export type KeptChild<T extends RunningChild> = {
  /** The child as it was started first; a restarted one has the same addresses. */
  readonly first: T;
  stop(): Promise<void>;
};

export type KeepRunningOptions<T extends RunningChild> = {
  /** Starts a child at the addresses of `previous`, where there is one, or throws. */
  start: (previous: T | undefined) => Promise<T>;
  onProgress: (line: string) => void;
  /** Called once when the child cannot be kept up. */
  onGivenUp: (reason: string) => void;
};

// Five deaths within a minute are no accident, and a sixth start would not change that.
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;
const RESTART_PAUSE_MS = 500;

/** Starts a child, and starts it again whenever it ends without being asked to. */
export async function keepRunning<T extends RunningChild>({
  start,
  onProgress,
  onGivenUp,
}: KeepRunningOptions<T>): Promise<KeptChild<T>> {
  const first = await start(undefined);
  let current = first;
  let isStopping = false;
  let restarts: number[] = [];
  const watch = async (): Promise<void> => {
    while (!isStopping) {
      const reason = await current.ended;
      // The flag becomes true while that line waits.
      if (isStopping) return;
      restarts = [...restarts.filter((at) => at > Date.now() - RESTART_WINDOW_MS), Date.now()];
      if (restarts.length > MAX_RESTARTS)
        throw new Error(`${reason}, for the ${restarts.length}th time within a minute`);
      onProgress(`${reason}; starting it again`);
      await sleep(RESTART_PAUSE_MS);
      if (!isStopping) current = await start(first);
    }
  };
  const watching = watch().catch((failure: unknown) => {
    if (!isStopping) onGivenUp(failure instanceof Error ? failure.message : String(failure));
  });
  return {
    first,
    async stop() {
      isStopping = true;
      await current.stop();
      // A restart that was under way has made another child meanwhile.
      await watching;
      await current.stop();
    },
  };
}
