import { UNITS_OF_A_FILTER } from '../../../src/messaging/filters/expressions/units.ts';

const LARGEST_PAYLOAD = 262_144;
const ELEMENTS = 1_000;

/** Different filters of nearly all the units that one may have, none of which matches the largest payload. */
export const dearFilter = (n: number): string =>
  `payload.lines.exists(line, line.price * line.count + ${n} < line.price && line.sku == payload.sku) && size(payload.name) == ${n}`;

/** A filter of a few hundred units, to fill up what dear ones leave. */
export const smallFilter = (n: number): string => `payload.number == ${n}`;

/** The largest payload there may be, through which these filters go to its end. */
export function largestPayload(): Record<string, unknown> {
  const lines = Array.from({ length: ELEMENTS }, (_, n) => ({ sku: `A-${n}`, price: n % 10, count: 2 }));
  const payload = { sku: 'A-1000', lines, name: '' };
  return { ...payload, name: 'x'.repeat(LARGEST_PAYLOAD - JSON.stringify(payload).length) };
}

/** Says whether a filter is one of the dearest. */
export const isDear = (units: number): boolean => units > UNITS_OF_A_FILTER * 0.9 && units <= UNITS_OF_A_FILTER;
