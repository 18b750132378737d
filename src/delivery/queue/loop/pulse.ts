/** Wakes a loop: by work for it, or by the clock. */
export type Pulse = {
  /** Ends the nap under way, or the next one. */
  wake(): void;
  /** Call this before looking for work: no later wake is missed. */
  begin(): void;
  /** Rests until woken, at most until this process's next poll. */
  nap(): Promise<void>;
  /** Polls when its time has come. To be called in every turn, because a busy loop never naps. */
  pollByClock(): void;
};

/**
 * Naps last at most `everyMs`. `onPoll` is called each time that the clock has come to this process's turn of the poll, which is
 * `pollInMs` away, busy or not.
 */
export function createPulse({
  everyMs,
  pollInMs,
  onPoll,
}: {
  everyMs: number;
  pollInMs: () => number;
  onPoll: () => void;
}): Pulse {
  let wakeUp = (): void => {};
  let isWoken = false;
  let pollAt = 0;

  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    begin() {
      isWoken = false;
    },
    nap: () =>
      new Promise((resolve) => {
        if (isWoken) return resolve();
        const timer = setTimeout(resolve, Math.min(everyMs, Math.max(1, pollAt - performance.now())));
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    pollByClock() {
      if (performance.now() < pollAt) return;
      pollAt = performance.now() + pollInMs();
      onPoll();
    },
  };
}
