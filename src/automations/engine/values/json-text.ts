import { parsePayload } from '../../../filters/payload.ts';
import { ExactJson, stringifyExact } from '../../../kernel/values/exact-json.ts';

/** Levels of lists and objects that an answer or an output may have; deeper ones would exhaust the stack that writes them. */
const MAX_DEPTH = 100;

/** JSON of a value that an expression gave or a payload held: bigints are whole numbers of JSON, Maps are objects. */
export const jsonText = (value: unknown): string => stringifyExact(exact(value));

function exact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactJson || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(exact);
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, member]) => [key, exact(member)]));
}

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

const BRACKETS_AND_TEXTS = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(BRACKETS_AND_TEXTS)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
