import { Optional } from '@marcbachmann/cel-js';

/**
 * The library recognises objects by their `constructor`, so a key with this name must be passed as a Map, as in
 * payloads (src/messaging/filters/payload.ts).
 */
export const asMap = (members: object): unknown =>
  Object.hasOwn(members, 'constructor') ? new Map<string, unknown>(Object.entries(members)) : members;

/** Converts a value that was not read from JSON, and everything inside it, in the same way. */
export function asMaps(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asMaps);
  if (!isPlainObject(value)) return value;
  return asMap(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asMaps(member)])));
}

/** Whether a value is a plain object, not an array, Map, date or other class. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Bytes of JSON still available for values; reduced while they are converted. */
export type JsonRoom = {
  bytes: number;
  /** Converted arrays and objects. A value that is used again is counted again but not copied. */
  converted: Map<object, { value: unknown; bytes: number }>;
};

export const createJsonRoom = (bytes: number): JsonRoom => ({ bytes, converted: new Map() });

/** A value has more JSON than there is space for. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** Maximum nesting. Deeper outputs would be read back as null (engine/json-text.ts). */
const MAX_DEPTH = 100;
// Copying smaller values is faster than looking them up.
const REMEMBERED_FROM = 32;

/** Reduces the space. Throws NoRoom if there is not enough. */
export function takeBytes(room: JsonRoom, bytes: number): void {
  room.bytes -= bytes;
  if (room.bytes < 0) throw new NoRoom();
}

/**
 * Converts the result of an expression to JSON: CEL integers become numbers, or bigints if a double cannot represent
 * them; timestamps become RFC 3339 strings, durations seconds (`90s`), and an optional its value or null.
 *
 * A CEL value can refer to one array a million times, but its JSON has a copy for each. The JSON is therefore counted
 * during the conversion: every bracket, comma, quote and digit, and one byte per UTF-16 unit of a string, which is its
 * minimum. Throws NoRoom above the limit, and an Error for values that JSON cannot represent or more than 100 levels.
 */
export const toJson = (value: unknown, room: JsonRoom): unknown => convert(value, room, 0);

function convert(value: unknown, room: JsonRoom, depth: number): unknown {
  if (typeof value === 'string') {
    takeBytes(room, value.length + 2);
    return value;
  }
  if (typeof value !== 'object' || value === null) {
    const scalar = scalarOf(value);
    takeBytes(room, typeof scalar === 'number' || typeof scalar === 'bigint' ? String(scalar).length : 4);
    return scalar;
  }
  if (depth === MAX_DEPTH) throw new Error(`is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    if (value.length < REMEMBERED_FROM) return convertItems(value, room, depth);
    return once(value, room, () => convertItems(value, room, depth));
  }
  if (value instanceof Date) return convert(value.toISOString(), room, depth);
  if (value instanceof Map) {
    // `as`: payloads and expressions have string keys.
    const members = value as ReadonlyMap<string, unknown>;
    return once(value, room, () => convertMembers([...members.keys()], (key) => members.get(key), room, depth));
  }
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    // `as`: its keys are strings.
    const members = value as Readonly<Record<string, unknown>>;
    const converted = (): unknown => convertMembers(keys, (key) => members[key], room, depth);
    return keys.length < REMEMBERED_FROM ? converted() : once(value, room, converted);
  }
  if (value instanceof Optional) return convert(value.hasValue() ? value.value() : null, room, depth + 1);
  // A duration, whose class the library does not export: its value is in ms.
  if ('nanos' in value) return convert(`${Number(value.valueOf()) / 1_000}s`, room, depth);
  throw new Error('is a type, not a value');
}

function once(value: object, room: JsonRoom, make: () => unknown): unknown {
  const known = room.converted.get(value);
  if (known !== undefined) {
    takeBytes(room, known.bytes);
    return known.value;
  }
  const before = room.bytes;
  const made = make();
  room.converted.set(value, { value: made, bytes: before - room.bytes });
  return made;
}

function convertItems(list: readonly unknown[], room: JsonRoom, depth: number): unknown[] {
  takeBytes(room, list.length + 2);
  return list.map((item) => convert(item, room, depth + 1));
}

function convertMembers(
  keys: readonly string[],
  memberOf: (key: string) => unknown,
  room: JsonRoom,
  depth: number,
): Record<string, unknown> {
  takeBytes(room, 2);
  const converted: Record<string, unknown> = {};
  for (const key of keys) {
    const name = String(key);
    takeBytes(room, name.length + 4);
    const member = convert(memberOf(key), room, depth + 1);
    // An assignment would set its prototype.
    if (name === '__proto__')
      Object.defineProperty(converted, name, { value: member, enumerable: true, configurable: true, writable: true });
    else converted[name] = member;
  }
  return converted;
}

function scalarOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('is not a finite number');
  return value;
}
