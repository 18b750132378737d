import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACT } from '../support/check/contract-table.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { met } from '../support/make/met.ts';
import { make } from '../support/make/seed.ts';
import type { Item } from '../support/make/list-filters.ts';
import { LISTS, type ListName, seedLists } from '../support/make/seeded-lists.ts';

let posthorn: TestPosthorn;
/** The lists' addresses in either environment, each with at least five items. */
let paths: Record<'live' | 'test', Record<ListName, string>>;

type Page = { data: Item[]; pagination: { cursor?: string; hasMore: boolean } };
type Refusal = { error: { code: string; details?: { field: string } } };

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  paths = { live: await seedLists(posthorn, posthorn.keys.live), test: await seedLists(posthorn, posthorn.keys.test) };
});
afterAll(() => posthorn.stop());

const get = <T = Page>(name: ListName, query = '', environment: 'live' | 'test' = 'live'): Promise<Answer<T>> =>
  posthorn.request<T>('GET', `${paths[environment][name]}?${query}`, undefined, { key: posthorn.keys[environment] });

const all = async (name: ListName, query = '', environment: 'live' | 'test' = 'live'): Promise<Item[]> => {
  const { status, body } = await get(name, `limit=100&${query}`, environment);
  expect([status, body.pagination]).toEqual([200, { hasMore: false }]);
  return body.data;
};

/** Reads the list page by page, checking each page, and returns every id in order. */
async function walk(name: ListName, limit: number, query = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const after: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await get(name, `limit=${limit}&${query}${after}`);
    expect(status).toBe(200);
    cursor = body.pagination.cursor;
    expect(body.pagination).toEqual(cursor === undefined ? { hasMore: false } : { cursor, hasMore: true });
    if (cursor !== undefined) expect(body.data).toHaveLength(limit);
    ids.push(...body.data.map(({ id }) => id));
  }
  return ids;
}

async function expectInvalid(name: ListName, query: string, parameter: string): Promise<void> {
  const { status, body } = await get<Refusal>(name, query);
  expect([query, status, body.error?.code, body.error?.details?.field]).toEqual([
    query,
    400,
    'INVALID_REQUEST',
    parameter,
  ]);
}

const cursorOf = async (name: ListName, query = '', environment: 'live' | 'test' = 'live'): Promise<string> =>
  (await get(name, `limit=1&${query}`, environment)).body.pagination.cursor ?? '';

test('the tested lists are all lists of the contract', () => {
  // Lists above environments (test/identity) and the catalogue (test/automations/connectors.test.ts) have tests of their own.
  const lists = CONTRACT.filter(
    ({ listOf, level, path }) => listOf !== undefined && level !== 'organisation' && path !== '/v1/connectors',
  );
  expect(lists).toHaveLength(LISTS.length);
});

