const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

// The longest name of an IANA time zone has 30 characters.
const MAX_NAME_LENGTH = 64;

/**
 * The name of an IANA time zone in the case that the database of time zones has ("europe/berlin" is "Europe/Berlin"); undefined for any
 * other text. An offset such as "+02:00" is not a time zone: some versions of Node.js take it, and Temporal does not.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH || !/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** A time zone: its offset from UTC at an instant, and the instants of a wall-clock time. Times in ms since 1970. */
export type TimeZone = {
  /** ms to add to UTC. */
  offsetAt(instant: number): number;
  /**
   * The instants at which clocks show a wall-clock time (ms as if it were UTC), earliest first: two where an hour is repeated. One that
   * clocks leave out has the instant at which they would have shown it: an hour later on the new clock.
   */
  instantsOf(wall: number): number[];
};

const zones = new Map<string, TimeZone>();

/** `name`: of an IANA time zone; throws RangeError for any other. */
export function timeZoneOf(name: string): TimeZone {
  const known = zones.get(name) ?? createTimeZone(name);
  // There are some 600 names, each in any case.
  if (zones.size < 1_000) zones.set(name, known);
  return known;
}

function createTimeZone(timeZone: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  const offsetAt = (instant: number): number => {
    // "2027 GMT+01:00", and "2027 GMT" for UTC.
    const match = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(instant));
    const [, sign, hours = '0', minutes = '0'] = match ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  };
  return {
    offsetAt,
    instantsOf(wall) {
      // No offset is longer than 14 hours, and none changes twice within a day.
      const before = offsetAt(wall - 24 * HOUR_MS);
      const after = offsetAt(wall + 24 * HOUR_MS);
      const found = [...new Set([before, after])]
        .map((offset) => wall - offset)
        .filter((instant) => instant + offsetAt(instant) === wall)
        .toSorted((a, b) => a - b);
      return found.length > 0 ? found : [wall - before];
    },
  };
}
