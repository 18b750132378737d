import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../errors.ts';
import { lowestIdAt } from './ids.ts';
import { isCursorOf, type ListScope, narrowByName, PAGE_LIMIT, type Page, pageRequest, toPage } from './page.ts';

type Row = { id: string; name: string };

const scope: ListScope = { list: 'channels', environmentId: 'env_one', filters: { status: 'active', name: undefined } };
const rows: Row[] = [5, 4, 3, 2, 1].map((second) => ({
  id: lowestIdAt('channel', new Date(second * 1_000)),
  name: `row ${second}`,
}));
const idOf = (index: number): string => rows[index]?.id ?? '';

/** The page behind `cursor`, as a store would cut it: newest first, one row more than asked for. */
function list(limit: number, cursor?: string): Page<string> {
  const { after } = pageRequest(scope, { cursor, limit });
  const rest = rows.filter(({ id }) => after === undefined || id < after);
  return toPage(scope, limit, rest.slice(0, limit + 1), ({ name }) => name);
}

function problemWith(cursor: string, of: ListScope = scope): ApiError {
  try {
    pageRequest(of, { cursor, limit: 20 });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the cursor was taken');
}

const cursorOf = (text: string): string => Buffer.from(text).toString('base64url');
const good = list(2).pagination.cursor ?? '';
const mark = Buffer.from(good, 'base64url').toString('utf8').split('.')[1] ?? '';

test('the limits are those of the specification', () => {
  expect(PAGE_LIMIT).toEqual({ min: 1, max: 100, default: 20 });
});

test('a cursor belongs to its list and filters', () => {
  expect(isCursorOf(scope, good)).toBe(true);
  expect(isCursorOf({ ...scope, filters: { ...scope.filters, status: 'disabled' } }, good)).toBe(false);
  expect(isCursorOf(scope, cursorOf('no cursor'))).toBe(false);
});

describe('pages', () => {
  test.each([
    [1, [['row 5'], ['row 4'], ['row 3'], ['row 2'], ['row 1']]],
    [2, [['row 5', 'row 4'], ['row 3', 'row 2'], ['row 1']]],
    [5, [['row 5', 'row 4', 'row 3', 'row 2', 'row 1']]],
    [100, [['row 5', 'row 4', 'row 3', 'row 2', 'row 1']]],
  ])('show each of %i rows once, and only the last has no cursor', (limit, pages) => {
    let cursor: string | undefined;
    const seen = pages.map(() => {
      const page = list(limit, cursor);
      cursor = page.pagination.cursor;
      expect(page.pagination.hasMore).toBe(cursor !== undefined);
      return page.data;
    });
    expect(seen).toEqual(pages);
    expect(cursor).toBeUndefined();
  });

  test('have no data and no cursor when the list is empty', () => {
    expect(toPage(scope, 20, [], (row: Row) => row)).toEqual({ data: [], pagination: { hasMore: false } });
  });

  test('with no rows do not promise more', () => {
    expect(toPage(scope, 0, rows, (row) => row)).toEqual({ data: [], pagination: { hasMore: false } });
  });
});

describe('a cursor', () => {
  test('is this text for this list: a fixed vector', () => {
    expect(good).toBe(cursorOf(`${idOf(1)}.${mark}`));
    // SHA-256 of ["channels","env_one",[["status","active"]]], as Python's hashlib and base64 give it.
    expect(mark).toBe('uDN6GGsBQ3ij1xhP');
  });

  test('decodes to the id that it comes after', () => {
    expect(pageRequest(scope, { cursor: good, limit: 7 })).toEqual({ limit: 7, after: idOf(1) });
  });

  test('that is absent starts at the newest row', () => {
    expect(pageRequest(scope, { limit: 7 })).toEqual({ limit: 7, after: undefined });
  });

  test.each<[string, ListScope]>([
    ['the filters in another order', { ...scope, filters: { name: undefined, status: 'active' } }],
    ['an unset filter left out', { ...scope, filters: { status: 'active' } }],
    ['an unset filter added', { ...scope, filters: { ...scope.filters, since: undefined } }],
  ])('still belongs to its list with %s', (_, same) => {
    expect(pageRequest(same, { cursor: good, limit: 20 }).after).toBe(idOf(1));
  });

  test('does not depend on the order of two set filters', () => {
    const two = (filters: Record<string, string>): ListScope => ({ ...scope, filters });
    const cursor = toPage(two({ a: '1', b: '2' }), 1, rows, (row) => row).pagination.cursor ?? '';
    expect(pageRequest(two({ b: '2', a: '1' }), { cursor, limit: 1 }).after).toBe(idOf(0));
    expect(problemWith(cursor, two({ a: '2', b: '1' })).code).toBe('INVALID_REQUEST');
  });

  test.each<[string, ListScope]>([
    ['list', { ...scope, list: 'subscriptions' }],
    ['environment', { ...scope, environmentId: 'env_two' }],
    ['filter', { ...scope, filters: { status: 'paused' } }],
    ['set of filters', { ...scope, filters: {} }],
  ])('is refused when it is of another %s', (_, other) => {
    expect(problemWith(good, other)).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'cursor', reason: 'must be a cursor of this list with these filters' },
    });
  });

  test.each<[string, string]>([
    ['that is empty', ''],
    ['that is no base64url', '%%%'],
    ['with a character too many', `${good}A`],
    ['with padding', `${good}=`],
    ['with white space', ` ${good}`],
    ['with a line break', `${good}\n`],
    ['with a character the decoder skips', `${good.slice(0, 4)}!${good.slice(4)}`],
    ['that was cut', good.slice(0, -4)],
    ['with bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x2e, 0x41]).toString('base64url')],
    ['without a mark', cursorOf(idOf(1))],
    ['with another mark', cursorOf(`${idOf(1)}.${'A'.repeat(16)}`)],
    ['with a third part', cursorOf(`${idOf(1)}.${mark}.x`)],
    ['with the right mark and no id', cursorOf(`.${mark}`)],
    ['with the right mark and a NUL for an id', cursorOf(`\0.${mark}`)],
    ['with the right mark and a NUL behind the id', cursorOf(`${idOf(1)}\0.${mark}`)],
    ['with the right mark and SQL for an id', cursorOf(`' OR true --.${mark}`)],
    ['that is JSON', cursorOf('{"after":1}')],
    ['that is very long', 'A'.repeat(100_000)],
  ])('%s is refused', (_, cursor) => {
    expect(problemWith(cursor)).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'cursor' } });
  });
});

test('rows that match part of a name replace the ids in the filter, and without a name nothing is searched', async () => {
  const filter: { status: string; ids?: readonly string[] } = { status: 'active', ids: ['a', 'b'] };
  const asked: unknown[] = [];
  const look = async (named: object) => {
    asked.push(named);
    return { positions: ['b'], lookedTo: 'a' };
  };
  expect(await narrowByName(filter, undefined, look)).toEqual({ wanted: filter });
  expect(asked).toEqual([]);
  expect(await narrowByName(filter, 'or', look)).toEqual({ wanted: { status: 'active', ids: ['b'] }, lookedTo: 'a' });
  expect(asked).toEqual([{ ...filter, part: 'or' }]);
});
