import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Row = { id: string; name: string };
type Page = { data: Row[]; pagination: { cursor?: string; hasMore: boolean } };
type Refusal = { error: { details?: { field: string } } };

const get = <T = Page>(path: string, environment: 'live' | 'test' = 'live') =>
  posthorn.request<T>('GET', path, undefined, { key: posthorn.keys[environment] });
const found = async (path: string, environment?: 'live' | 'test'): Promise<string[]> => {
  const { status, body } = await get(path, environment);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
};
const channel = (environment: 'live' | 'test'): Promise<Row> =>
  make(posthorn, posthorn.keys[environment], '/v1/channels', { name: 'of things' }) as Promise<Row>;

/** How things of each list are made, and the prefix of their ids. */
const LISTS: [path: string, prefix: string, fields: (channelId: string) => object][] = [
  ['/v1/channels', 'chn', () => ({})],
  ['/v1/subscriptions', 'sub', (channelId) => ({ channelId, webhookUrl: 'https://example.com/in' })],
  ['/v1/workflows', 'wfl', () => ({ trigger: { type: 'manual' } })],
  ['/v1/webhooks', 'whk', (channelId) => ({ channelId, provider: 'github' })],
];

describe.each(LISTS)('the list of %s', (path, prefix, fields) => {
  const add = async (names: readonly string[], environment: 'live' | 'test' = 'live'): Promise<string[]> => {
    const ids: string[] = [];
    const { id: channelId } = await channel(environment);
    for (const name of names)
      ids.push((await make(posthorn, posthorn.keys[environment], path, { ...fields(channelId), name })).id);
    return ids;
  };
  const unknown = `${prefix}_0${'z'.repeat(25)}`;

  test('has the things of up to 100 ids, newest first, each once, and none of another environment', async () => {
    const [one = '', two = '', three = ''] = await add(['one', 'two', 'three']);
    const [theirs = ''] = await add(['theirs'], 'test');

    expect(await found(`${path}?ids=${one},${unknown},${three},${theirs},${one}`)).toEqual([three, one]);

    expect(await found(`${path}?ids=${theirs},${two}`, 'test')).toEqual([theirs]);
    expect(await found(`${path}?ids=${unknown}`)).toEqual([]);
    expect(await found(`${path}?ids=${one},${two},${three}&name=T&limit=100`)).toEqual([three, two]);
    expect(await found(`${path}?limit=100&ids=${Array(99).fill(unknown).join(',')},${one}`)).toEqual([one]);
    const { body } = await get(`${path}?ids=${one},${two},${three}&limit=1`);
    expect(body).toMatchObject({ data: [{ id: three }], pagination: { hasMore: true } });
    const { cursor = '' } = body.pagination;
    expect(await found(`${path}?ids=${one},${two},${three}&cursor=${cursor}`)).toEqual([two, one]);
    expect((await get(`${path}?ids=${one},${two}&cursor=${cursor}`)).status).toBe(400);
  });

  test('refuses ids of another kind, empty ones and more than 100', async () => {
    const other = `dlv_0${'z'.repeat(25)}`;
    for (const ids of ['', other, `${unknown},`, `${unknown},,${unknown}`, Array(101).fill(unknown).join(',')]) {
      const { status, body } = await get<Refusal>(`${path}?ids=${ids}`);
      expect([ids, status, body.error.details?.field]).toEqual([ids, 400, 'ids']);
    }
  });

  test('finds a part of a name in any case, and takes none of its characters for a pattern', async () => {
    const names = ['Straße 100% a_b', 'straße 100x aXb', 'C:\\ORDERS (eu)'];
    const [percent = '', plain = '', path1 = ''] = await add(names);
    await add(names, 'test');
    const by = (part: string): Promise<string[]> => found(`${path}?limit=100&name=${encodeURIComponent(part)}`);

    expect(await by('100%')).toEqual([percent]);
    expect(await by('A_B')).toEqual([percent]);
    expect(await by('STRA')).toEqual([plain, percent]);
    expect(await by('\\orders (EU')).toEqual([path1]);
    expect(await by('100 %')).toEqual([]);
    expect(await by('%')).toEqual([percent]);
  });
});

test('a subscription is found by the host of its URL, and by no other part of it', async () => {
  const { id: channelId } = await channel('live');
  const webhookUrl = 'https://Hooks.Example.net:8443/secret/path?token=abc';
  const { id } = await make(posthorn, posthorn.keys.live, '/v1/subscriptions', {
    channelId,
    name: 'plain',
    webhookUrl,
  });
  const by = (part: string): Promise<string[]> => found(`/v1/subscriptions?name=${encodeURIComponent(part)}`);

  expect([await by('hooks.example.NET'), await by('net:8443')]).toEqual([[id], [id]]);

  for (const part of ['secret', 'token', 'path', 'https', '//']) expect([part, await by(part)]).toEqual([part, []]);
});

test.each([
  ['failing=true', ['disabled']],
  ['failing=false', ['paused', 'active']],
  ['status=paused', ['paused']],
  ['owner=shop-7', ['active']],
])('subscriptions are found by a part of their name beside %s', async (filter, expected) => {
  const { id: channelId } = await channel('live');
  const { db } = posthorn.deps;
  for (const status of ['active', 'paused', 'disabled']) {
    const fields = { channelId, name: `${filter} is ${status}`, webhookUrl: 'https://example.com/in' };
    const owner = status === 'active' ? { owner: 'shop-7' } : {};
    const { id } = await make(posthorn, posthorn.keys.live, '/v1/subscriptions', { ...fields, ...owner });
    await db.subscription.update({ where: { id }, data: { status } });
  }
  const { body } = await get(`/v1/subscriptions?name=${encodeURIComponent(`${filter} IS`)}&${filter}`);
  expect(body.data.map(({ name }) => name)).toEqual(expected.map((status) => `${filter} is ${status}`));
});
