import type { Format } from 'ajv';
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js';

/** The module name under which compiled code finds `formats`. */
export const FORMATS_MODULE = 'posthorn/formats';

type Test = (text: string) => boolean;

/** The check of ajv-formats, without its ordering. */
function testOf(name: FormatName): Test {
  const format: Format = fullFormats[name];
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  // `as`: string formats that are objects have a function.
  if (typeof format === 'object' && 'validate' in format) return format.validate as Test;
  throw new Error(`ajv-formats has no test for ${name}`);
}
const [isDate, isTime, isUri, isUriReference] = [
  testOf('date'),
  testOf('time'),
  testOf('uri'),
  testOf('uri-reference'),
];

const FULL_TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const BEHIND_INT64 = 2 ** 63;
const DATE_LENGTH = '2026-01-31'.length;

const isFullTime: Test = (text) => FULL_TIME.test(text) && isTime(text);

const isDateTime: Test = (text) =>
  /^t$/i.test(text.charAt(DATE_LENGTH)) &&
  isDate(text.slice(0, DATE_LENGTH)) &&
  isFullTime(text.slice(DATE_LENGTH + 1));

/** Replaces the check of a format and keeps its ordering. */
const stricter = (name: FormatName, validate: Test): Format => {
  const format: Format = fullFormats[name];
  const compare = typeof format === 'object' && 'compare' in format ? format.compare : undefined;
  // `as`: Ajv's types have an ordering of strings or of numbers, and these are formats of strings.
  return { validate, ...(compare !== undefined && { compare }) } as Format;
};

/**
 * The formats of ajv-formats, made as strict as the standards that JSON Schema names where it accepts more: RFC 3339 (a
 * `T` and an offset with a colon), RFC 9562 (no `urn:uuid:`), RFC 3986 (no quotation marks), RFC 4648 (one line).
 * `int64` has 64 bits. Each check is one pass over the text, except for those that compile.ts counts as unbounded.
 */
export const formats: Readonly<Record<string, Format>> = {
  ...fullFormats,
  time: stricter('time', isFullTime),
  'date-time': stricter('date-time', isDateTime),
  uri: (text: string) => !text.includes('"') && isUri(text),
  'uri-reference': (text: string) => !text.includes('"') && isUriReference(text),
  uuid: UUID,
  byte: BASE64,
  int64: {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && value >= -BEHIND_INT64 && value < BEHIND_INT64,
  },
};
