import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contains, endsWith, sizeOfText, startsWith, toTimestamp } from './texts.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['é日', 2],
  ['😀a😀', 3],
])('the size of %j is %i', (text, size) => {
  expect(sizeOfText(text)).toBe(size);
});

test('contains finds what String.includes finds, in short and in long texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 40 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 600 }), (part, wanted, count) => {
      const long = part.repeat(count).slice(0, 60_000);
      const needle = wanted.repeat(10);
      expect([contains(long, wanted), contains(long, needle)]).toEqual([long.includes(wanted), long.includes(needle)]);
    }),
  );
});

test('startsWith and endsWith find what those of String find', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
  fc.assert(
    fc.property(text, text, (whole, part) => {
      expect([startsWith(whole, part), endsWith(whole, part)]).toEqual([whole.startsWith(part), whole.endsWith(part)]);
    }),
  );
});

test('contains finds a match at the end of a long text, and not a near match', () => {
  const wanted = `${'ab'.repeat(400)}c${'ab'.repeat(400)}`;
  expect(contains(`${'ab'.repeat(30_000)}${wanted.slice(2)}`, wanted)).toBe(true);
  expect(contains(`${'ab'.repeat(30_000)}${wanted.slice(2, -1)}`, wanted)).toBe(false);
});

describe('a time', () => {
  test('is what Date.parse returns for RFC 3339', () => {
    const parts = fc.record({
      at: fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      zone: fc.constantFrom('Z', '+00:00', '-05:30', '+14:00'),
      fraction: fc.constantFrom('', '.5', '.123456789'),
    });
    fc.assert(
      fc.property(parts, ({ at, zone, fraction }) => {
        const text = `${at.toISOString().slice(0, 19)}${fraction}${zone}`;
        expect([text, toTimestamp(text).getTime()]).toEqual([text, Date.parse(text)]);
      }),
    );
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T00:00:00Zx',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01 00:00:00Z',
    '2026-0a-01T00:00:00Z',
  ])('is not made of %s', (text) => {
    expect(() => toTimestamp(text)).toThrow(/RFC 3339/);
  });
});
