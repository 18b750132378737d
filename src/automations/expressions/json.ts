import { Optional } from '@marcbachmann/cel-js';

/**
 * The library tells the kind of an object by its `constructor`, so that a key of this name hides it. Such an object is a Map for it, as
 * those of payloads are (src/messaging/filters/payload.ts).
 */
export const asMap = (members: object): unknown =>
  Object.hasOwn(members, 'constructor') ? new Map<string, unknown>(Object.entries(members)) : members;

/** A value that was not read from JSON, and everything inside it, in the same way. */
export function asMaps(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asMaps);
  if (!isPlainObject(value)) return value;
  return asMap(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asMaps(member)])));
}

/** Whether it is an object of members, and no list, Map, time or other kind. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Bytes of JSON that values may still have; counted down while they are converted. */
export type JsonRoom = {
  bytes: number;
  /** What has been converted, by the list or object it was made of: one that is named again is counted again, and not copied. */
  converted: Map<object, { value: unknown; bytes: number }>;
};

export const createJsonRoom = (bytes: number): JsonRoom => ({ bytes, converted: new Map() });

/** A value has more JSON than there is room for. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** Levels of lists and objects: an output that has more is read back as null (engine/values/json-text.ts). */
const MAX_DEPTH = 100;
// Smaller ones are copied sooner than they are looked up.
const REMEMBERED_FROM = 32;

/** Takes bytes off the room. Throws NoRoom where there are fewer. */
export function takeBytes(room: JsonRoom, bytes: number): void {
  room.bytes -= bytes;
  if (room.bytes < 0) throw new NoRoom();
}

/**
 * The JSON value of what an expression gave: whole numbers of CEL become numbers, or bigints where a double cannot hold them, times
 * RFC 3339 texts, durations seconds (`90s`), and an optional its value or null.
 *
 * A value of CEL may name one list a million times, and its JSON has a copy for each. So the JSON is counted while the value is converted:
 * every bracket, comma, quote and digit, and one byte for each UTF-16 unit of a text, which is what it has at least. Throws NoRoom beyond
 * the room, and an Error for what JSON has no form for, or above 100 levels.
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
    // `as`: payloads and expressions have texts as keys.
    const members = value as ReadonlyMap<string, unknown>;
    return once(value, room, () => convertMembers([...members.keys()], (key) => members.get(key), room, depth));
  }
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    // `as`: its keys are texts.
    const members = value as Readonly<Record<string, unknown>>;
    const converted = (): unknown => convertMembers(keys, (key) => members[key], room, depth);
    return keys.length < REMEMBERED_FROM ? converted() : once(value, room, converted);
  }
  if (value instanceof Optional) return convert(value.hasValue() ? value.value() : null, room, depth + 1);
  // A duration, whose class the library keeps to itself: its value is in ms.
  if ('nanos' in value) return convert(`${Number(value.valueOf()) / 1_000}s`, room, depth);
  throw new Error('is a type and no value');
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
    // An assignment would give it another prototype.
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
