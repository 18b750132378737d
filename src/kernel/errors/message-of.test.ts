import { expect, test } from '@jest/globals';
import { messageOf } from './message-of.ts';

test.each([
  [new TypeError('no such file'), 'no such file'],
  ['stopped', 'stopped'],
  [undefined, 'undefined'],
  [{ toString: (): string => 'an object of somebody' }, 'an object of somebody'],
])('the words of %p are %j', (thrown, words) => {
  expect(messageOf(thrown)).toBe(words);
});
