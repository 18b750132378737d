import { expect, test } from '@jest/globals';
import { excerpts } from '../src/lib/excerpts.ts';

test('two long texts show the part that changed, with some context', () => {
  const [head, tail] = ['h'.repeat(100), 't'.repeat(100)];
  expect(excerpts(`${head}503${tail}`, `${head}200 OK${tail}`)).toEqual({
    before: `…${'h'.repeat(40)}503${'t'.repeat(40)}…`,
    after: `…${'h'.repeat(40)}200 OK${'t'.repeat(40)}…`,
  });
  expect(excerpts('Berlin', 'Bonn')).toEqual({ before: 'Berlin', after: 'Bonn' });
  // A text that only grew: its old part did not change.
  expect(excerpts(head, `${head}!`)).toEqual({ before: `…${'h'.repeat(40)}`, after: `…${'h'.repeat(40)}!` });
  expect(excerpts('aaa', 'aa')).toEqual({ before: 'aaa', after: 'aa' });
});

test('a text that only one attempt has stays whole, and no character is cut in two', () => {
  expect(excerpts(undefined, 'x'.repeat(100))).toEqual({ before: undefined, after: 'x'.repeat(100) });
  const faces = '😀'.repeat(50);
  expect(excerpts(`${faces}a`, `${faces}b`)).toEqual({
    before: `…${'😀'.repeat(40)}a`,
    after: `…${'😀'.repeat(40)}b`,
  });
});
