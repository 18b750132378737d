import { expect, test } from '@jest/globals';
import { errorLine } from '../src/lib/error-line.ts';

test.each([
  ['{"error":"NullPointerException","message":"customer.vatId must not be null"}', 'customer.vatId must not be null'],
  ['{"error":{"code":7,"message":"quota exceeded"}}', 'quota exceeded'],
  ['{"error":"not today"}', 'not today'],
  ['{"ok":false}', '{"ok":false}'],
  ['upstream timed out\nat line 7', 'upstream timed out'],
  ['<html>', undefined],
  ['', undefined],
])('%s says %s', (body, expected) => {
  expect(errorLine(body)).toBe(expected);
});

test('a long line is cut off', () => {
  expect(errorLine('x'.repeat(200))).toBe(`${'x'.repeat(160)}…`);
});
