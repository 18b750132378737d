import { z } from 'zod';
import { HTTP_STATUS, STATUS_FILTER, STATUS_GROUP } from '../../../kernel/values/http.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH } from '../../../kernel/words/event-types.ts';
import { type Instant, millisecondsOf } from '../../../kernel/values/instant.ts';
import { ID_FORM, ID_PREFIXES, type IdKind } from '../../../kernel/values/ids.ts';
import { PAGE_LIMIT } from '../../../kernel/values/page.ts';
import { invalidField } from '../../../kernel/errors.ts';

/**
 * A whole number in a query, within bounds that the API documents show. `form` matches its digits, since Number() would also accept
 * 0x10, 1e1 and " 20 ". The metadata makes documents and types treat the text as a number.
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
      .describe('`pagination.cursor` of the previous page, with the same filters. If empty, returns the first page.'),
    limit: wholeNumberQuery(/^[0-9]{1,3}$/, PAGE_LIMIT, LIMIT_REASON)
      .default(PAGE_LIMIT.default)
      .describe('Items per page.'),
  })
  .meta({ typeName: 'PageQuery' });

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;
/** Makes API documents and types show the format of the text; it checks nothing. */
const DATE_TIME_FORM = { format: 'date-time' };
const DATE_TIME_REASON = 'must be a date-time such as 2026-01-31T12:00:00Z (a + in an offset is written %2B)';

/**
 * Reads an RFC 3339 §5.6 date-time, to the nanosecond. Returns undefined for anything else and for dates that do not exist: `new Date`
 * would turn 30 February into 2 March and reads "1" as 2001. Leap seconds are not accepted.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  // setUTCFullYear instead of Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCFullYear() !== year || time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined;
  const sign = match[8] === '-' ? -1 : 1;
  time.setUTCHours(hour, minute - sign * (offsetHours * 60 + offsetMinutes), second);
  // PostgreSQL cannot read ISO 8601 years of 0 and below.
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) return undefined;
  return BigInt(time.getTime()) * 1_000_000n + BigInt((match[7] ?? '').padEnd(9, '0'));
}

/** Does the same, truncated to milliseconds. */
export function parseDateTime(text: string): Date | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : new Date(millisecondsOf(instant));
}

/** A query parameter that is a date-time: a bound, exactly as it was written. */
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

/** A date-time in a body (RFC 3339) as a Date, truncated to milliseconds. */
export const dateTimeField = inBody(parseDateTime);

/** A date-time in a body as a bound of stored times, exactly as it was written. */
export const instantField = inBody(parseInstant);

/** Rejects everything but an event type, `*`, or a prefix such as `order.*`. */
export function checkEventTypePattern(context: z.core.ParsePayload<string>): void {
  const problem = eventTypePatternProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
}

/**
 * Event types that a list is filtered by: one, all that begin with a prefix (`order.*`), or all (`*`). The syntax is that of a
 * subscription's eventTypes, which such filters are often copied from.
 */
export const eventTypeQuery = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(MAX_EVENT_TYPE_LENGTH, `must have at most ${MAX_EVENT_TYPE_LENGTH} characters`)
  .check(checkEventTypePattern);

/** A query parameter that is one of several values. */
export const enumQuery = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/**
 * A query parameter with one or more values, separated by commas, each once: `failed,retrying`. They are put into the order of
 * `values`, so that a cursor of `retrying,failed` belongs to the same list. The metadata describes the text for documents and types.
 */
export const someQuery = <const T extends readonly [string, ...string[]]>(values: T) => {
  const reason = `must be one of ${values.join(', ')}, or several of them separated by commas, each once`;
  return z
    .string(reason)
    .meta({ someOf: values })
    .transform((text, issues): T[number][] => {
      const written = text.split(',');
      const known = values.filter((value) => written.includes(value));
      // Equal lengths mean that no value is repeated or unknown.
      if (known.length === written.length) return known;
      issues.addIssue({ code: 'custom', message: reason });
      return z.NEVER;
    });
};

/** A field of a body with one of the values, or a list of them. */
export const someField = <const T extends readonly [string, ...string[]]>(values: T) => {
  const several = z
    .array(z.enum(values))
    .min(1)
    .max(values.length)
    .meta({ uniqueItems: true })
    .refine((words) => new Set(words).size === words.length);
  return z.union([z.enum(values), several], `must be one of ${values.join(', ')}, or a list of them, each once`);
};

/** A response status, a range of them, or a class. */
export const errorStatusQuery = z
  .string()
  .regex(STATUS_FILTER, 'must be a status from 100 to 599, a range such as 500-503, or a class such as 5xx');

const STATUS_REASON = `must be a number from ${HTTP_STATUS.min} to ${HTTP_STATUS.max}, a range such as "500-503", or a class such as "5xx"`;

/**
 * The same filter in JSON, where a single status is a number. Both alternatives have the reason, because zod reports that of the
 * alternative whose type matches.
 */
export const errorStatusField = z.union(
  [
    z.number().int(STATUS_REASON).min(HTTP_STATUS.min, STATUS_REASON).max(HTTP_STATUS.max, STATUS_REASON),
    z.string().regex(STATUS_GROUP, STATUS_REASON),
  ],
  STATUS_REASON,
);

/** Ids of resources of one kind, separated by commas, up to as many as a page of their list has. Repeated ids count once. */
export function idsQuery(kind: IdKind) {
  const reason = `must be ids of 1 to ${PAGE_LIMIT.max} ${kind}s, separated by commas`;
  const id = `${ID_PREFIXES[kind]}_${ID_FORM}`;
  return z
    .string(reason)
    .regex(new RegExp(`^${id}(?:,${id}){0,${PAGE_LIMIT.max - 1}}$`), reason)
    .transform((text) => [...new Set(text.split(','))]);
}

/** Part of a display name, which has at most 200 UTF-16 units. It is not a pattern: each character stands for itself. */
export const namePartQuery = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters');

/** Filters of every list of named resources: by ids, and by part of the name. */
export const namedQuery = (kind: IdKind) => ({
  ids: idsQuery(kind).exactOptional().describe('Up to 100 ids, separated by commas.'),
  name: namePartQuery.exactOptional().describe('Part of the name, case-insensitive.'),
});

/** JSON lines, or a table. */
const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Parameters of an export, in addition to the filters of its list and in place of cursor and limit. */
export const exportQuery = {
  format: enumQuery(EXPORT_FORMATS)
    .default('ndjson')
    .describe('`ndjson`: one JSON object per line. `csv`: a table with a header row.'),
};
export const WITHOUT_PAGE = { cursor: true, limit: true } as const;

/**
 * Parses a query string (without the question mark). Throws INVALID_REQUEST, with the parameter as the field, for a repeated parameter,
 * a broken percent-escape or a NUL. URLSearchParams would use the first value, repair the second problem and keep the third.
 */
export function parseQuery(text: string): Record<string, string> {
  if (text === '') return {};
  const found = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query');
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name);
    if (found.has(name)) throw invalidField(name, 'must be given only once');
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function decode(text: string, field: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidField(field, 'must not have a broken percent-escape');
  }
  if (decoded.includes('\0')) throw invalidField(field, 'must not contain a NUL character');
  return decoded;
}
