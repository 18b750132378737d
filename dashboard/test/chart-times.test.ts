import { describe, expect, test } from '@jest/globals';
import { lengthText, perText, spanText, timeLabels } from '../src/ui/chart/times.ts';

const now = Date.parse('2026-11-28T14:03:12Z');
const at = (text: string): number => Date.parse(text);

describe('spanText', () => {
  test.each([
    ['2026-11-28T11:45:00Z', '2026-11-28T12:00:00Z', '11:45–12:00'],
    ['2026-11-27T18:00:00Z', '2026-11-27T18:15:00Z', '18:00–18:15 yesterday'],
    ['2026-11-20T18:00:00Z', '2026-11-20T18:15:00Z', '20 Nov 18:00–18:15'],
    ['2026-11-27T23:45:00Z', '2026-11-28T00:00:00Z', '23:45–00:00 yesterday'],
    ['2026-11-28T14:03:10Z', '2026-11-28T14:03:20Z', '14:03:10–14:03:20'],
    ['2026-11-27T23:00:00Z', '2026-11-28T01:00:00Z', '23:00 yesterday – 01:00'],
    ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', '20 Nov'],
    ['2025-11-20T00:00:00Z', '2025-11-22T00:00:00Z', '20 Nov 2025 – 21 Nov 2025'],
  ])('%s to %s is %s', (from, to, expected) => {
    expect(spanText(at(from), at(to), 'utc', now)).toBe(expected);
  });
});

test.each([
  [1, 'second', 'per second'],
  [10, '10 s', 'per 10 s'],
  [60, 'minute', 'per minute'],
  [900, '15 min', 'per 15 min'],
  [3_600, 'hour', 'per hour'],
  [21_600, '6 hours', 'per 6 h'],
  [86_400, '24 hours', 'per day'],
  [604_800, '7 days', 'per 7 days'],
])('%d seconds are %s, and a bar counts %s', (seconds, length, per) => {
  expect(lengthText(seconds)).toBe(length);
  expect(perText(seconds)).toBe(per);
});

describe('timeLabels', () => {
  const frame = { width: 800, zone: 'utc', now } as const;
  const labels = (from: string, to: string, width = 800): string[] =>
    timeLabels({ from: at(from), to: at(to), isEndNow: true }, { ...frame, width }).map(({ text }) => text);

  test('are round times, the first with its day, and "now" last', () => {
    expect(labels('2026-11-27T14:15:00Z', '2026-11-28T14:15:00Z')).toEqual([
      '18:00 yesterday',
      '00:00',
      '06:00',
      '12:00',
      'now',
    ]);
  });

  test('contain the date in a range of days', () => {
    expect(labels('2026-11-21T14:00:00Z', '2026-11-28T15:00:00Z')).toEqual(['23 Nov', '25 Nov', '27 Nov', 'now']);
  });

  test.each([320, 390, 720, 1_100])('are at most six, and do not touch each other, in %d pixels', (width) => {
    for (const hours of [0.02, 0.25, 1, 3, 6, 24, 72, 168, 720, 2_160]) {
      const range = { from: now - hours * 3_600_000, to: now, isEndNow: true };
      const found = timeLabels(range, { ...frame, width });
      expect(found.at(-1)?.text).toBe('now');
      expect(found.length).toBeGreaterThanOrEqual(3);
      expect(found.length).toBeLessThanOrEqual(6);
      const edges = found.map(({ text, x, side }) => {
        const size = text.length * 6;
        const left = side === 'start' ? x : side === 'middle' ? x - size / 2 : x - size;
        return [left, left + size] as const;
      });
      edges.slice(1).forEach(([left], place) => expect(left - (edges[place]?.[1] ?? 0)).toBeGreaterThanOrEqual(10));
      expect(edges[0]?.[0]).toBeGreaterThanOrEqual(0);
    }
  });

  test('do not contain "now" if the range ended earlier', () => {
    const range = { from: at('2026-11-20T00:00:00Z'), to: at('2026-11-20T12:00:00Z'), isEndNow: false };
    const found = timeLabels(range, frame).map(({ text }) => text);
    expect(found).not.toContain('now');
    expect(found[0]).toBe('20 Nov 00:00');
  });
});
