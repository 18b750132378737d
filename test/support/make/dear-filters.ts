import { UNITS_OF_A_FILTER } from '../../../src/messaging/filters/expressions/units.ts';

const LARGEST_PAYLOAD = 262_144;
const ELEMENTS = 1_000;

/** Returns different filters of nearly the maximum cost, none of which matches the largest payload. */
export const dearFilter = (n: number): string =>
  `payload.lines.exists(line, line.price * line.count + ${n} < line.price && line.sku == payload.sku) && size(payload.name) == ${n}`;

/** A filter of a few hundred units, to use up what expensive ones leave. */
export const smallFilter = (n: number): string => `payload.number == ${n}`;

/** Returns the largest possible payload, which these filters search to its end. */
export function largestPayload(): Record<string, unknown> {
  const lines = Array.from({ length: ELEMENTS }, (_, n) => ({ sku: `A-${n}`, price: n % 10, count: 2 }));
  const payload = { sku: 'A-1000', lines, name: '' };
  return { ...payload, name: 'x'.repeat(LARGEST_PAYLOAD - JSON.stringify(payload).length) };
}

/** Returns whether a filter is one of the most expensive. */
export const isDear = (units: number): boolean => units > UNITS_OF_A_FILTER * 0.9 && units <= UNITS_OF_A_FILTER;
