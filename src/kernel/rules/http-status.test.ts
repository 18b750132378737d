import { expect, test } from '@jest/globals';
import { STATUS_FILTER, STATUS_GROUP, statusRange } from './http-status.ts';

test.each([
  ['503', 503, 503],
  ['4xx', 400, 499],
  ['5xx', 500, 599],
  ['500-503', 500, 503],
  ['503-500', 500, 503],
])('%s stands for the statuses from %i to %i', (text, least, most) => {
  expect(statusRange(text)).toEqual({ least, most });
});

const TEXTS = [
  '1xx',
  '5xx',
  '500-503',
  '503',
  '6xx',
  '50x',
  '5XX',
  'x5xx',
  '5xxx',
  '99-600',
  '500-',
  '-503',
  '500-5xx',
];

test('a class is a digit and two letters, and a range two statuses', () => {
  expect(TEXTS.filter((text) => STATUS_GROUP.test(text))).toEqual(['1xx', '5xx', '500-503']);
  expect(TEXTS.filter((text) => STATUS_FILTER.test(text))).toEqual(['1xx', '5xx', '500-503', '503']);
});
