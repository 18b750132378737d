import { z } from 'zod';
import { HTTP_STATUS, STATUS_FILTER, STATUS_GROUP } from '../../../kernel/values/http.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH } from '../../../kernel/words/event-types.ts';
import { type Instant, millisecondsOf } from '../../../kernel/values/instant.ts';
import { ID_FORM, ID_PREFIXES, type IdKind } from '../../../kernel/values/ids.ts';
import { PAGE_LIMIT } from '../../../kernel/values/page.ts';
import { invalidField } from '../../../kernel/errors.ts';

/**
 * A whole number of a query, within bounds that documents show. `form`: its digits, since Number() would also take 0x10, 1e1 and " 20 ".
 * Its mark tells the documents and types that are made from schemas that a caller thinks of a number.
 */
export const wholeNumberQuery = (form: RegExp, { min, max }: { min: number; max: number }, reason: string) =>
  z
    .string()
    .regex(form, reason)
    .meta({ wholeNumber: { minimum: min, maximum: max } })
    .transform(Number)
    .refine((number) => number >= min && number <= max, reason);

const LIMIT_REASON = `must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}`;

/** cursor and limit of every list (spec §4 common rule 1); lists add their filters with `.extend`. */
export const pageQuery = z
  .strictObject({
    cursor: z
      .string()
      .optional()
      .describe('`pagination.cursor` of the page before, with the same filters. Empty: the first page.'),
    limit: wholeNumberQuery(/^[0-9]{1,3}$/, PAGE_LIMIT, LIMIT_REASON)
      .default(PAGE_LIMIT.default)
      .describe('Items on the page.'),
  })
  .meta({ typeName: 'PageQuery' });

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;
/** Tells the documents and types that are made from schemas what the text is; nothing is checked by it. */
const DATE_TIME_FORM = { format: 'date-time' };
const DATE_TIME_REASON = 'must be a date-time such as 2026-01-31T12:00:00Z (a + in an offset is written %2B)';

/**
 * Reads an RFC 3339 §5.6 date-time, to the nanosecond; undefined for anything else and for dates that do not exist: `new Date`
 * would turn 30 February into 2 March and reads "1" as 2001. Leap seconds are not taken.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  // setUTCFullYear and not Date.UTC: that one takes the years 0 to 99 for 1900 to 1999.
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCFullYear() !== year || time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined;
  const sign = match[8] === '-' ? -1 : 1;
  time.setUTCHours(hour, minute - sign * (offsetHours * 60 + offsetMinutes), second);
  // Year 0 and below have no ISO 8601 form that PostgreSQL reads.
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) return undefined;
  return BigInt(time.getTime()) * 1_000_000n + BigInt((match[7] ?? '').padEnd(9, '0'));
}

/** The same, without what is below a millisecond. */
export function parseDateTime(text: string): Date | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : new Date(millisecondsOf(instant));
}

/** A query parameter that is a date-time: a bound of what is asked for, exactly as it was written. */
export const instantQuery = z
  .string()
  .transform((text, issues) => {
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    issues.addIssue({ code: 'custom', message: DATE_TIME_REASON });
    return z.NEVER;
  })
  .meta(DATE_TIME_FORM);

/** The bounds of lists that have times; both are exclusive. */
export const windowQuery = {
  since: instantQuery.optional().describe('Only items later than this time.'),
  until: instantQuery.optional().describe('Only items earlier than this time.'),
};

const reasonOfDateTime = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is required' : 'must be a date-time';

const inBody = <T>(parse: (text: string) => T | undefined) =>
  z
    .string({ error: reasonOfDateTime })
    .transform((text, issues) => {
      const parsed = parse(text);
      if (parsed !== undefined) return parsed;
      issues.addIssue({ code: 'custom', message: 'must be a date-time such as 2026-01-31T12:00:00Z' });
      return z.NEVER;
    })
    .meta(DATE_TIME_FORM);

/** A date-time in a body, RFC 3339: a Date, without what is below a millisecond. */
export const dateTimeField = inBody(parseDateTime);

/** The same as a bound of stored times, exactly as it was written. */
export const instantField = inBody(parseInstant);

/** A check of texts: refuses all but an event type, `*`, or a beginning such as `order.*`. */
export function checkEventTypePattern(context: z.core.ParsePayload<string>): void {
  const problem = eventTypePatternProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
}

