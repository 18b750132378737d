import { expect, test } from '@jest/globals';
import { lowestIdAt } from '../values/ids.ts';
import { retentionLimits, ADAPTIVE_CONCURRENCY, CONCURRENCY, RATE_LIMIT } from './resource-bounds.ts';

const now = new Date('2026-03-31T12:00:00.000Z');

test('there is a limit for every number of days, each 24 hours before the previous one', () => {
  const limits = retentionLimits(now);
  expect(limits).toHaveLength(365);
  expect(limits[0]).toBe(lowestIdAt('message', new Date('2026-03-30T12:00:00.000Z')));
  expect(limits[29]).toBe(lowestIdAt('message', new Date('2026-03-01T12:00:00.000Z')));
  expect(limits[364]).toBe(lowestIdAt('message', new Date('2025-03-31T12:00:00.000Z')));
  expect(limits.toSorted().toReversed()).toEqual(limits);
});

test('runs have the same limits with their own ids', () => {
  expect(retentionLimits(now, 'run')[29]).toBe(lowestIdAt('run', new Date('2026-03-01T12:00:00.000Z')));
});

test('the bounds of what a subscription may set, and of the adaptive limit', () => {
  expect({ CONCURRENCY, ADAPTIVE_CONCURRENCY, RATE_LIMIT }).toEqual({
    CONCURRENCY: { min: 1, max: 1_000 },
    ADAPTIVE_CONCURRENCY: { start: 20, least: 2, most: 1_000 },
    RATE_LIMIT: { min: 1, max: 10_000 },
  });
});
