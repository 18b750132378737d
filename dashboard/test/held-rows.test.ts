import { expect, test } from '@jest/globals';
import { heldRows } from '../src/lib/held-rows.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).join('');

test('new rows wait, rows that left stay in their place, and older ones join at the end', () => {
  const { rows: held, fresh, gone } = heldRows(rows('d', 'c'), rows('f', 'e', 'd', 'b'), { top: 'd', hasMore: false });
  expect(idsOf(held)).toBe('dcb');
  expect(fresh).toBe(2);
  expect([...gone]).toEqual(['c']);
});

test('a row that new ones pushed behind the loaded page is still there', () => {
  const pushed = heldRows(rows('d', 'c'), rows('e', 'd'), { top: 'd', hasMore: true });
  expect([...pushed.gone]).toEqual([]);
  expect([...heldRows(rows('d', 'c'), rows('e', 'd'), { top: 'd', hasMore: false }).gone]).toEqual(['c']);
});

test('a list that became empty keeps what it showed', () => {
  const { rows: held, gone } = heldRows(rows('a'), [], { top: 'a', hasMore: false });
  expect([idsOf(held), [...gone]]).toEqual(['a', ['a']]);
});
