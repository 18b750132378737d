import { isAscii } from 'node:buffer';

/** Bytes of a body that are read before the connection is given up, and bytes of it that are kept as text. */
export const BODY_BOUNDS = { read: 65_536, kept: 16_384 } as const;

/** Largest total of kept header names and values, in characters. */
const MAX_HEADER_CHARACTERS = 16_384;

/** UTF-8 of at most 16 KiB that ends on a whole character. `stream` keeps back the beginning of a cut one. */
function decode(bytes: Buffer): string {
  const isCut = bytes.length > BODY_BOUNDS.kept;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, BODY_BOUNDS.kept), { stream: isCut });
}

/**
 * The kept part of a body as text: at most 16 KiB of UTF-8, with U+FFFD for invalid bytes and for NUL, which PostgreSQL does not
 * store. Any bytes are taken as UTF-8, whatever content-type or content-encoding say.
 */
export function bodyText(bytes: Buffer): string {
  // Most answers: a decoder costs more than the rest of the reading.
  if (bytes.length <= BODY_BOUNDS.kept && isAscii(bytes) && !bytes.includes(0)) return bytes.toString('latin1');
  const text = decode(bytes).replaceAll('\0', '\uFFFD');
  // A replacement takes three bytes where one was: 16 KiB of rubbish would be kept as 48.
  return Buffer.byteLength(text) > BODY_BOUNDS.kept ? decode(Buffer.from(text)) : text;
}

/** Control characters except the tab: NUL and the like would break the record or a terminal. */
const CONTROL = /[^\P{Cc}\t]/gu;

/** Headers by lower-case name, values of repeated ones joined with a comma, at most 16 KiB together; more are left out. */
export function headerRecord(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  let size = 0;
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = [value].flat().join(', ').replace(CONTROL, '\uFFFD');
    size += name.length + text.length;
    return size > MAX_HEADER_CHARACTERS ? [] : [[name, text] as const];
  });
  // fromEntries makes own members: a header that is called __proto__ stays a header.
  return Object.fromEntries(kept);
}

/** Longest wait that is passed on, in ms: a week, the largest maxDelay of a retryPolicy. */
const LONGEST_MS = 604_800_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
const MONTH = `(?<month>${MONTHS.join('|')})`;

/** The three forms of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 (two-digit year), asctime. The day's name is not checked. */
const FORMS = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** RFC 9110 §5.6.7: a two-digit year that would be more than 50 years ahead is the one a century before. */
function fullYear(year: string, now: Date): number {
  if (year.length === 4) return Number(year);
  const thisYear = now.getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}

/** An HTTP-date in ms since 1970, or undefined. Impossible dates (30 February, 25:00) are no dates. */
function httpDate(text: string, now: Date): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = parts;
    const fields = [fullYear(year, now), MONTHS.indexOf(month), Number(day)] as const;
    const time = [Number(hour), Number(minute), Number(second)] as const;
    const date = new Date(Date.UTC(...fields, ...time));
    // A leap second (:60) is allowed by the grammar and lands on the next minute.
    const isReal = date.getUTCDate() === fields[2] || (time[2] === 60 && time[0] === 23 && time[1] === 59);
    return isReal && time[0] < 24 && time[1] < 60 && time[2] <= 60 && fields[2] > 0 ? date.getTime() : undefined;
  }
  return undefined;
}

/**
 * The wait that a receiver asks for, in whole ms from `now`, 0 to 604,800,000 (a week). Undefined when `value` is no Retry-After of
 * RFC 9110 §10.2.3, that is neither whole seconds nor an HTTP-date. A date in the past is 0. Our clock decides: if it is off, a date
 * gives a wait that is off as much.
 */
export function parseRetryAfter(value: string, now: Date): number | undefined {
  const text = value.trim();
  // Nine digits are 31 years: more digits only cost precision.
  if (/^\d+$/.test(text)) return Math.min(Number(text.slice(0, 9)) * 1_000, LONGEST_MS);
  const at = httpDate(text, now);
  return at === undefined ? undefined : Math.min(Math.max(at - now.getTime(), 0), LONGEST_MS);
}
