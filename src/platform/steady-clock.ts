/** Times in ms. `theirs` is another clock's time, read between `askedAt` and `answeredAt` of the monotonic clock. */
type Reading = { theirs: number; askedAt: number; answeredAt: number };

/** A time of day that follows another clock if the machine's own is wrong. */
export type SteadyClock = {
  now(): Date;
  /**
   * Compares the machine's clock with another one, which is taken to be right. Returns how many ms the machine is ahead (negative:
   * behind), or 0 while they agree to within a second.
   */
  compare(reading: Reading): number;
};

// Machines with a time service agree to within some ms. A slow reply, or a machine without time service, must not make times jump back
// and forth.
const TOLERATED_MS = 1_000;

/**
 * Follows the machine's clock as long as it agrees with the other one to within a second, otherwise the other one's time, continued by
 * the monotonic clock. A jump of the machine's clock is noticed at once, without a comparison. `wall` is the machine's time since the
 * epoch, `monotonic` a clock that is never set; both in ms.
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
