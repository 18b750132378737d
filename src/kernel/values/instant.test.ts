import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeBase32, ID_PREFIXES, withTime } from './ids.ts';
import { firstTimeAfter, firstTimeFrom, idsWithin, type Instant, millisecondsOf, windowText } from './instant.ts';

// The years 1 to 9999, in ms.
const milliseconds = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const fraction = fc.oneof(fc.constantFrom(0, 1, 999_999), fc.nat({ max: 999_999 }));
const instant = fc
  .tuple(milliseconds, fraction)
  .map(([ms, nanoseconds]) => BigInt(ms) * 1_000_000n + BigInt(nanoseconds));
// Near each other, so that bounds and times often share a millisecond.
const close = fc
  .tuple(milliseconds, fc.array(fc.integer({ min: -3_000_000, max: 3_000_000 }), { minLength: 2, maxLength: 2 }))
  .map(([ms, offsets]) => ({ ms, instants: offsets.map((offset) => BigInt(ms) * 1_000_000n + BigInt(offset)) }));

const toInstant = (ms: number): Instant => BigInt(ms) * 1_000_000n;

test.each([
  ['2026-01-31T12:00:00.678Z', 0n, 678, 679, 678],
  ['2026-01-31T12:00:00.678Z', 100_000n, 678, 679, 679],
  ['2026-01-31T12:00:00.678Z', 999_999n, 678, 679, 679],
  ['1969-12-31T23:59:59.678Z', 0n, 678, 679, 678],
  ['1969-12-31T23:59:59.678Z', 1n, 678, 679, 679],
])(
  '%s and %d ns: %d is not later, %d is later, %d is not earlier',
  (text, nanoseconds, notLater, later, notEarlier) => {
    const at = toInstant(Date.parse(text)) + nanoseconds;
    const second = Math.floor(Date.parse(text) / 1_000) * 1_000;
    expect(millisecondsOf(at) - second).toBe(notLater);
    expect(firstTimeAfter(at).getTime() - second).toBe(later);
    expect(firstTimeFrom(at).getTime() - second).toBe(notEarlier);
  },
);

test('a millisecond is after, from or before an instant exactly if its nanoseconds are', () => {
  fc.assert(
    fc.property(close, ({ ms, instants }) => {
      for (const at of instants) {
        for (const time of [ms - 3, ms - 2, ms - 1, ms, ms + 1, ms + 2, ms + 3]) {
          expect(time >= firstTimeAfter(at).getTime()).toBe(toInstant(time) > at);
          expect(time >= firstTimeFrom(at).getTime()).toBe(toInstant(time) >= at);
          expect(time < firstTimeFrom(at).getTime()).toBe(toInstant(time) < at);
        }
      }
    }),
  );
});

test('an id is within a window exactly if its millisecond is', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(close, bytes, ({ ms: near, instants: [since = 0n, until = 0n] }, random) => {
      // An id has no time before 1970.
      const ms = Math.max(near, 0);
      const id = `${ID_PREFIXES.message}_${encodeBase32(withTime(Uint8Array.from(random), ms))}`;
      const { from = '', before = '' } = idsWithin('message', { since, until });
      expect(id >= from && id < before).toBe(toInstant(ms) > since && toInstant(ms) < until);
      expect(id >= (idsWithin('message', { since }).from ?? '')).toBe(toInstant(ms) > since);
      expect(id < (idsWithin('message', { until }).before ?? '')).toBe(toInstant(ms) < until);
    }),
  );
});

test('a window without bounds has no bounds of ids', () => {
  expect(idsWithin('delivery', {})).toEqual({ from: undefined, before: undefined });
  fc.assert(fc.property(instant, (at) => expect(idsWithin('delivery', { since: at }).before).toBeUndefined()));
});

test('a window as text keeps every nanosecond, and omits missing bounds', () => {
  expect(windowText({ since: 1_769_860_800_678_100_001n, until: undefined })).toEqual({
    since: '1769860800678100001',
    until: undefined,
  });
  expect(windowText({ since: undefined, until: -1n })).toEqual({ since: undefined, until: '-1' });
});
