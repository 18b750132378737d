import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern } from './pattern.ts';

/** Everyday patterns, and patterns with anchors, classes, case and word boundaries. */
const PATTERNS = [
  '^[A-Z]-[0-9]+$',
  '(?i)eur',
  '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
  '.*foo.*bar',
  'foo.{0,5}bar',
  '(?i)\\bjos\u00e9\\b',
  '\\Bé|a\\b',
  '^(\\d{1,3}\\.){3}\\d{1,3}$',
  'error|warning|critical|fatal',
  '(?i)(error|warning|critical|fatal|timeout|refused)',
  '(?s)^a.b$',
  '(?m)^a$',
  '^$',
  '',
  'a*',
  '[^a]',
  '[日-鿿]+$',
  '😀+|[\u{1f600}-\u{1f64f}]b',
  '\\Aab\\z',
  '[ab]*a[ab]{5}[xy]',
];

describe('the table of a pattern finds what re2js finds:', () => {
  const letter = fc.constantFrom(
    'a',
    'b',
    'A',
    '-',
    '1',
    '0',
    '.',
    '@',
    ' ',
    '\n',
    'é',
    'É',
    'ſ',
    'K',
    '日',
    '😀',
    '\ud83d',
    '_',
    'f',
    'o',
  );
  const word = fc.constantFrom('foo', 'bar', 'error', 'José', 'eur', 'ab', '192.168.0.1', 'A-1', 'a\nb');

  test.each(PATTERNS)('%j', (pattern) => {
    const [own, theirs] = [compilePattern(pattern), RE2JS.compile(pattern)];
    const text = fc.array(fc.oneof(letter, letter, word), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (each) => {
        expect([each, own.test(each)]).toEqual([each, theirs.test(each)]);
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['(a', 'error parsing regexp: missing closing ): `(a`'],
  ['(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
  ['[ab]*a[ab]{20}[xy]', 'it needs too many states'],
  ['(a|b|ab|ba|aab|bba){30}[xy]', 'it needs too many states'],
])('%s is refused: %s', (pattern, reason) => {
  expect(() => compilePattern(pattern)).toThrow(reason);
});
