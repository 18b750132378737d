export type Zone = 'utc' | 'local';

const two = (number: number): string => String(number).padStart(2, '0');

/**
 * Returns the parts of a time in a time zone. The local zone is written as its offset from UTC, which is unambiguous.
 */
export function partsOf(at: Date, zone: Zone): { date: string; time: string; name: string } {
  const shift = zone === 'utc' ? 0 : -at.getTimezoneOffset();
  const iso = new Date(at.getTime() + shift * 60_000).toISOString();
  const size = Math.abs(shift);
  const name = shift === 0 ? 'UTC' : `UTC${shift > 0 ? '+' : '−'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return { date: iso.slice(0, 10), time: iso.slice(11, 23), name };
}

/** Returns a time as a date field has it, in the user's time zone: `2026-01-31T12:00:00`. */
export const timeText = (at: string, zone: Zone): string => {
  const time = new Date(at);
  const shift = zone === 'utc' ? 0 : -time.getTimezoneOffset();
  return new Date(time.getTime() + shift * 60_000).toISOString().slice(0, 19);
};

/** Parses the value of a date field. Returns undefined while it is incomplete. */
export const timeOfText = (text: string, zone: Zone): string | undefined => {
  const at = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** Minutes by which clocks are put forward and back. */
const CLOCK_CHANGES = [30, 60, 120];

/**
 * Whether the text of a field means two times, or none, because clocks are put back or forward then. The browser picks
 * one, `at`.
 */
export const isAtClockChange = (text: string, at: string, zone: Zone): boolean =>
  !timeText(at, zone).startsWith(text) ||
  CLOCK_CHANGES.some((minutes) => {
    const later = new Date(new Date(at).getTime() + minutes * 60_000).toISOString();
    return timeText(later, zone) === timeText(at, zone);
  });
