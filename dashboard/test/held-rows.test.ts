import { expect, test } from '@jest/globals';
import { heldRows } from '../src/lib/held-rows.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).join('');

test('new rows wait, removed rows stay in place, and older ones join at the end', () => {
  const { rows: held, fresh, gone } = heldRows(rows('d', 'c'), rows('f', 'e', 'd', 'b'), { top: 'd', hasMore: false });
  expect(idsOf(held)).toBe('dcb');
  expect(fresh).toBe(2);
  expect([...gone]).toEqual(['c']);
});

test('a row that new ones pushed off the loaded page is still there', () => {
  const pushed = heldRows(rows('d', 'c'), rows('e', 'd'), { top: 'd', hasMore: true });
  expect([...pushed.gone]).toEqual([]);
  expect([...heldRows(rows('d', 'c'), rows('e', 'd'), { top: 'd', hasMore: false }).gone]).toEqual(['c']);
});

test('a list that became empty keeps showing its rows', () => {
  const { rows: held, gone } = heldRows(rows('a'), [], { top: 'a', hasMore: false });
  expect([idsOf(held), [...gone]]).toEqual(['a', ['a']]);
});
