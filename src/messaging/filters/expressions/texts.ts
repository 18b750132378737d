import { BOUNDS } from './units.ts';

// V8's search can take as many steps as the product of both lengths. Up to this product it is fast enough.
const SEARCHED_AT_ONCE = 20_000;

/** Number of Unicode characters; a surrogate pair counts as one. */
export function sizeOfText(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) size -= 1;
  return size;
}

/**
 * Whether a string contains another, in time linear in the sum of their lengths: V8 takes 34 ms for 256 KiB and 1,800
 * repetitive characters. Throws an Error if `wanted` is too long.
 */
export function contains(text: string, wanted: string): boolean {
  requireLength('contains', wanted, BOUNDS.needle);
  if (wanted.length > text.length) return false;
  return text.length * wanted.length <= SEARCHED_AT_ONCE ? text.includes(wanted) : search(text, wanted);
}

/**
 * Knuth–Morris–Pratt search. `borders` says how much of what was found may still be a prefix if the next character
 * differs.
 */
function search(text: string, wanted: string): boolean {
  const borders = bordersOf(wanted);
  let found = 0;
  for (let at = 0; at < text.length; at += 1) {
    found = foundWith(text.charCodeAt(at), found, wanted, borders);
    if (found === wanted.length) return true;
  }
  return false;
}

function bordersOf(wanted: string): Uint16Array {
  const borders = new Uint16Array(wanted.length);
  let found = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    found = foundWith(wanted.charCodeAt(at), found, wanted, borders);
    borders[at] = found;
  }
  return borders;
}

/** Returns how much of `wanted` ends with this character, if `before` characters of it ended before. */
function foundWith(character: number, before: number, wanted: string, borders: Uint16Array): number {
  let found = before;
  while (found > 0 && wanted.charCodeAt(found) !== character) found = Number(borders[found - 1]);
  return wanted.charCodeAt(found) === character ? found + 1 : 0;
}

// One comparison: String.startsWith compares character by character and takes three to ten times as long.
export const startsWith = (text: string, beginning: string): boolean => text.slice(0, beginning.length) === beginning;
export const endsWith = (text: string, end: string): boolean =>
  text.length >= end.length && text.slice(text.length - end.length) === end;

export function requireLength(name: string, text: string, allowed: number): void {
  if (text.length > allowed) throw new Error(`${name} takes at most ${allowed} characters, not ${text.length}`);
}

// Date.UTC maps years below 100 to 1900 to 1999. The calendar repeats every 400 years, which always have the same
// number of days.
const CYCLE = { years: 400, ms: 146_097 * 86_400_000 };
const MINUTE_MS = 60_000;
const BEFORE_ZONE = 'YYYY-MM-DDTHH:MM:SS'.length;
const ZONE = 6;
const MAX_FRACTION = 9;

/**
 * Converts an RFC 3339 string, or seconds since 1970, to a time. JavaScript would accept strings without a zone, which
 * mean a different time in each process, and read 30 February as 2 March.
 */
export function toTimestamp(source: string | bigint | number): Date {
  const time = new Date(typeof source === 'string' ? parseTime(source) : Number(source) * 1_000);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Error('timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970');
}

/**
 * Returns ms since 1970, or NaN if the text is not an RFC 3339 time on an existing day. Reads by position, because a
 * pattern takes three times as long.
 */
function parseTime(text: string): number {
  const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
  const [hours, minutes, seconds] = [digitsAt(text, 11, 2), digitsAt(text, 14, 2), digitsAt(text, 17, 2)];
  const isShaped =
    text[4] === '-' &&
    text[7] === '-' &&
    (text[10] === 'T' || text[10] === 't') &&
    text[13] === ':' &&
    text[16] === ':';
  const zoneAt = text[BEFORE_ZONE] === '.' ? endOfDigits(text, BEFORE_ZONE + 1) : BEFORE_ZONE;
  const isFraction = zoneAt === BEFORE_ZONE || (zoneAt > BEFORE_ZONE + 1 && zoneAt - BEFORE_ZONE - 1 <= MAX_FRACTION);
  if (!isShaped || !isFraction || hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
  const midnight = Date.UTC(year + CYCLE.years, month - 1, day);
  const date = new Date(midnight);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Number.NaN;
  const fraction = Number(text.slice(BEFORE_ZONE + 1, Math.min(zoneAt, BEFORE_ZONE + 4)).padEnd(3, '0')) || 0;
  const inDay = (hours * 60 + minutes) * MINUTE_MS + seconds * 1_000 + (zoneAt === BEFORE_ZONE ? 0 : fraction);
  return midnight - CYCLE.ms + inDay - zoneMs(text, zoneAt);
}

/** Returns the offset of a zone from UTC in ms; NaN if the text is not a zone or continues after it. */
function zoneMs(text: string, at: number): number {
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : Number.NaN;
  const [hours, minutes] = [digitsAt(text, at + 1, 2), digitsAt(text, at + 4, 2)];
  const isZone = (sign === '+' || sign === '-') && text[at + 3] === ':' && text.length === at + ZONE;
  if (!isZone || hours > 23 || minutes > 59) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function digitsAt(text: string, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) return Number.NaN;
    number = number * 10 + code - 0x30;
  }
  return number;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (at - from <= MAX_FRACTION && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}
