import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACT } from '../support/contract-table.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { make } from '../support/seed.ts';
import { type Item, LISTS, type ListName, seedLists } from '../support/seeded-lists.ts';

let posthorn: TestPosthorn;
/** The lists' addresses in either environment, each with five items or more. */
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

/** Goes through the list page by page, checking each page, and returns every id in the order in which it came. */
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

test('these are all lists of the contract', () => {
  expect(CONTRACT.filter(({ listOf }) => listOf !== undefined)).toHaveLength(LISTS.length);
});

describe.each(LISTS)('the list of $name', ({ name, rows, filters, hasTimes, isSoonestFirst }) => {
  test(`shows exactly what the environment has, ${isSoonestFirst ? 'soonest' : 'newest'} first`, async () => {
    for (const environment of ['live', 'test'] as const) {
      const items = await all(name, '', environment);
      const { id } = await posthorn.deps.db.environment.findFirstOrThrow({ where: { kind: environment } });
      const named = /\/([a-z]{3}_\w+)/.exec(paths[environment][name])?.[1] ?? null;
      const order = isSoonestFirst ? 'ASC' : 'DESC';
      const found = await posthorn.deps.pool.query<{ id: string }>(`${rows} ORDER BY id ${order}`, [id, named]);
      expect(items.map((item) => item.id)).toEqual(found.rows.map((row) => row.id));
      expect(items.length).toBeGreaterThanOrEqual(5);
    }
  });

  test('gives every item exactly once, in pages of any size', async () => {
    const ids = (await all(name)).map(({ id }) => id);
    for (const limit of [...ids.map((_, index) => index + 1), ids.length + 1]) {
      expect([limit, await walk(name, limit)]).toEqual([limit, ids]);
    }
  });

  test('has pages of 20 unless told otherwise, and refuses any limit but a whole number from 1 to 100', async () => {
    expect((await get(name)).body.data).toEqual((await get(name, 'limit=20')).body.data);
    for (const limit of ['0', '101', 'abc', '1e1', '-1', '+1', '1.0', '0x1', '', '%201', '1&limit=1', '99999999999']) {
      await expectInvalid(name, `limit=${limit}`, 'limit');
    }
  });

  test('refuses a cursor that is not its own', async () => {
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

  for (const [filter, { values, valueOf }] of Object.entries(filters)) {
    test(`filters by ${filter}, and binds the cursor to it`, async () => {
      const items = await all(name);
      const known = values.length > 0 ? values : [...new Set(items.map((item) => String(valueOf(item))))];
      expect(known.length).toBeGreaterThan(1);
      for (const value of known) {
        const expected = items.filter((item) => valueOf(item) === value).map(({ id }) => id);
        expect([value, expected.length > 0]).toEqual([value, true]);
        expect([value, await walk(name, 1, `${filter}=${value}`)]).toEqual([value, expected]);
        await expectInvalid(name, `${filter}=${value}&cursor=${await cursorOf(name)}`, 'cursor');
      }
      await expectInvalid(name, `${filter}=${known[0]}&${filter}=${known[0]}`, filter);
      const bound = await firstCursor(
        name,
        known.map((value) => `${filter}=${value}`),
      );
      await expectInvalid(name, `cursor=${bound}`, 'cursor');
      if (filter === 'status') {
        for (const value of ['', 'ACTIVE', 'gone', 'active,paused', 'null'])
          await expectInvalid(name, `status=${value}`, 'status');
      } else {
        for (const value of ['nothing', '%27', '*', '%25']) expect(await all(name, `${filter}=${value}`)).toEqual([]);
      }
    });
  }

  if (hasTimes !== undefined) {
    test('has since and until, which are exclusive to the millisecond', async () => {
      const items = await all(name);
      const timeOf = (item: Item): number => Date.parse(String(item[hasTimes]));
      for (const item of items) {
        const at = timeOf(item);
        for (const edge of [at - 1, at, at + 1]) {
          const time = new Date(edge).toISOString();
          expect(await all(name, `since=${time}`)).toEqual(items.filter((other) => timeOf(other) > edge));
          expect(await all(name, `until=${time}`)).toEqual(items.filter((other) => timeOf(other) < edge));
        }
        const [before, after] = [new Date(at - 1).toISOString(), new Date(at + 1).toISOString()];
        const within = await all(name, `since=${before}&until=${after}`);
        expect(within).toEqual(items.filter((other) => timeOf(other) === at));
        expect(await walk(name, 1, `since=${before}&until=${after}`)).toEqual(within.map(({ id }) => id));
        await expectInvalid(name, `since=${after}&until=${before}`, 'until');
        await expectInvalid(name, `since=${before}&until=${before}`, 'until');
      }
    });

    test('takes offsets and refuses what is no date-time', async () => {
      const items = await all(name);
      expect(await all(name, 'since=1969-12-31T23:59:59-01:00')).toEqual(items);
      expect(await all(name, 'since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59.999Z')).toEqual(items);
      expect(await all(name, 'since=9999-12-31T23:59:59.999Z')).toEqual([]);
      expect(await all(name, 'until=1970-01-01T00:00:00%2B01:00')).toEqual([]);
      for (const filter of ['since', 'until']) {
        for (const value of [
          '',
          '0',
          'now',
          '2026-01-31',
          '2026-02-30T00:00:00Z',
          '2026-01-31T12:00:00',
          '1700000000',
        ]) {
          await expectInvalid(name, `${filter}=${value}`, filter);
        }
      }
    });
  }
});

test('a list that grows while it is read goes on behind the last item, and neither repeats nor leaves out one', async () => {
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

/** The first cursor that any of these filters gives: not every filter has more than one item. */
async function firstCursor(name: ListName, queries: string[]): Promise<string> {
  for (const query of queries) {
    const cursor = await cursorOf(name, query);
    if (cursor !== '') return cursor;
  }
  throw new Error(`None of these has a second item: ${queries.join(', ')}`);
}
