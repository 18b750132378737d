import { parsePayload } from '../../messaging/filters/payload.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import { createHash } from 'node:crypto';

/** A text for a value that an expression gave: equal values have the same one, in whatever order their members stand. */
export const hashOfValue = (value: unknown): string =>
  createHash('sha256')
    .update(jsonText(sorted(value)))
    .digest('base64url');

/** Objects that are equal have their members in one order. */
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

/** Levels of lists and objects that an answer or an output may have; deeper ones would exhaust the stack that writes them. */
const MAX_DEPTH = 100;

/** JSON of a value that an expression gave or a payload held: bigints are whole numbers of JSON, Maps are objects. */
export const jsonText = (value: unknown): string => stringifyExact(value);

/** A JSON value as expressions read it. Undefined for a text that is no JSON, or nested deeper than 100 levels. */
export function readJsonText(text: string): { value: unknown } | undefined {
  if (isDeep(text)) return undefined;
  try {
    return { value: parsePayload(text) };
  } catch {
    return undefined;
  }
}

/**
 * The value of JSON that is stored and nobody evaluates: whole numbers that a double cannot hold are bigints, so that `jsonText` writes
 * them digit for digit.
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
 * Whether a text that may be JSON nests deeper than MAX_DEPTH. Looks at each character once, whatever a receiver sends: a
 * regular expression for quoted texts starts anew at each quote of a text that never ends.
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
