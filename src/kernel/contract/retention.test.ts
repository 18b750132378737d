import { expect, test } from '@jest/globals';
import { progressFrom } from './retention.ts';

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
