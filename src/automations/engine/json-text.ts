import { parsePayload } from '../../messaging/filters/payload.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import { createHash } from 'node:crypto';

/** Returns a hash of a value. Equal values have the same hash, regardless of the order of their members. */
export const hashOfValue = (value: unknown): string =>
  createHash('sha256')
    .update(jsonText(sorted(value)))
    .digest('base64url');

/** Sorts members so that equal objects have the same order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return new Map(
    entries
      .map(([key, member]): [string, unknown] => [key, sorted(member)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Maximum nesting of responses and outputs; deeper values would overflow the stack when written. */
const MAX_DEPTH = 100;

/** Returns the JSON of a value from an expression or payload. Bigints become integers, Maps become objects. */
export const jsonText = (value: unknown): string => stringifyExact(value);

/** Parses JSON as expressions read it. Returns undefined if the text is not JSON or nested deeper than 100 levels. */
export function readJsonText(text: string): { value: unknown } | undefined {
  if (isDeep(text)) return undefined;
  try {
    return { value: parsePayload(text) };
  } catch {
    return undefined;
  }
}

/**
 * Parses stored JSON that is not evaluated. Integers that a double cannot represent become bigints, so that `jsonText`
 * writes them digit for digit.
 */
export const readExactly = (text: string): unknown => asObjects(parsePayload(text));

/** Expressions read an object with a key `constructor` as a Map. */
function asObjects(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asObjects);
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, member]) => [key, asObjects(member)]));
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether a text that may be JSON is nested deeper than MAX_DEPTH. Reads each character once, whatever a receiver
 * sends; a regular expression for quoted strings would start again at each quote of an unclosed one.
 */
function isDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) at += character === BACKSLASH ? 1 : 0;
    else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth -= 1;
    else if (character === OPEN_LIST || character === OPEN_OBJECT) depth += 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
