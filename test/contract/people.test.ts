import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { reportConcurrency } from '../../src/delivery/limits/concurrency-store.ts';
import { routes } from '../../src/process/routes.ts';
import { subscriptionAnswer } from '../../src/messaging/subscriptions/schema.ts';
import { problemsOf } from '../support/check/answer-check.ts';
import { PEOPLE } from '../support/check/people-table.ts';
import { expectSameTables } from '../support/check/same-tables.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { OWNER, setUp, signIn } from '../support/make/people.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('people', () => {
  let browser: Browser;
  beforeAll(async () => {
    await setUp(posthorn);
  });
  beforeEach(async () => {
    ({ browser } = await signIn(posthorn, OWNER));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
  /** Routes of OAuth clients and of external senders have tests of their own: test/identity/tokens.test.ts, test/automations. */
  const people = routes.filter(
    ({ access, path, ownLimit }) => typeof access === 'string' && path.startsWith('/v1/') && ownLimit === undefined,
  );
  const guardsOf = ({ isFromOwnPages, isOthers, addressLimit, isDangerous }: (typeof routes)[number]): string =>
    [
      ...(isFromOwnPages === true ? ['own pages'] : []),
      ...(isOthers === true ? ['by others'] : []),
      ...(addressLimit === undefined ? [] : [`${addressLimit.perMinute} a minute`]),
      ...(isDangerous === true ? ['fresh'] : []),
    ].join(', ');

  test('the table lists all routes of users, with who may call them and their guards', () => {
    const lineOf = (endpoint: string, access: unknown, status: number, guards: string): string =>
      `${endpoint}: ${String(access)}, ${status}, ${guards}`;
    const actual = people.map((row) => lineOf(`${row.method} ${row.path}`, row.access, row.status, guardsOf(row)));
    const wanted = PEOPLE.map(({ endpoint, access, status, guards = '' }) => lineOf(endpoint, access, status, guards));
    expect(new Set(actual)).toEqual(new Set(wanted));
    expect(actual).toHaveLength(wanted.length);
  });

  test("routes with a scope that show or create secrets, change rights, or erase, require a user's password again", () => {
    const dangerous = routes.filter((row) => typeof row.access === 'object' && row.isDangerous === true);
    expect(dangerous.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'DELETE /v1/messages/:messageId',
      'GET /v1/subscriptions/:subscriptionId/secret',
      'GET /v1/webhooks/:webhookId/secrets',
      'PATCH /v1/api-keys/:apiKeyId',
      'PATCH /v1/machine-credentials/:machineCredentialId',
      'POST /v1/api-keys',
      'POST /v1/api-keys/:apiKeyId/rotate',
      'POST /v1/dlq/discard',
      'POST /v1/machine-credentials',
      'POST /v1/machine-credentials/:machineCredentialId/rotate',
      'POST /v1/subscriptions/:subscriptionId/secret/rotate',
      'POST /v1/webhooks/:webhookId/secrets/rotate',
    ]);
  });

  describe.each(people.map((row) => ({ ...row, target: row.path.replaceAll(/:\w+/g, 'x') })))(
    '$method $path',
    ({ method, target, access, body, isOthers }) => {
      const expectUnchanged = (act: () => Promise<void>): Promise<void> => expectSameTables(posthorn.deps.pool, act);
      const sent = body === undefined ? undefined : {};

      if (access !== 'public') {
        test('returns UNAUTHORIZED without a session and says so, FORBIDDEN with an API key, and changes nothing', async () => {
          await expectUnchanged(async () => {
            const stranger = createBrowser(posthorn);
            const refused = await stranger.request<Refusal>(method, target, sent);
            expect([refused.status, refused.body.error.message]).toEqual([
              401,
              expect.stringMatching(/^This endpoint requires a signed-in user/),
            ]);
            stranger.jar.set('posthorn-session', 'A'.repeat(43));
            expect((await stranger.request(method, target, sent)).status).toBe(401);
            expect((await posthorn.request(method, target, sent)).status).toBe(403);
          });
        });
      }

      test('refuses unknown fields and parameters, and anything but JSON, with all headers, and changes nothing', async () => {
        await expectUnchanged(async () => {
          const parameter = await browser.request<Refusal>(method, `${target}?zebra=1`, sent);
          // The identity provider has written it: NOT_FOUND if none is configured.
          if (isOthers === true) expect(parameter.status).toBe(404);
          else expect([parameter.status, parameter.body.error.details?.field]).toEqual([400, 'zebra']);
          for (const name of ['limit', 'remaining', 'reset'])
            expect(parameter.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
          expect(parameter.headers.get('cache-control')).toBe('no-store');
          if (method === 'GET') return;
          const field = await browser.request<Refusal>(method, target, { zebra: 1 });
          expect([field.status, field.body.error.details?.field]).toEqual([400, 'zebra']);
          for (const each of ['{', '[]', 'null'])
            expect([each, (await browser.request(method, target, each)).status]).toEqual([each, 400]);
          const headers = { 'content-type': 'application/x-www-form-urlencoded' };
          expect((await browser.request(method, target, 'a=b', { headers })).status).toBe(415);
        });
      });

      if (method !== 'GET') {
        test('returns FORBIDDEN for a request from a page of another site, and changes nothing', async () => {
          await expectUnchanged(async () => {
            const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
            expect((await browser.request(method, target, sent, { headers })).status).toBe(403);
          });
        });
      }
    },
  );
});

describe('concurrency', () => {
  let channelId: string;
  beforeAll(async () => {
    channelId = (await createChannel(posthorn)).id;
  });

  type Refusal = { error?: { code: string; details?: { field: string } } };
  const webhookUrl = 'https://example.com/';
  const subscribed = async (fields: object = {}): Promise<string> =>
    `/v1/subscriptions/${(await createSubscription(posthorn, { channelId, webhookUrl, ...fields })).id}`;
  const read = async (address: string) => (await posthorn.request('GET', address)).body;

  /** As if a live worker had reported on the subscription. */
  async function tell(address: string, gauge: { limit: number; inFlight: number; latencyMs?: number }): Promise<void> {
    const { pool } = posthorn.deps;
    await pool.query(
      `INSERT INTO incarnations (id, expires_at) VALUES ('inc_living', now() + interval '1 hour') ON CONFLICT DO NOTHING`,
    );
    const subscriptionId = address.split('/').at(-1) ?? '';
    await reportConcurrency(pool, 'inc_living', [{ latencyMs: undefined, ...gauge, subscriptionId }]);
  }

  test.each([1, 1_000])('maxConcurrency may be %d, on create and on change', async (maxConcurrency) => {
    const made = await subscribed({ maxConcurrency });
    expect(await read(made)).toMatchObject({ maxConcurrency, concurrency: { limit: maxConcurrency, inFlight: 0 } });
    const changed = await subscribed();
    const answer = await posthorn.request('PATCH', changed, { maxConcurrency });
    expect(answer).toMatchObject({ status: 200, body: { maxConcurrency, concurrency: { limit: maxConcurrency } } });
  });

  test.each([0, 1_001])('maxConcurrency must not be %d', async (maxConcurrency) => {
    const address = await subscribed();
    const before = await read(address);
    for (const answer of [
      await posthorn.request<Refusal>('POST', '/v1/subscriptions', { channelId, webhookUrl, maxConcurrency }),
      await posthorn.request<Refusal>('PATCH', address, { maxConcurrency }),
    ]) {
      expect([answer.status, answer.body.error?.code, answer.body.error?.details?.field]).toEqual([
        400,
        'INVALID_REQUEST',
        'maxConcurrency',
      ]);
    }
    expect(await read(address)).toEqual(before);
  });

  test('a subscription includes its concurrency when it is returned alone, with a latency once there was a response', async () => {
    const address = await subscribed();
    await tell(address, { limit: 40, inFlight: 7 });
    expect((await read(address))['concurrency']).toEqual({ limit: 40, inFlight: 7 });
    const concurrency = { limit: 80, inFlight: 80, latencyMs: 312 };
    await tell(address, concurrency);
    const answers = [
      await posthorn.request('GET', address),
      await posthorn.request('PATCH', address, { name: 'till' }),
      await posthorn.request('POST', `${address}/pause`),
      await posthorn.request('POST', `${address}/resume`),
    ];
    for (const { status, body } of answers) {
      expect([status, problemsOf(subscriptionAnswer, body)]).toEqual([200, []]);
      expect(body['concurrency']).toEqual(concurrency);
    }
  });

  test('a PATCH that returns a concurrency, changed or not, changes nothing; a new subscription does not accept one', async () => {
    const address = await subscribed();
    await tell(address, { limit: 40, inFlight: 7, latencyMs: 90 });
    const before = await read(address);
    for (const concurrency of [before['concurrency'], { limit: 1, inFlight: 0 }, 'much', null]) {
      expect(await posthorn.request('PATCH', address, { ...before, concurrency })).toMatchObject({
        status: 200,
        body: before,
      });
    }
    expect(await read(address)).toEqual(before);

    const body = { channelId, webhookUrl, concurrency: { limit: 40, inFlight: 0 } };
    const refused = await posthorn.request<Refusal>('POST', '/v1/subscriptions', body);
    expect([refused.status, refused.body.error?.details]).toEqual([
      400,
      { field: 'concurrency', reason: 'is set by the service' },
    ]);
  });
});

describe('named lists', () => {
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

  /** How to create items of each list, and the prefix of their ids. */
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

    test('returns the items of up to 100 ids, newest first, each once, and none of another environment', async () => {
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

    test('refuses ids of another kind, empty ids and more than 100', async () => {
      const other = `dlv_0${'z'.repeat(25)}`;
      for (const ids of ['', other, `${unknown},`, `${unknown},,${unknown}`, Array(101).fill(unknown).join(',')]) {
        const { status, body } = await get<Refusal>(`${path}?ids=${ids}`);
        expect([ids, status, body.error.details?.field]).toEqual([ids, 400, 'ids']);
      }
    });

    test('finds a part of a name in any case, and treats none of its characters as a pattern', async () => {
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

  test('a search finds a subscription by the host of its URL, and by no other part of it', async () => {
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
  ])('a search finds subscriptions by a part of their name together with %s', async (filter, expected) => {
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
});