/**
 * Which event types a list is narrowed to: one, or with a beginning such as `order.*` every one that begins with `order.`; `*`
 * is all of them. As in a subscription's eventTypes, which such a filter is often taken from.
 */
export const eventTypeQuery = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(MAX_EVENT_TYPE_LENGTH, `must have at most ${MAX_EVENT_TYPE_LENGTH} characters`)
  .check(checkEventTypePattern);

/** A query parameter that is one of a few words. */
export const enumQuery = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/**
 * A query parameter that is some of a few words, with commas between them, each once: `failed,retrying`. They are read in the order of
 * `values`, so that a cursor of `retrying,failed` is one of the same list. The mark tells the documents and types what the text is.
 */
export const someQuery = <const T extends readonly [string, ...string[]]>(values: T) => {
  const reason = `must be one of ${values.join(', ')}, or several of them with commas between, each once`;
  return z
    .string(reason)
    .meta({ someOf: values })
    .transform((text, issues): T[number][] => {
      const written = text.split(',');
      const known = values.filter((value) => written.includes(value));
      // As many as were written: none twice, and none that nobody knows.
      if (known.length === written.length) return known;
      issues.addIssue({ code: 'custom', message: reason });
      return z.NEVER;
    });
};

/** The same as a field of a body: one of the words, or a list of them. */
export const someField = <const T extends readonly [string, ...string[]]>(values: T) => {
  const several = z
    .array(z.enum(values))
    .min(1)
    .max(values.length)
    .meta({ uniqueItems: true })
    .refine((words) => new Set(words).size === words.length);
  return z.union([z.enum(values), several], `must be one of ${values.join(', ')}, or a list of them, each once`);
};

/** A status of an answer, a range of them, or a class. */
export const errorStatusQuery = z
  .string()
  .regex(STATUS_FILTER, 'must be a status from 100 to 599, a range such as 500-503, or a class such as 5xx');

const STATUS_REASON = `must be a number from ${HTTP_STATUS.min} to ${HTTP_STATUS.max}, a range such as "500-503", or a class such as "5xx"`;

/** The same in JSON, where one status is a number. Each kind has the reason: zod tells that of the kind that is given. */
export const errorStatusField = z.union(
  [
    z.number().int(STATUS_REASON).min(HTTP_STATUS.min, STATUS_REASON).max(HTTP_STATUS.max, STATUS_REASON),
    z.string().regex(STATUS_GROUP, STATUS_REASON),
  ],
  STATUS_REASON,
);

/** Ids of resources of one kind, as a query names them: with commas between them, as many as a page of their list has. Each counts once. */
export function idsQuery(kind: IdKind) {
  const reason = `must be ids of 1 to ${PAGE_LIMIT.max} ${kind}s, separated by commas`;
  const id = `${ID_PREFIXES[kind]}_${ID_FORM}`;
  return z
    .string(reason)
    .regex(new RegExp(`^${id}(?:,${id}){0,${PAGE_LIMIT.max - 1}}$`), reason)
    .transform((text) => [...new Set(text.split(','))]);
}

/** A part of a name for people, which has 200 UTF-16 units at most. Patterns have no place in it: each character stands for itself. */
export const namePartQuery = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters');

/** Filters of every list of things that people name: some of them by their ids, and those with a part in their names. */
export const namedQuery = (kind: IdKind) => ({
  ids: idsQuery(kind).exactOptional().describe('Up to 100 ids, separated by commas.'),
  name: namePartQuery.exactOptional().describe('Part of the name, in any case.'),
});

/** Lines of JSON, or a table. */
const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Beside the filters of a list, in place of its cursor and limit: how the whole of it leaves. */
export const exportQuery = {
  format: enumQuery(EXPORT_FORMATS)
    .default('ndjson')
    .describe('`ndjson`: one JSON object per line. `csv`: a table with a header row.'),
};
export const WITHOUT_PAGE = { cursor: true, limit: true } as const;

/**
 * Reads a query string (without the question mark). Throws INVALID_REQUEST, with the parameter as the field, for a
 * repeated parameter, a broken percent-escape or a NUL: URLSearchParams would take the first, mend the second and keep the third.
 */
export function parseQuery(text: string): Record<string, string> {
  if (text === '') return {};
  const found = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query');
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name);
    if (found.has(name)) throw invalidField(name, 'is given more than once');
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function decode(text: string, field: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidField(field, 'has a broken percent-escape');
  }
  if (decoded.includes('\0')) throw invalidField(field, 'contains a NUL character');
  return decoded;
}
