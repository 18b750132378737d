import { expect, test } from '@jest/globals';
import { lowestIdAt } from '../values/ids.ts';
import { retentionLimits } from './retention-limits.ts';

const now = new Date('2026-03-31T12:00:00.000Z');

test('there is a limit for every number of days, each a day of 24 hours before the one before', () => {
  const limits = retentionLimits(now);
  expect(limits).toHaveLength(365);
  expect(limits[0]).toBe(lowestIdAt('message', new Date('2026-03-30T12:00:00.000Z')));
  expect(limits[29]).toBe(lowestIdAt('message', new Date('2026-03-01T12:00:00.000Z')));
  expect(limits[364]).toBe(lowestIdAt('message', new Date('2025-03-31T12:00:00.000Z')));
  expect(limits.toSorted().toReversed()).toEqual(limits);
});

test('runs have the same limits with ids of their own', () => {
  expect(retentionLimits(now, 'run')[29]).toBe(lowestIdAt('run', new Date('2026-03-01T12:00:00.000Z')));
});
