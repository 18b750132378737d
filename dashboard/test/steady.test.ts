import { expect, test } from '@jest/globals';
import { keptOf, steadyRows } from '../src/lib/steady.ts';

type Row = { id: string; count: number };
const idOf = ({ id }: Row): string => id;
const rowsOf = (counts: Record<string, number>): Row[] => Object.entries(counts).map(([id, count]) => ({ id, count }));
const first = rowsOf({ a: 9, b: 8, c: 7 });
/** The first two rows are shown, and then these are all rows. */
const then = (counts: Record<string, number>) => steadyRows(keptOf(first, idOf, 2), rowsOf(counts), idOf, 2);

// A table knew only its first rows, so one that dropped out of them was shown as gone.
test('a row that drops out of the shown ones stays, with its current values', () => {
  expect(then({ c: 12, a: 10, b: 8 })).toEqual({
    shown: [
      { row: { id: 'a', count: 10 }, isGone: false },
      { row: { id: 'b', count: 8 }, isGone: false },
    ],
    fresh: 0,
    isMoved: true,
  });
});

test('a removed row stays as it was, and the next one may take its place', () => {
  const { shown, fresh, isMoved } = then({ a: 9, c: 7 });
  expect(shown.map(({ isGone }) => isGone)).toEqual([false, true]);
  expect({ fresh, isMoved }).toEqual({ fresh: 0, isMoved: true });
});

test.each([
  ['among the first is new', { d: 20, a: 9, b: 8, c: 7 }, 1, true],
  ['after them moves nothing', { a: 9, b: 8, c: 7, d: 1 }, 0, false],
])('a row that comes %s', (_, counts, fresh, isMoved) => {
  expect(then(counts)).toMatchObject({ fresh, isMoved });
});
