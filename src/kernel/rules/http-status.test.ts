import { expect, test } from '@jest/globals';
import { statusRange, STATUS_CLASS } from './http-status.ts';

test.each([
  ['503', 503, 503],
  ['4xx', 400, 499],
  ['5xx', 500, 599],
])('%s stands for the statuses from %i to %i', (text, least, most) => {
  expect(statusRange(text)).toEqual({ least, most });
});

test('a class is a digit and two letters', () => {
  expect(['1xx', '5xx', '6xx', '503', '50x', '5XX', 'x5xx', '5xxx'].filter((text) => STATUS_CLASS.test(text))).toEqual([
    '1xx',
    '5xx',
  ]);
});
