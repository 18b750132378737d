/** Undefined, false, 0 and everything empty. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  ((value instanceof Set || value instanceof Map) && value.size === 0);
