import { isAscii } from 'node:buffer';

/** Bytes of a body that are read before the connection is closed, and bytes that are kept as text. */
export const BODY_BOUNDS = { read: 65_536, kept: 16_384 } as const;

/** Largest total of kept header names and values, in characters. */
const MAX_HEADER_CHARACTERS = 16_384;

/** Decodes up to 16 KiB of UTF-8, ending on a whole character: `stream` holds back the beginning of a cut one. */
function decode(bytes: Buffer): string {
  const isCut = bytes.length > BODY_BOUNDS.kept;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, BODY_BOUNDS.kept), { stream: isCut });
}

/**
 * Returns the kept part of a body as text: up to 16 KiB of UTF-8, with U+FFFD for invalid bytes and for NUL, which PostgreSQL cannot
 * store. Always decodes as UTF-8, whatever content-type or content-encoding say.
 */
export function bodyText(bytes: Buffer): string {
  // The usual case: a decoder costs more than the rest of reading the response.
  if (bytes.length <= BODY_BOUNDS.kept && isAscii(bytes) && !bytes.includes(0)) return bytes.toString('latin1');
  const text = decode(bytes).replaceAll('\0', '\uFFFD');
  // A replacement takes three bytes instead of one: 16 KiB of garbage would become 48.
  return Buffer.byteLength(text) > BODY_BOUNDS.kept ? decode(Buffer.from(text)) : text;
}

/** Control characters except tab: NUL and the like would break the record or a terminal. */
const CONTROL = /[^\P{Cc}\t]/gu;

/** Headers by lower-case name, values of repeated ones joined with a comma, up to 16 KiB in total; the rest is dropped. */
export function headerRecord(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  let size = 0;
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = [value].flat().join(', ').replace(CONTROL, '\uFFFD');
    size += name.length + text.length;
    return size > MAX_HEADER_CHARACTERS ? [] : [[name, text] as const];
  });
  // fromEntries creates own members, so a header called __proto__ stays a header.
  return Object.fromEntries(kept);
}

/** Longest wait that is returned, in ms: a week, the largest maxDelay of a retryPolicy. */
const LONGEST_MS = 604_800_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
const MONTH = `(?<month>${MONTHS.join('|')})`;

/** The three formats of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 (two-digit year), asctime. The day name is not checked. */
const FORMS = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** RFC 9110 §5.6.7: a two-digit year more than 50 years ahead is in the previous century. */
function fullYear(year: string, now: Date): number {
  if (year.length === 4) return Number(year);
  const thisYear = now.getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}

/** An HTTP-date in ms since 1970, or undefined. Impossible dates (30 February, 25:00) are rejected. */
function httpDate(text: string, now: Date): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = parts;
    const fields = [fullYear(year, now), MONTHS.indexOf(month), Number(day)] as const;
    const time = [Number(hour), Number(minute), Number(second)] as const;
    const date = new Date(Date.UTC(...fields, ...time));
    // A leap second (:60) is allowed by the grammar and falls into the next minute.
    const isReal = date.getUTCDate() === fields[2] || (time[2] === 60 && time[0] === 23 && time[1] === 59);
    return isReal && time[0] < 24 && time[1] < 60 && time[2] <= 60 && fields[2] > 0 ? date.getTime() : undefined;
  }
  return undefined;
}

/**
 * The wait that a receiver requests, in whole ms from `now`, 0 to 604,800,000 (a week). Undefined if `value` is not a valid Retry-After
 * (RFC 9110 §10.2.3), that is, neither whole seconds nor an HTTP-date. A date in the past is 0. It uses our clock: if that is off, the
 * wait for a date is off by as much.
 */
export function parseRetryAfter(value: string, now: Date): number | undefined {
  const text = value.trim();
  // Nine digits are 31 years; more digits only cost precision.
  if (/^\d+$/.test(text)) return Math.min(Number(text.slice(0, 9)) * 1_000, LONGEST_MS);
  const at = httpDate(text, now);
  return at === undefined ? undefined : Math.min(Math.max(at - now.getTime(), 0), LONGEST_MS);
}
