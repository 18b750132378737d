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
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
