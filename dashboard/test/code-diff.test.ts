import { expect, test } from '@jest/globals';
import { changedPart, shortRows, sideRows, unifiedRows } from '../src/ui/code/diff-rows.ts';

const side = (number: number, text: string) => ({ number, text });

test('replaced lines are next to each other in two columns, and one above the other in a single column', () => {
  const rows = sideRows('a\nb\nc\nd', 'a\nB\nC\nX\nd');
  expect(rows).toEqual([
    { isSame: true, before: side(1, 'a'), after: side(1, 'a') },
    { isSame: false, before: side(2, 'b'), after: side(2, 'B') },
    { isSame: false, before: side(3, 'c'), after: side(3, 'C') },
    { isSame: false, before: undefined, after: side(4, 'X') },
    { isSame: true, before: side(4, 'd'), after: side(5, 'd') },
  ]);
  expect(unifiedRows(rows).map(({ before, after }) => [before?.text, after?.text])).toEqual([
    ['a', 'a'],
    ['b', undefined],
    ['c', undefined],
    [undefined, 'B'],
    [undefined, 'C'],
    [undefined, 'X'],
    ['d', 'd'],
  ]);
});

test('equal lines far from a change are a gap until it is opened', () => {
  const text = (middle: string): string => `a\nb\nc\nd\ne\nf\ng\nh\n${middle}\ni\nj\nk\nl`;
  const rows = sideRows(text('1'), text('2'));
  const short = shortRows(rows, new Set());
  expect(short[0]).toEqual({ from: 0, count: 5 });
  // Three lines of context around the change, and the last line alone, which takes no more room than a gap.
  expect(short).toHaveLength(1 + 3 + 1 + 4);
  expect(shortRows(rows, new Set([0]))).toEqual(rows);
});

test('only the part of a line that differs is highlighted', () => {
  const part = changedPart('"total": 100,', '"total": 2500,');
  expect(part).toEqual({ head: 9, before: 10, after: 11 });
  expect(changedPart('one', 'two')).toBeUndefined();
  expect(changedPart('      one', '      twa')).toBeUndefined();
  // Both start with the same half of a surrogate pair.
  expect(changedPart('abc😀', 'abc😁')).toEqual({ head: 3, before: 5, after: 5 });
});
