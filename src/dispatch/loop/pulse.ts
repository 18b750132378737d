/** Wakes a loop: by work for it, or by the clock. */
export type Pulse = {
  /** Ends the nap under way, or the next one. */
  wake(): void;
  /** Call this before looking for work: no later wake is missed. */
  begin(): void;
  /** Rests until woken, at most until the next poll. */
  nap(): Promise<void>;
  /** Polls when its time has come, because a busy loop never naps. */
  pollByClock(): void;
};

/** `onPoll` is called each time the clock wakes the loop, at least every `everyMs`, busy or not. */
export function createPulse({ everyMs, onPoll }: { everyMs: number; onPoll: () => void }): Pulse {
  let wakeUp = (): void => {};
  let isWoken = false;
  let pollAt = 0;

  const poll = (): void => {
    pollAt = Date.now() + everyMs;
    onPoll();
  };
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
        const timer = setTimeout(() => {
          poll();
          resolve();
        }, everyMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    pollByClock() {
      if (Date.now() >= pollAt) poll();
    },
  };
}
