import { expect, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { estimatedPatternSize } from './pattern-size.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['a{2,5}', 5],
  ['a{2,}', 2],
  ['a{0}', 1],
  ['(ab){3}', 12],
  ['((ab){3}){3}', 42],
  ['[a-z]{4}', 4],
  ['[^]{9}]{2}', 2],
  ['\\{3}', 3],
  ['\\pL', 52],
  ['[\\pL\\PN]{2}', 202],
  ['a)b', 3],
  ['(a', 1],
])('the pattern %j makes about %i instructions', (pattern, size) => {
  expect(estimatedPatternSize(pattern)).toBe(size);
});

test.each([
  '(?:(?:(?:.{10}){10}){10})',
  '[^a]{0,1000}',
  '(.){1000}',
  '(?:(.)|(..)){0,1000}',
  '.{999}',
  '(?:a|b|c){300}',
])('the estimate for %j is not less than half of what it is', (pattern) => {
  expect(2.01 * estimatedPatternSize(pattern)).toBeGreaterThan(RE2JS.compile(pattern).programSize());
});
