const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

// The longest name of an IANA time zone has 30 characters.
const MAX_NAME_LENGTH = 64;

/**
 * Returns the canonical name of an IANA time zone ("europe/berlin" becomes "Europe/Berlin"); undefined for any other
 * text. An offset such as "+02:00" is not a time zone: some versions of Node.js accept it, but Temporal does not.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH || !/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Offsets of a zone from UTC around a date: `before`, and `after` from the instant `at` on. All in ms. */
type Offsets = { before: number; after: number; at: number };

/** A time zone. Instants are in ms since 1970, and so are wall-clock times, as if clocks showed UTC. */
export type TimeZone = {
  /** Milliseconds to add to UTC. */
  offsetAt(instant: number): number;
  /** Returns the offsets on a date, given by its midnight. */
  offsetsOf(date: number): Offsets;
};

const zones = new Map<string, TimeZone>();

/** `name` must be an IANA time zone; throws RangeError otherwise. */
export function timeZoneOf(name: string): TimeZone {
  const known = zones.get(name) ?? createTimeZone(name);
  // There are about 600 names, each in any capitalisation.
  if (zones.size < 1_000) zones.set(name, known);
  return known;
}

function createTimeZone(timeZone: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  const offsetAt = (instant: number): number => {
    // "2027 GMT+01:00", or "2027 GMT" for UTC.
    const match = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(instant));
    const [, sign, hours = '0', minutes = '0'] = match ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  };
  return {
    offsetAt,
    offsetsOf(date) {
      // No offset is longer than 14 hours, and none changes twice within three days.
      let [low, high] = [date - DAY_MS, date + 2 * DAY_MS];
      const [before, after] = [offsetAt(low), offsetAt(high)];
      if (before === after) return { before, after, at: Infinity };
      while (high - low > MINUTE_MS) {
        const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
        if (offsetAt(middle) === before) low = middle;
        else high = middle;
      }
      return { before, after, at: high };
    },
  };
}

/**
 * Returns the instants at which clocks show a wall-clock time, earliest first: two if the hour is repeated. A skipped
 * time has one instant, an hour later on the new clock.
 */
export function instantsOf(wall: number, { before, after, at }: Offsets): number[] {
  const early = wall - before;
  const late = wall - after;
  if (early < at) return late < at ? [early] : [early, late];
  return late < at ? [early] : [late];
}