describe.each(LISTS)('the list of $name', ({ name, filters, hasTimes, isSoonestFirst }) => {
  test(`shows exactly what the environment has, ${isSoonestFirst ? 'soonest' : 'newest'} first`, async () => {
    for (const environment of ['live', 'test'] as const) {
      const items = await all(name, '', environment);
      const { rows } = await rowsOf(name, environment);
      expect(items.map((item) => item.id)).toEqual(rows.map((row) => row.id));
      expect(items.length).toBeGreaterThanOrEqual(5);
    }
  });

  test('returns every item exactly once, in pages of any size', async () => {
    const ids = (await all(name)).map(({ id }) => id);
    for (const limit of [...ids.map((_, index) => index + 1), ids.length + 1]) {
      expect([limit, await walk(name, limit)]).toEqual([limit, ids]);
    }
  });

  test('has pages of 20 by default, and refuses any limit but a whole number from 1 to 100', async () => {
    const idsOf = async (query = ''): Promise<unknown[]> => (await get(name, query)).body.data.map(({ id }) => id);
    expect(await idsOf()).toEqual(await idsOf('limit=20'));
    for (const limit of ['0', '101', 'abc', '1e1', '-1', '+1', '1.0', '0x1', '', '%201', '1&limit=1', '99999999999']) {
      await expectInvalid(name, `limit=${limit}`, 'limit');
    }
  });

  test('refuses a cursor of another list', async () => {
    const own = await cursorOf(name);
    const [id = '', mark = ''] = Buffer.from(own, 'base64url').toString().split('.');
    const sealed = (text: string): string => Buffer.from(text).toString('base64url');
    const garbage = ['x', 'null', '%00', id, sealed(id), sealed(`${id}.`), sealed(`.${mark}`), own.slice(0, -1)];
    const forged = [`${own}=`, `${own}%20`, `%20${own}`, own.toLowerCase(), 'A'.repeat(4_000), sealed(`x\0.${mark}`)];
    const others = LISTS.filter((list) => list.name !== name).map((list) => cursorOf(list.name));
    const foreign = [...(await Promise.all(others)), await cursorOf(name, '', 'test')];
    for (const cursor of [...garbage, ...forged, ...foreign, `${own}&cursor=${own}`]) {
      await expectInvalid(name, `cursor=${cursor}`, 'cursor');
    }
    expect((await get(name, `cursor=${own}`)).status).toBe(200);
    expect(await get(name, 'cursor=')).toMatchObject({ body: (await get(name, '')).body });
  });

  for (const [filter, { values, matches, strange, bad }] of Object.entries(filters)) {
    test(`filters by ${filter}, and binds the cursor to it`, async () => {
      const items = await known(name);
      const wanted = values.length > 0 ? values : valuesOf(items, filter);
      expect(wanted.length).toBeGreaterThan(1);
      for (const value of wanted) {
        const expected = items.filter((item) => matches(item, value)).map(({ id }) => id);
        expect([value, expected.length > 0]).toEqual([value, true]);
        expect([value, await walk(name, 1, `${filter}=${value}`)]).toEqual([value, expected]);
        await expectInvalid(name, `${filter}=${value}&cursor=${await cursorOf(name)}`, 'cursor');
      }
      await expectInvalid(name, `${filter}=${wanted[0]}&${filter}=${wanted[0]}`, filter);
      const bound = await firstCursor(
        name,
        wanted.map((value) => `${filter}=${value}`),
      );
      await expectInvalid(name, `cursor=${bound}`, 'cursor');
      for (const value of strange) expect([value, await all(name, `${filter}=${value}`)]).toEqual([value, []]);
      for (const value of bad) await expectInvalid(name, `${filter}=${value}`, filter);
    });

    if (values.length === 0) {
      test(`shows nothing of another environment by ${filter}`, async () => {
        const others = valuesOf(await known(name, 'test'), filter);
        expect(others.length).toBeGreaterThan(1);
        for (const value of others) expect([value, await all(name, `${filter}=${value}`)]).toEqual([value, []]);
      });
    }
  }

  if (Object.keys(filters).length > 1) {
    test('combines filters: an item must match all of them', async () => {
      const items = await known(name);
      const choices = Object.entries(filters).map(([filter, { values }]) => ({
        filter,
        wanted: values.length > 0 ? values : valuesOf(items, filter).slice(0, 4),
      }));
      for (const [index, { filter, wanted }] of choices.entries()) {
        for (const other of choices.slice(index + 1))
          for (const [one, two] of met(wanted, other.wanted))
            await expectMatching(name, items, { [filter]: one, [other.filter]: two });
      }
      for (const item of items) {
        const own = Object.keys(filters).filter((filter) => typeof item[filter] === 'string');
        await expectMatching(name, items, Object.fromEntries(own.map((filter) => [filter, String(item[filter])])));
      }
    });
  }

  if (hasTimes !== undefined) {
    // Regression: `until` was cut to the millisecond, so an item of the same millisecond was missing.
    test('accepts since and until, which are exclusive and precise to the microsecond', async () => {
      const items = await all(name);
      const microseconds = (item: Item): bigint => BigInt(Date.parse(String(item[hasTimes]))) * 1_000n;
      const chosen = [items[0], items[Math.floor(items.length / 2)], items.at(-1)].flatMap((item) => item ?? []);
      for (const at of chosen.map(microseconds)) {
        for (const offset of [-1_000n, -999n, -1n, 0n, 1n, 500n, 999n, 1_000n]) {
          const edge = at + offset;
          expect(await all(name, `since=${timeText(edge)}`)).toEqual(items.filter((it) => microseconds(it) > edge));
          expect(await all(name, `until=${timeText(edge)}`)).toEqual(items.filter((it) => microseconds(it) < edge));
        }
        const within = await all(name, `since=${timeText(at - 1n)}&until=${timeText(at + 1n)}`);
        expect(within).toEqual(items.filter((it) => microseconds(it) === at));
        const query = `since=${timeText(at - 1n)}&until=${timeText(at + 1n)}`;
        expect(await walk(name, 1, query)).toEqual(within.map(({ id }) => id));
      }
    });

    // Regression: it was INVALID_REQUEST, even if both bounds were in order within one millisecond.
    test('is empty if since is not before until, or nothing lies between', async () => {
      const items = await all(name);
      for (const item of items) {
        const at = BigInt(Date.parse(String(item[hasTimes]))) * 1_000n;
        for (const [since, until] of [
          [at, at],
          [at + 1n, at - 1n],
          [at + 1_000n, at],
          [at + 1n, at + 2n],
          [at, at + 999n],
        ] as const)
          expect(await all(name, `since=${timeText(since)}&until=${timeText(until)}`)).toEqual([]);
      }
    });

    test('accepts since and until together with its filters', async () => {
      const items = await known(name);
      const middle = String(items[Math.floor(items.length / 2)]?.[hasTimes]);
      for (const [filter, { values, matches }] of Object.entries(filters)) {
        for (const value of values.length > 0 ? values : valuesOf(items, filter)) {
          const later = items.filter((item) => matches(item, value) && String(item[hasTimes]) > middle);
          const earlier = items.filter((item) => matches(item, value) && String(item[hasTimes]) < middle);
          const ids = async (bound: string): Promise<string[]> =>
            (await all(name, `${filter}=${value}&${bound}=${middle}`)).map(({ id }) => id);
          expect([value, await ids('since')]).toEqual([value, later.map(({ id }) => id)]);
          expect([value, await ids('until')]).toEqual([value, earlier.map(({ id }) => id)]);
        }
      }
      const bound = await cursorOf(name, 'since=2001-01-01T00:00:00.0001Z');
      await expectInvalid(name, `cursor=${bound}&since=2001-01-01T00:00:00.0002Z`, 'cursor');
      expect((await get(name, `cursor=${bound}&since=2001-01-01T01:00:00.000100%2B01:00`)).status).toBe(200);
    });

    test('accepts offsets and refuses anything that is not a date-time', async () => {
      const items = await all(name);
      expect(await all(name, 'since=1969-12-31T23:59:59-01:00')).toEqual(items);
      expect(await all(name, 'since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59.999Z')).toEqual(items);
      expect(await all(name, 'since=9999-12-31T23:59:59.999999999Z')).toEqual([]);
      expect(await all(name, 'until=1970-01-01T00:00:00%2B01:00')).toEqual([]);
      for (const filter of ['since', 'until']) {
        for (const value of [
          '',
          '0',
          'now',
          '2026-01-31',
          '2026-02-30T00:00:00Z',
          '2026-01-31T12:00:00',
          '2026-01-31T12:00:00.0123456789Z',
          '1700000000',
        ]) {
          await expectInvalid(name, `${filter}=${value}`, filter);
        }
      }
    });
  }
});

