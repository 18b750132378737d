import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel } from '../support/make/factories.ts';
import { errorOf, type KeyedPosts, MESSAGE, startKeyedPosts } from '../support/make/keyed-posts.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import { make } from '../support/make/seed.ts';
import type { SecondApi } from '../support/service/two-apis.ts';

let posts: KeyedPosts;
let posthorn: TestPosthorn;
let second: SecondApi;
let channelId: string;
let subscriptionId: string;

beforeAll(async () => {
  posts = await startKeyedPosts();
  ({ posthorn, second } = posts);
});
beforeEach(async () => {
  await posts.reset();
  ({ channelId, subscriptionId } = posts);
});
afterAll(() => posts.stop());

const keyRows = (): Promise<number> => posthorn.deps.db.idempotencyKey.count();

/** Every POST that can be sent twice, with a good body. */
const POSTS: [string, () => [string, unknown]][] = [
  ['a message', () => [posts.messagesPath(), { ...MESSAGE, metadata: { z: '1', 10: '2' } }]],
  [
    'a message with numbers as they came',
    () => [posts.messagesPath(), '{"eventType":"a","payload":{"n":1.10, "m":1e2}}'],
  ],
  ['a batch', () => [`${posts.messagesPath()}/batch`, { messages: [MESSAGE, MESSAGE] }]],
  ['a batch across channels', () => ['/v1/messages/batch', { messages: [{ ...MESSAGE, channelId }] }]],
  ['a transaction', () => ['/v1/messages/transactional', { messages: [{ ...MESSAGE, channelId }] }]],
  ['a test message', () => [`/v1/subscriptions/${subscriptionId}/test`, undefined]],
  ['a channel', () => ['/v1/channels', { name: 'orders' }]],
  ['a subscription', () => ['/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/in' }]],
  ['a pause', () => [`/v1/subscriptions/${subscriptionId}/pause`, undefined]],
  ['a new secret', () => [`/v1/subscriptions/${subscriptionId}/secret/rotate`, { overlapHours: 0 }]],
  ['an API key', () => ['/v1/api-keys', { name: 'till' }]],
  ['a bulk replay', () => ['/v1/dlq/replay', { channelId }]],
];

describe.each(POSTS)('%s', (_, requestOf) => {
  test('sent again under its key gets the same answer, and nothing is done anew', async () => {
    const [path, body] = requestOf();
    const first = await posts.send(path, body);
    expect([first.status < 300, first.replayed]).toEqual([true, null]);
    const before = await posts.contents();
    for (const at of [posthorn.url, second.url]) {
      const again = await posts.send(path, body, { at });
      expect(again).toMatchObject({ status: first.status, text: first.text, replayed: 'true' });
      for (const name of ['content-type', 'cache-control', 'x-content-type-options'])
        expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
      expect(again.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    }
    expect(await posts.contents()).toEqual(before);
  });

  test('50 at once through two API instances are done once, and all get one answer', async () => {
    const [path, body] = requestOf();
    const before = await keyRows();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (__, n) => posts.send(path, body, { at: n % 2 === 0 ? posthorn.url : second.url })),
    );
    expect(answers[0]?.status).toBeLessThan(300);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect((await keyRows()) - before).toBe(1);
  });

  test('under the key of another body is CONFLICT, and changes nothing', async () => {
    const [path, body] = requestOf();
    await posts.send(path, body);
    const before = await posts.contents();
    // The same JSON in other bytes is another body.
    const other =
      body === undefined ? '{}' : typeof body === 'string' ? `${body} ` : JSON.stringify(body, undefined, 1);
    const answer = await posts.send(path, other);
    expect([answer.status, errorOf(answer).code, errorOf(answer).details?.field]).toEqual([
      409,
      'CONFLICT',
      'Idempotency-Key',
    ]);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await posts.contents()).toEqual(before);
  });
});

test('a key stands for one API key, one environment and one path', async () => {
  const { key: apiKey } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'till' });
  const other = (await createChannel(posthorn)).id;
  const foreign = (await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'test' })).id;
  const sent = [
    await posts.send(posts.messagesPath(), MESSAGE),
    await posts.send(posts.messagesPath(), MESSAGE, { apiKey: String(apiKey) }),
    await posts.send(`/v1/channels/${other}/messages`, MESSAGE),
    await posts.send(`/v1/channels/${foreign}/messages`, MESSAGE, { apiKey: posthorn.keys.test }),
    await posts.send(`${posts.messagesPath()}/batch`, { messages: [MESSAGE] }),
  ];
  expect(sent.map(({ status, replayed }) => [status, replayed])).toEqual(sent.map(() => [202, null]));
  expect(new Set(sent.map(({ text }) => text)).size).toBe(5);
});

test('other methods take no notice of a key', async () => {
  const rename = (name: string) =>
    posthorn.request('PATCH', `/v1/channels/${channelId}`, { name }, { headers: { 'idempotency-key': 'ä' } });
  expect((await rename('one')).body['name']).toBe('one');
  expect((await rename('two')).body['name']).toBe('two');
  expect(
    (await posthorn.request('GET', '/v1/channels', undefined, { headers: { 'idempotency-key': '' } })).status,
  ).toBe(200);
});

