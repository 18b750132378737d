import { BOUNDS, UNITS } from './units.ts';
import { requireLength } from './texts.ts';

/** How much of the bounds per evaluation has been used. */
export type Used = {
  compared: number;
  failures: number;
  read: number;
  searched: number;
  visited: number;
  built: number;
  /** Units. -Infinity for a filter, whose units are bounded before it is evaluated. */
  work: number;
};

/** Counts units of work that is about to be done. Throws an Error beyond the bound per evaluation. */
export function spend(used: Used, units: number): void {
  used.work += units;
  if (used.work > BOUNDS.work)
    throw new Error(`takes more than ${BOUNDS.work} units of work: it goes through too much, or compares too much`);
}

/**
 * Counts the characters that comparing two strings reads. Checking strings of different lengths for equality reads
 * none.
 */
export const spendComparing = (used: Used, characters: number): void => {
  spend(used, UNITS.comparedCharacter * characters);
};

/**
 * Caches the keys of each map that was visited. Listing 33,000 keys takes 4 ms, which should be spent once per message
 * and not for each filter. Entries are garbage-collected with the message.
 */
const REMEMBERED_FROM = 32;
const keysOfMaps = new WeakMap<object, readonly string[]>();

export function keysOf(map: object): readonly string[] {
  const known = keysOfMaps.get(map);
  if (known !== undefined) return known;
  // `as`: payloads and metadata have string keys, and so do maps written in expressions.
  const keys = map instanceof Map ? [...(map as ReadonlyMap<string, unknown>).keys()] : Object.keys(map);
  if (keys.length > REMEMBERED_FROM) keysOfMaps.set(map, keys);
  return keys;
}

/** Returns the elements that a comprehension visits; for a map, its keys. Throws an Error beyond the bound. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null)
    throw new Error('all, exists and filter go through lists and maps only');
  const elements = Array.isArray(value) ? (value as readonly unknown[]) : keysOf(value);
  if (elements.length > BOUNDS.elements)
    throw new Error(`all, exists and filter go through ${BOUNDS.elements} elements at most, not ${elements.length}`);
  return elements;
}

// Units for an item that `in` examines, for one that is compared with a list or a map, and for each character of the string that
// is searched for: 1.6, 6.8 and 0.02 ns were measured.
const LOOKED_AT = { item: 0.2, structure: 0.7, character: 0.005 };

/** Whether a list has an item that equals `value`. Throws an Error beyond the bounds. */
export function includes(list: readonly unknown[], value: unknown, used: Used): boolean {
  if (list.length > BOUNDS.items) throw new Error(`in looks through ${BOUNDS.items} items at most, not ${list.length}`);
  if (typeof value === 'string') requireLength('in', value, BOUNDS.needle);
  const isStructure = typeof value === 'object' && value !== null;
  // Each item may be as long as the searched string and differ only in its last character.
  const characters = typeof value === 'string' ? value.length : 0;
  spend(used, list.length * ((isStructure ? LOOKED_AT.structure : LOOKED_AT.item) + LOOKED_AT.character * characters));
  if (isStructure) return list.some((item) => areEqual(item, value, used));
  // An integer has two representations. Searching for each is faster than comparing each item with both.
  return (
    list.includes(value) ||
    ((typeof value === 'number' || typeof value === 'bigint') && list.includes(otherForm(value)))
  );
}

/** Returns the same number as a double or as a bigint; if there is none, something that equals nothing in JSON. */
function otherForm(value: number | bigint): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : undefined;
}

/**
 * Values of different kinds are never equal, but integers of both representations may be. Throws an Error beyond the
 * bound.
 */
export function areEqual(left: unknown, right: unknown, used: Used): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length)
    spendComparing(used, left.length);
  if (left === right) return true;
  if (typeof left === 'bigint' || typeof right === 'bigint')
    // Loose equality: a bigint equals the double of the same value.
    return isNumeric(left) && isNumeric(right) && left == right;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  count(used, 1);
  if (Array.isArray(left) || Array.isArray(right))
    return Array.isArray(left) && Array.isArray(right) && areListsEqual(left, right, used);
  if (isMap(left) || isMap(right)) return isMap(left) && isMap(right) && areMapsEqual(left, right, used);
  // Times and durations; equal ones have the same value.
  return left.constructor === right.constructor && left.valueOf() === right.valueOf();
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function areListsEqual(left: readonly unknown[], right: readonly unknown[], used: Used): boolean {
  if (left.length !== right.length) return false;
  count(used, left.length);
  return left.every((item, index) => areEqual(item, right[index], used));
}

function areMapsEqual(left: object, right: object, used: Used): boolean {
  const keys = keysOf(left);
  if (keys.length !== keysOf(right).length) return false;
  count(used, keys.length);
  return keys.every((key) => {
    const other = memberOf(right, key);
    return other !== undefined && areEqual(memberOf(left, key), other, used);
  });
}

function count(used: Used, values: number): void {
  used.compared += values;
  if (used.compared > BOUNDS.compared)
    throw new Error(`compares more than ${BOUNDS.compared} values inside lists and maps with each other`);
}

const isMap = (value: object): boolean => value instanceof Map || value.constructor === Object;

function memberOf(map: object, key: string): unknown {
  if (map instanceof Map) return map.get(key);
  // `as`: what is not a Map comes from JSON.parse or was written in the expression.
  return Object.hasOwn(map, key) ? (map as Readonly<Record<string, unknown>>)[key] : undefined;
}
