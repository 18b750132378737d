import { createHash } from 'node:crypto';
import { jsonText } from './json-text.ts';

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