test('a publish without a key leaves no trace of one', async () => {
  const before = await keyRows();
  expect((await posthorn.request('POST', posts.messagesPath(), MESSAGE)).status).toBe(202);
  expect(await keyRows()).toBe(before);
});

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'x'.repeat(256)],
  ['with a space inside', 'a b'],
  ['with a tab inside', 'a\tb'],
  ['beyond ASCII', 'é'],
])('a key that is %s is refused, and nothing is done', async (_, as) => {
  const before = await posts.contents();
  for (const [path, body] of [
    [posts.messagesPath(), MESSAGE] as const,
    ['/v1/channels', { name: 'orders' }] as const,
  ]) {
    const answer = await posts.send(path, body, { as });
    expect([answer.status, errorOf(answer).code, errorOf(answer).details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'Idempotency-Key',
    ]);
    expect(errorOf(answer).details?.reason).toMatch(/./);
  }
  expect(await posts.contents()).toEqual(before);
});

test('two keys on one request are refused, and nothing is done', async () => {
  const before = await posts.contents();
  const status = await new Promise((resolve, reject) => {
    const outgoing = request(`${posthorn.url}/v1/channels`, { method: 'POST' }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    });
    outgoing.on('error', reject);
    outgoing.setHeader('authorization', `Bearer ${posthorn.keys.live}`);
    outgoing.setHeader('content-type', 'application/json');
    outgoing.setHeader('idempotency-key', ['a', 'b']);
    outgoing.end('{"name":"orders"}');
  });
  expect(status).toBe(400);
  expect(await posts.contents()).toEqual(before);
});

test('a key holds any 255 visible ASCII characters', async () => {
  const as = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 33)).padEnd(255, '~');
  const first = await posts.send(posts.messagesPath(), MESSAGE, { as });
  expect([first.status, (await posts.send(posts.messagesPath(), MESSAGE, { as })).text]).toEqual([202, first.text]);
});

describe('a refusal', () => {
  test('for its body leaves the key free, whatever finds it', async () => {
    const before = await posts.contents();
    for (const [path, body] of [
      [posts.messagesPath(), '{'],
      [posts.messagesPath(), { ...MESSAGE, eventType: '' }],
      [posts.messagesPath(), { ...MESSAGE, payload: { text: 'x'.repeat(262_144) } }],
      ['/v1/subscriptions', { channelId: 'chn_x', webhookUrl: 'https://example.com/in' }],
      ['/v1/messages/transactional', { messages: [{ ...MESSAGE, channelId: 'chn_x' }] }],
    ] as const) {
      expect([path, (await posts.send(path, body)).status]).toEqual([path, 400]);
      expect(await posts.contents()).toEqual(before);
    }
    expect((await posts.send(posts.messagesPath(), MESSAGE)).status).toBe(202);
    const subscription = { channelId, webhookUrl: 'https://example.com/in' };
    expect((await posts.send('/v1/subscriptions', subscription)).status).toBe(201);
  });

  /** The old mechanism kept the refusal, so that the caller who had mended the state got it for 24 hours. */
  test.each<[string, () => [string, unknown], () => [string, unknown], () => [string, unknown]]>([
    [
      'a publish to a paused channel',
      () => [posts.messagesPath(), MESSAGE],
      () => [`/v1/channels/${channelId}`, { status: 'paused' }],
      () => [`/v1/channels/${channelId}`, { status: 'active' }],
    ],
    [
      'a batch across channels, one of them archived',
      () => ['/v1/messages/batch', { messages: [{ ...MESSAGE, channelId }] }],
      () => [`/v1/channels/${channelId}`, { status: 'archived' }],
      () => [`/v1/channels/${channelId}`, { status: 'active' }],
    ],
    [
      'a test message of a paused subscription',
      () => [`/v1/subscriptions/${subscriptionId}/test`, undefined],
      () => [`/v1/subscriptions/${subscriptionId}`, { status: 'paused' }],
      () => [`/v1/subscriptions/${subscriptionId}`, { status: 'active' }],
    ],
  ])('by the state of things is not kept: %s', async (_, requestOf, spoil, mend) => {
    const change = async ([path, body]: [string, unknown]): Promise<void> => {
      expect((await posthorn.request('PATCH', path, body)).status).toBe(200);
    };
    const [path, body] = requestOf();
    await change(spoil());
    const before = await posts.contents();
    const send = () => Promise.all([posts.send(path, body), posts.send(path, body, { at: second.url })]);
    for (const refused of await send()) expect([refused.status, refused.replayed]).toEqual([409, null]);
    expect(await posts.contents()).toEqual(before);
    const keysBefore = await keyRows();
    await change(mend());
    const [one, other] = await send();
    expect([one.status, other.status, other.text]).toEqual([202, 202, one.text]);
    expect([one.replayed, other.replayed]).toEqual(expect.arrayContaining(['true', null]));
    expect(await keyRows()).toBe(keysBefore + 1);
  });

  test.each([
    ['a message', '/v1/channels/chn_x/messages', MESSAGE],
    ['a pause', '/v1/subscriptions/sub_x/pause', undefined],
  ])('as NOT_FOUND is not kept: %s', async (_, path, body) => {
    const keysBefore = await keyRows();
    for (let time = 0; time < 2; time += 1) {
      const refused = await posts.send(path, body);
      expect([refused.status, refused.replayed]).toEqual([404, null]);
    }
    expect(await keyRows()).toBe(keysBefore);
  });

  test('without a valid API key or its scope uses no key', async () => {
    const { key: reader } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', {
      name: 'reader',
      scopes: ['messages:read'],
    });
    const before = await posts.contents();
    expect((await posts.send(posts.messagesPath(), MESSAGE, { apiKey: 'svc_live_x' })).status).toBe(401);
    expect((await posts.send(posts.messagesPath(), MESSAGE, { apiKey: String(reader) })).status).toBe(403);
    expect(await posts.contents()).toEqual(before);
  });

  test('by the rate limit uses no key', async () => {
    const { key: slow } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', {
      name: 'slow',
      limits: { batchPerMinute: 1 },
    });
    const apiKey = String(slow);
    const body = { messages: [{ ...MESSAGE, channelId }] };
    const path = '/v1/messages/batch';
    expect((await posts.send(path, body, { apiKey, as: 'a' })).status).toBe(202);
    const before = await posts.contents();
    const refused = await posts.send(path, body, { apiKey, as: 'b' });
    expect([refused.status, refused.replayed]).toEqual([429, null]);
    expect(await posts.contents()).toEqual(before);
  });

  test.each([
    ['publishing', () => posts.messagesPath(), MESSAGE, 'messages', `event_type <> 'order.created'`],
    ['creating', () => '/v1/channels', { name: 'unlucky' }, 'channels', `name <> 'unlucky'`],
  ])('by a fault of ours while %s leaves the key free', async (_, pathOf, body, table, check) => {
    const { pool } = posthorn.deps;
    await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT unlucky CHECK (${check}) NOT VALID`);
    const before = await posts.contents();
    const failed = await posts.send(pathOf(), body);
    expect([failed.status, failed.replayed]).toEqual([500, null]);
    expect(await posts.contents()).toEqual(before);
    await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT unlucky`);
    const done = await posts.send(pathOf(), body);
    expect([done.status < 300, done.replayed]).toEqual([true, null]);
  });
});

