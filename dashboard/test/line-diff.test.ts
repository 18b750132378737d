import { expect, test } from '@jest/globals';
import { lineDiff, shortened } from '../src/lib/line-diff.ts';

const signs = { same: ' ', removed: '-', added: '+' };
const diff = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);

test('two texts are compared by line, with as few removed and added lines as possible', () => {
  expect(diff('a\nb\nc', 'a\nb\nc')).toEqual([' a', ' b', ' c']);
  expect(diff('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(diff('a\na', 'a')).toEqual([' a', '-a']);
  expect(diff('a\nb', 'x\ny')).toEqual(['-a', '-b', '+x', '+y']);
});

test('parts that are too long to compare are shown as one removal and one addition', () => {
  const lines = (mark: string): string[] => Array.from({ length: 2_500 }, (_, at) => `${mark}${at % 2 ? at : 'same'}`);
  const [old, now] = [lines('a'), lines('b')];
  const found = lineDiff(['head', ...old, 'tail'].join('\n'), ['head', ...now, 'tail'].join('\n'));
  expect(found.map(({ kind }) => kind)).toEqual([
    'same',
    ...old.map(() => 'removed'),
    ...now.map(() => 'added'),
    'same',
  ]);
});

test('equal lines far from a change are a number', () => {
  const equal = Array.from({ length: 10 }, (_, at) => `line ${at}`);
  const short = shortened(lineDiff([...equal, 'old', ...equal].join('\n'), [...equal, 'new', ...equal].join('\n')));
  expect([short[0], short.at(-1), short.length]).toEqual([7, 7, 10]);
  expect(shortened(lineDiff('a\nb', 'a\nb'))).toEqual([2]);
});