test.each([
  ['messages', 'channels'],
  ['scheduled', 'channels'],
  ['attempts', 'deliveries'],
] as const)('a cursor of the list of %s of one resource is invalid for any other', async (name, table) => {
  const id = /[a-z]{3}_\w+/.exec(paths.live[name])?.[0] ?? '';
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `SELECT o.id FROM ${table} o JOIN ${table} t USING (environment_id) WHERE t.id = $1 AND o.id <> $1 ORDER BY 1 LIMIT 1`,
    [id],
  );
  const path = `${paths.live[name].replace(id, rows[0]?.id ?? 'none')}?cursor=${await cursorOf(name)}`;
  const { status, body } = await posthorn.request<Refusal>('GET', path);
  expect([status, body.error?.details?.field]).toEqual([400, 'cursor']);
});

test('a list that grows while it is read continues after the last item, and neither repeats nor skips one', async () => {
  for (const name of ['messages', 'deliveries', 'subscriptions'] as const) {
    const before = (await all(name)).map(({ id }) => id);
    const cursor = await cursorOf(name);
    const { live } = posthorn.keys;
    await make(posthorn, live, paths.live.messages, { eventType: 'order.created', payload: {} });
    const channelId = /chn_\w+/.exec(paths.live.messages)?.[0];
    await make(posthorn, live, '/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/newer' });

    const { body } = await get(name, `limit=100&cursor=${cursor}`);

    expect(body.data.map(({ id }) => id)).toEqual(before.slice(1));
    expect((await all(name)).length).toBeGreaterThan(before.length);
  }
});

