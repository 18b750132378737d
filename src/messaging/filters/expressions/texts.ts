import { BOUNDS } from './units.ts';

// The engine's own search can take as many steps as both lengths multiplied. Up to this product it is quick enough.
const SEARCHED_AT_ONCE = 20_000;

/** Unicode characters, of which a pair of surrogates is one. */
export function sizeOfText(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) size -= 1;
  return size;
}

/**
 * Whether a text holds another one, in time that grows with the sum of their lengths: V8 takes 34 ms for 256 KiB and 1,800 characters
 * that repeat each other. Throws an Error for too long a text to look for.
 */
export function contains(text: string, wanted: string): boolean {
  requireLength('contains', wanted, BOUNDS.needle);
  if (wanted.length > text.length) return false;
  return text.length * wanted.length <= SEARCHED_AT_ONCE ? text.includes(wanted) : search(text, wanted);
}

/** Knuth, Morris and Pratt: `borders` says how much of what was found may still be a beginning when the next character differs. */
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

/** How much of what is wanted ends with this character, when so much had ended before it. */
function foundWith(character: number, before: number, wanted: string, borders: Uint16Array): number {
  let found = before;
  while (found > 0 && wanted.charCodeAt(found) !== character) found = Number(borders[found - 1]);
  return wanted.charCodeAt(found) === character ? found + 1 : 0;
}

// One comparison: String.startsWith goes letter by letter and takes three to ten times as long.
export const startsWith = (text: string, beginning: string): boolean => text.slice(0, beginning.length) === beginning;
export const endsWith = (text: string, end: string): boolean =>
  text.length >= end.length && text.slice(text.length - end.length) === end;

export function requireLength(name: string, text: string, allowed: number): void {
  if (text.length > allowed) throw new Error(`${name} takes at most ${allowed} characters, not ${text.length}`);
}

// Date.UTC takes the years below 100 for those of 1900 to 1999. After 400 years, which always have as many days, the calendar
// begins again.
const CYCLE = { years: 400, ms: 146_097 * 86_400_000 };
const MINUTE_MS = 60_000;
const BEFORE_ZONE = 'YYYY-MM-DDTHH:MM:SS'.length;
const ZONE = 6;
const MAX_FRACTION = 9;

/**
 * RFC 3339 text, or seconds since 1970, as a time. JavaScript takes texts without a zone, which mean another time in each
 * process, and takes 30 February for the second of March.
 */
export function toTimestamp(source: string | bigint | number): Date {
  const time = new Date(typeof source === 'string' ? parseTime(source) : Number(source) * 1_000);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Error('timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970');
}

/** Ms since 1970; NaN for a text that is no RFC 3339 time of a day that exists. Reads by position: a pattern takes three times as long. */
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

/** How far a zone is ahead of UTC; NaN for a text that is no zone, or goes on behind it. */
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
