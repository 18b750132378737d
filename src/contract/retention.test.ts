import { expect, test } from '@jest/globals';
import { lowestIdAt } from '../kernel/values/ids.ts';
import { progressFrom, retentionLimits } from './retention.ts';

const now = new Date('2026-03-31T12:00:00.000Z');

test('there is a limit for every number of days, each a day of 24 hours before the one before', () => {
  const limits = retentionLimits(now);
  expect(limits).toHaveLength(365);
  expect(limits[0]).toBe(lowestIdAt('message', new Date('2026-03-30T12:00:00.000Z')));
  expect(limits[29]).toBe(lowestIdAt('message', new Date('2026-03-01T12:00:00.000Z')));
  expect(limits[364]).toBe(lowestIdAt('message', new Date('2025-03-31T12:00:00.000Z')));
  expect(limits.toSorted().toReversed()).toEqual(limits);
});

const begin = {
  messages: 0,
  kept: 0,
  deliveries: 0,
  attempts: 0,
  deadLetters: 0,
  subscriptions: 0,
  channels: 0,
  runs: 0,
  steps: 0,
  position: '',
  environment: '',
};

test.each([
  ['nothing', undefined, begin],
  ['null', null, begin],
  ['a text', 'chn_1', begin],
  ['an object of another kind', { position: 3 }, begin],
  ['a count that is none', { ...begin, messages: '7' }, begin],
  [
    'what an earlier try left',
    { ...begin, position: 'chn_1', messages: 7 },
    { ...begin, position: 'chn_1', messages: 7 },
  ],
])('the progress from %s', (_, details, progress) => {
  expect(progressFrom(details)).toEqual(progress);
});