/** Returns the items, with further columns from the database, in the order of the list. */
async function known(name: ListName, environment: 'live' | 'test' = 'live'): Promise<Item[]> {
  const { rows } = await rowsOf(name, environment);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return (await all(name, '', environment)).map((item) => ({ ...rowOf.get(item.id), ...item }));
}

async function rowsOf(name: ListName, environment: 'live' | 'test'): Promise<{ rows: Item[] }> {
  const { rows = '', isSoonestFirst } = LISTS.find((list) => list.name === name) ?? {};
  const { id } = await posthorn.deps.db.environment.findFirstOrThrow({ where: { kind: environment } });
  const named = /\/([a-z]{3}_\w+)/.exec(paths[environment][name])?.[1] ?? null;
  return posthorn.deps.pool.query<Item>(`${rows} ORDER BY 1 ${isSoonestFirst ? 'ASC' : 'DESC'}`, [id, named]);
}

const valuesOf = (items: readonly Item[], filter: string): string[] => [
  ...new Set(items.flatMap((item) => (typeof item[filter] === 'string' ? [item[filter]] : []))),
];

async function expectMatching(name: ListName, items: readonly Item[], wanted: Record<string, string>): Promise<void> {
  const { filters = {} } = LISTS.find((list) => list.name === name) ?? {};
  const pairs = Object.entries(wanted);
  const expected = items.filter((item) => pairs.every(([filter, value]) => filters[filter]?.matches(item, value)));
  const found = await all(name, pairs.map(([filter, value]) => `${filter}=${value}`).join('&'));
  expect([wanted, found.map(({ id }) => id)]).toEqual([wanted, expected.map(({ id }) => id)]);
}

/** Microseconds since 1970 as a date-time. */
const timeText = (microseconds: bigint): string =>
  `${new Date(Number(microseconds / 1_000n)).toISOString().slice(0, -1)}${String(microseconds % 1_000n).padStart(3, '0')}Z`;

/** Returns the first cursor that any of these filters yields: not every filter has more than one item. */
async function firstCursor(name: ListName, queries: string[]): Promise<string> {
  for (const query of queries) {
    const cursor = await cursorOf(name, query);
    if (cursor !== '') return cursor;
  }
  throw new Error(`None of these has a second item: ${queries.join(', ')}`);
}