describe('an answer that holds a secret', () => {
  test.each([
    ['an API key', () => '/v1/api-keys', { name: 'till' }, 'key'],
    ['a signing secret', () => `/v1/subscriptions/${subscriptionId}/secret/rotate`, {}, 'secret'],
  ])('(%s) is sealed, and is sent again all the same', async (_, pathOf, body, field) => {
    const first = await posts.send(pathOf(), body);
    const secret = String((JSON.parse(first.text) as Record<string, unknown>)[field]);
    expect(secret.length).toBeGreaterThan(40);
    const { pool, keyRing } = posthorn.deps;
    const names = Object.keys(await posts.contents());
    const held = names.map((name) => `SELECT '${name}' AS name FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1`);
    expect((await pool.query(held.join(' UNION '), [`%${secret}%`])).rows).toEqual([]);
    const row = await posthorn.deps.db.idempotencyKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    expect([row.body, row.sealedBody]).toEqual([null, expect.stringMatching(/^v1\.test\./)]);
    const context = `idempotency_keys|sealed_body|${Buffer.from(row.id).toString('hex')}` as const;
    expect(keyRing.decrypt(row.sealedBody ?? '', context)).toBe(first.text);
    expect((await posts.send(pathOf(), body, { at: second.url })).text).toBe(first.text);
  });
});

test('an answer that does not open any more is CONFLICT, never a 500, and the request is not done again', async () => {
  const first = await posts.send('/v1/channels', { name: 'unreadable' });
  expect(first.status).toBe(201);
  const { pool } = posthorn.deps;
  await pool.query(`UPDATE idempotency_keys SET sealed_body = overlay(sealed_body PLACING 'AAAA' FROM 30)`);
  const again = await posts.send('/v1/channels', { name: 'unreadable' });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('cannot be opened any more')]);
});

describe('after 24 hours', () => {
  test.each([
    ['a message', () => posts.messagesPath(), MESSAGE],
    ['a channel', () => '/v1/channels', { name: 'orders' }],
  ])('a key is free again: %s', async (_, pathOf, body) => {
    const first = await posts.send(pathOf(), body);
    const { pool } = posthorn.deps;
    const { rows } = await pool.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM idempotency_keys ORDER BY created_at DESC LIMIT 1',
    );
    expect(rows).toEqual([{ hours: expect.closeTo(24, 1) }]);
    await pool.query(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);
    const later = await posts.send(pathOf(), body);
    expect([later.status, later.replayed, later.text === first.text]).toEqual([first.status, null, false]);
    expect(await posts.send(pathOf(), body)).toMatchObject({ text: later.text, replayed: 'true' });
  });
});
