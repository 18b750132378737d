import { expect, test } from '@jest/globals';
import { spanOf } from './span.ts';

const NOW = new Date('2026-03-10T12:34:56.789Z');
const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000_000n;
const shown = (span: ReturnType<typeof spanOf>) => [
  span.since.toISOString(),
  span.until.toISOString(),
  span.stepMs / 60_000,
  span.minutes,
];

test.each([
  ['a day by default', {}, ['2026-03-09T12:30:00.000Z', '2026-03-10T12:45:00.000Z', 15, 1]],
  ['an hour', { since: at('2026-03-10T11:34:56Z') }, ['2026-03-10T11:34:00.000Z', '2026-03-10T12:35:00.000Z', 1, 1]],
  [
    'six hours',
    { since: at('2026-03-10T06:00:00Z'), until: at('2026-03-10T12:00:00Z') },
    ['2026-03-10T06:00:00.000Z', '2026-03-10T12:00:00.000Z', 5, 1],
  ],
  [
    'a week, whose minutes have expired',
    { since: at('2026-03-03T12:00:00Z') },
    ['2026-03-03T12:00:00.000Z', '2026-03-10T18:00:00.000Z', 360, 60],
  ],
  [
    'an hour of last month, whose minutes have expired',
    { since: at('2026-02-03T12:10:00Z'), until: at('2026-02-03T12:20:00Z') },
    ['2026-02-03T12:00:00.000Z', '2026-02-03T13:00:00.000Z', 60, 60],
  ],
  [
    'a year, by days',
    { since: at('2025-03-10T00:00:00Z'), until: at('2026-03-10T00:00:00Z') },
    ['2025-03-10T00:00:00.000Z', '2026-03-10T00:00:00.000Z', 1_440, 60],
  ],
  [
    'nothing if since is after until',
    { since: at('2026-03-10T13:00:00Z'), until: at('2026-03-10T12:00:00Z') },
    ['2026-03-10T12:00:00.000Z', '2026-03-10T12:00:00.000Z', 1, 1],
  ],
])('covers %s in whole steps', (_, window, expected) => {
  expect(shown(spanOf(window, NOW))).toEqual(expected);
});

test('returns at most the requested number of points', () => {
  expect(shown(spanOf({}, NOW, 24))).toEqual(['2026-03-09T12:00:00.000Z', '2026-03-10T13:00:00.000Z', 60, 60]);
});

test.each([
  [{ since: at('2020-01-01T00:00:00Z') }, ['2025-02-03T00:00:00.000Z', '2026-03-11T00:00:00.000Z', 1_440, 60]],
  [{ until: at('2030-01-01T00:00:00Z') }, ['2026-03-09T12:30:00.000Z', '2026-03-10T12:45:00.000Z', 15, 1]],
  [
    { since: at('2010-01-01T00:00:00Z'), until: at('2011-01-01T00:00:00Z') },
    ['2025-02-03T12:00:00.000Z', '2025-02-03T13:00:00.000Z', 60, 60],
  ],
])('is cut to the time that has figures (%#)', (window, expected) => {
  expect(shown(spanOf(window, NOW))).toEqual(expected);
});
