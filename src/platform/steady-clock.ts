/** Times in ms. `theirs` is another clock's time, read at some instant between `askedAt` and `answeredAt` of the monotonic one. */
type Reading = { theirs: number; askedAt: number; answeredAt: number };

/** A time of day that follows another clock where the machine's own is wrong. */
export type SteadyClock = {
  now(): Date;
  /**
   * Compares the machine's clock with another one, which is right. Returns how many ms the machine is ahead of it (negative: behind), and
   * 0 while they agree to a second.
   */
  compare(reading: Reading): number;
};

// Machines with a time service agree to some ms. A slow answer, and a machine without one, must not make times jump to and fro.
const TOLERATED_MS = 1_000;

/**
 * The machine's clock as long as it agrees with the other one to a second, otherwise the other one's time, carried on by the monotonic
 * clock. A jump of the machine's clock is seen at once, without a question. `wall` is the machine's time since the epoch, `monotonic` a
 * clock that nobody sets; both in ms.
 */
export function createSteadyClock({
  wall = Date.now,
  monotonic = () => performance.now(),
}: {
  wall?: () => number;
  monotonic?: () => number;
} = {}): SteadyClock {
  /** The difference between the machine's clock and the monotonic one, as of the last comparison. */
  let basis = wall() - monotonic();
  let correction = 0;

  return {
    now() {
      const machine = wall();
      const jumped = machine - monotonic() - basis;
      return new Date(machine + correction - (Math.abs(jumped) > TOLERATED_MS ? jumped : 0));
    },
    compare({ theirs, askedAt, answeredAt }) {
      const at = monotonic();
      const machine = wall();
      basis = machine - at;
      const [earliest, latest] = [theirs + at - answeredAt, theirs + at - askedAt];
      const apart = machine - Math.min(latest, Math.max(earliest, machine));
      const isApart = Math.abs(apart) > TOLERATED_MS;
      correction = isApart ? (earliest + latest) / 2 - machine : 0;
      return isApart ? Math.round(apart) : 0;
    },
  };
}
