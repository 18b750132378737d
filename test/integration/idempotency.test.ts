import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { make } from '../support/seed.ts';
import { tableContents } from '../support/table-contents.ts';
import { newIdempotencyKey, type SecondApi, startSecondApi } from '../support/two-apis.ts';
import { waitFor } from '../support/wait-for.ts';

const message = { eventType: 'order.created', payload: { n: 1 } };

// Other test files have clones of this database, with the same numbers of tables.
const HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

let posthorn: TestPosthorn;
let second: SecondApi;
let channelId: string;
let subscriptionId: string;
let key: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  second = await startSecondApi(posthorn);
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
  subscriptionId = (await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id;
  key = newIdempotencyKey();
});
afterAll(async () => {
  await second.stop();
  await posthorn.stop();
});

type Sent = { status: number; text: string; replayed: string | null; headers: Headers };
type Options = { as?: string; at?: string; apiKey?: string };

/** A POST whose answer is kept as text: a replay is the same to the last character. */
async function send(path: string, body: unknown, { as = key, at = posthorn.url, apiKey }: Options = {}): Promise<Sent> {
  const response = await fetch(at + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey ?? posthorn.keys.live}`,
      'idempotency-key': as,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { status, text: await response.text(), replayed: headers.get('idempotent-replayed'), headers };
}

const errorOf = ({ text }: Sent) =>
  (JSON.parse(text) as { error: { code: string; details?: { field: string; reason: string } } }).error;
const contents = () => tableContents(posthorn.deps.pool);
const messagesPath = (): string => `/v1/channels/${channelId}/messages`;
const keyRows = async (): Promise<number> => posthorn.deps.db.idempotencyKey.count();

/** Every POST that can be sent twice, with a good body. */
const POSTS: [string, () => [string, unknown]][] = [
  ['a message', () => [messagesPath(), { ...message, metadata: { z: '1', 10: '2' } }]],
  ['a message with numbers as they came', () => [messagesPath(), '{"eventType":"a","payload":{"n":1.10, "m":1e2}}']],
  ['a batch', () => [`${messagesPath()}/batch`, { messages: [message, message] }]],
  ['a batch across channels', () => ['/v1/messages/batch', { messages: [{ ...message, channelId }] }]],
  ['a transaction', () => ['/v1/messages/transactional', { messages: [{ ...message, channelId }] }]],
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
    const first = await send(path, body);
    expect([first.status < 300, first.replayed]).toEqual([true, null]);
    const before = await contents();
    for (const at of [posthorn.url, second.url]) {
      const again = await send(path, body, { at });
      expect(again).toMatchObject({ status: first.status, text: first.text, replayed: 'true' });
      for (const name of ['content-type', 'cache-control', 'x-content-type-options'])
        expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
      expect(again.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    }
    expect(await contents()).toEqual(before);
  });

  test('50 at once through two API instances are done once, and all get one answer', async () => {
    const [path, body] = requestOf();
    const before = await keyRows();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (__, n) => send(path, body, { at: n % 2 === 0 ? posthorn.url : second.url })),
    );
    expect(answers[0]?.status).toBeLessThan(300);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect((await keyRows()) - before).toBe(1);
  });

  test('under the key of another body is CONFLICT, and changes nothing', async () => {
    const [path, body] = requestOf();
    await send(path, body);
    const before = await contents();
    // The same JSON in other bytes is another body.
    const other =
      body === undefined ? '{}' : typeof body === 'string' ? `${body} ` : JSON.stringify(body, undefined, 1);
    const answer = await send(path, other);
    expect([answer.status, errorOf(answer).code, errorOf(answer).details?.field]).toEqual([
      409,
      'CONFLICT',
      'Idempotency-Key',
    ]);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await contents()).toEqual(before);
  });
});

test('50 publishes at once under one key are one message with one delivery', async () => {
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send(messagesPath(), message, { at: n % 2 === 0 ? posthorn.url : second.url }),
    ),
  );
  const { db } = posthorn.deps;
  expect([await db.message.count({ where: { channelId } }), await db.delivery.count({ where: { channelId } })]).toEqual(
    [1, 1],
  );
});

test('50 parallel POSTs of a channel make one channel', async () => {
  const name = newIdempotencyKey();
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send('/v1/channels', { name }, { at: n % 2 === 0 ? posthorn.url : second.url }),
    ),
  );
  expect(await posthorn.deps.db.channel.count({ where: { name } })).toBe(1);
});

test('a key stands for one API key, one environment and one path', async () => {
  const { key: apiKey } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'till' });
  const other = (await createChannel(posthorn)).id;
  const foreign = (await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'test' })).id;
  const sent = [
    await send(messagesPath(), message),
    await send(messagesPath(), message, { apiKey: String(apiKey) }),
    await send(`/v1/channels/${other}/messages`, message),
    await send(`/v1/channels/${foreign}/messages`, message, { apiKey: posthorn.keys.test }),
    await send(`${messagesPath()}/batch`, { messages: [message] }),
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
  expect((await posthorn.request('POST', messagesPath(), message)).status).toBe(202);
  expect(await keyRows()).toBe(before);
});

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'x'.repeat(256)],
  ['with a space inside', 'a b'],
  ['with a tab inside', 'a\tb'],
  ['beyond ASCII', 'é'],
])('a key that is %s is refused, and nothing is done', async (_, as) => {
  const before = await contents();
  for (const [path, body] of [[messagesPath(), message] as const, ['/v1/channels', { name: 'orders' }] as const]) {
    const answer = await send(path, body, { as });
    expect([answer.status, errorOf(answer).code, errorOf(answer).details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'Idempotency-Key',
    ]);
    expect(errorOf(answer).details?.reason).toMatch(/./);
  }
  expect(await contents()).toEqual(before);
});

test('two keys on one request are refused, and nothing is done', async () => {
  const before = await contents();
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
  expect(await contents()).toEqual(before);
});

test('a key holds any 255 visible ASCII characters', async () => {
  const as = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 33)).padEnd(255, '~');
  const first = await send(messagesPath(), message, { as });
  expect([first.status, (await send(messagesPath(), message, { as })).text]).toEqual([202, first.text]);
});

describe('what is refused', () => {
  test('for its body leaves the key free, whatever finds it', async () => {
    const before = await contents();
    for (const [path, body] of [
      [messagesPath(), '{'],
      [messagesPath(), { ...message, eventType: '' }],
      [messagesPath(), { ...message, payload: { text: 'x'.repeat(262_144) } }],
      ['/v1/subscriptions', { channelId: 'chn_x', webhookUrl: 'https://example.com/in' }],
      ['/v1/messages/transactional', { messages: [{ ...message, channelId: 'chn_x' }] }],
    ] as const) {
      expect([path, (await send(path, body)).status]).toEqual([path, 400]);
      expect(await contents()).toEqual(before);
    }
    expect((await send(messagesPath(), message)).status).toBe(202);
    const subscription = { channelId, webhookUrl: 'https://example.com/in' };
    expect((await send('/v1/subscriptions', subscription)).status).toBe(201);
  });

  test('by the state of things stays refused under its key, and publishes nothing later', async () => {
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    const first = await send(messagesPath(), message);
    expect([first.status, first.replayed]).toEqual([409, null]);
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
    const before = await contents();
    expect(await send(messagesPath(), message, { at: second.url })).toMatchObject({
      status: 409,
      text: first.text,
      replayed: 'true',
    });
    expect(await contents()).toEqual(before);
    expect((await send(messagesPath(), message, { as: newIdempotencyKey() })).status).toBe(202);
  });

  test.each([
    ['a message', '/v1/channels/chn_x/messages', message],
    ['a pause', '/v1/subscriptions/sub_x/pause', undefined],
  ])('as NOT_FOUND is so again: %s', async (_, path, body) => {
    const first = await send(path, body);
    expect([first.status, first.replayed]).toEqual([404, null]);
    expect(await send(path, body)).toMatchObject({ status: 404, text: first.text, replayed: 'true' });
  });

  test('without a valid API key or its scope uses no key', async () => {
    const { key: reader } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', {
      name: 'reader',
      scopes: ['messages:read'],
    });
    const before = await contents();
    expect((await send(messagesPath(), message, { apiKey: 'svc_live_x' })).status).toBe(401);
    expect((await send(messagesPath(), message, { apiKey: String(reader) })).status).toBe(403);
    expect(await contents()).toEqual(before);
  });

  test('by the rate limit uses no key', async () => {
    const { key: slow } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', {
      name: 'slow',
      limits: { batchPerMinute: 1 },
    });
    const apiKey = String(slow);
    const body = { messages: [{ ...message, channelId }] };
    const path = '/v1/messages/batch';
    expect((await send(path, body, { apiKey, as: 'a' })).status).toBe(202);
    const before = await contents();
    const refused = await send(path, body, { apiKey, as: 'b' });
    expect([refused.status, refused.replayed]).toEqual([429, null]);
    expect(await contents()).toEqual(before);
  });

  test.each([
    ['publishing', () => messagesPath(), message, 'messages', `event_type <> 'order.created'`],
    ['creating', () => '/v1/channels', { name: 'unlucky' }, 'channels', `name <> 'unlucky'`],
  ])('by a fault of ours while %s leaves the key free', async (_, pathOf, body, table, check) => {
    const { pool } = posthorn.deps;
    await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT unlucky CHECK (${check}) NOT VALID`);
    const before = await contents();
    const failed = await send(pathOf(), body);
    expect([failed.status, failed.replayed]).toEqual([500, null]);
    expect(await contents()).toEqual(before);
    await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT unlucky`);
    const done = await send(pathOf(), body);
    expect([done.status < 300, done.replayed]).toEqual([true, null]);
  });
});

describe('an answer that holds a secret', () => {
  test.each([
    ['an API key', () => '/v1/api-keys', { name: 'till' }, 'key'],
    ['a signing secret', () => `/v1/subscriptions/${subscriptionId}/secret/rotate`, {}, 'secret'],
  ])('(%s) is sealed, and is sent again all the same', async (_, pathOf, body, field) => {
    const first = await send(pathOf(), body);
    const secret = String((JSON.parse(first.text) as Record<string, unknown>)[field]);
    expect(secret.length).toBeGreaterThan(40);
    const { pool, keyRing } = posthorn.deps;
    const names = Object.keys(await contents());
    const held = names.map((name) => `SELECT '${name}' AS name FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1`);
    expect((await pool.query(held.join(' UNION '), [`%${secret}%`])).rows).toEqual([]);
    const row = await posthorn.deps.db.idempotencyKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    expect([row.body, row.sealedBody]).toEqual([null, expect.stringMatching(/^v1\.test\./)]);
    const context = `idempotency_keys|sealed_body|${Buffer.from(row.id).toString('hex')}`;
    expect(keyRing.decrypt(row.sealedBody ?? '', context)).toBe(first.text);
    expect((await send(pathOf(), body, { at: second.url })).text).toBe(first.text);
  });
});

describe('after 24 hours', () => {
  test.each([
    ['a message', () => messagesPath(), message],
    ['a channel', () => '/v1/channels', { name: 'orders' }],
  ])('a key is free again: %s', async (_, pathOf, body) => {
    const first = await send(pathOf(), body);
    const { pool } = posthorn.deps;
    const { rows } = await pool.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM idempotency_keys ORDER BY created_at DESC LIMIT 1',
    );
    expect(rows).toEqual([{ hours: expect.closeTo(24, 1) }]);
    await pool.query(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);
    const later = await send(pathOf(), body);
    expect([later.status, later.replayed, later.text === first.text]).toEqual([first.status, null, false]);
    expect(await send(pathOf(), body)).toMatchObject({ text: later.text, replayed: 'true' });
  });
});

describe('while the first request runs', () => {
  /** Runs `act` while nobody can write to that table. */
  async function whileLocked(table: string, act: () => Promise<void>): Promise<void> {
    const connection = await posthorn.deps.pool.connect();
    try {
      await connection.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      await act();
      await connection.query('COMMIT');
    } finally {
      connection.release(true);
    }
  }
  const waiting = async (table: string): Promise<number> =>
    (
      await posthorn.deps.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = $1::regclass AND ${HERE}`,
        [table],
      )
    ).rows[0]?.count ?? 0;

  test('in another process, one that comes later waits for its answer', async () => {
    const name = newIdempotencyKey();
    const sent: Promise<Sent>[] = [];
    await whileLocked('channels', async () => {
      sent.push(send('/v1/channels', { name }));
      await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
      sent.push(send('/v1/channels', { name }, { at: second.url }), send('/v1/channels', { name }));
    });
    const [first, ...others] = await Promise.all(sent);
    expect([first?.status, first?.replayed]).toEqual([201, null]);
    expect(others.map(({ text, replayed }) => [text, replayed])).toEqual(others.map(() => [first?.text, 'true']));
  });

  test('and goes on for longer than that, it is CONFLICT with Retry-After 1; another body is told so at once', async () => {
    const name = newIdempotencyKey();
    let first: Promise<Sent> | undefined;
    await whileLocked('channels', async () => {
      first = send('/v1/channels', { name });
      await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
      const different = await send('/v1/channels', { name: 'other' }, { at: second.url });
      expect([different.status, errorOf(different).details?.field]).toEqual([409, 'Idempotency-Key']);
      const impatient = await Promise.all([
        send('/v1/channels', { name }, { at: second.url }),
        send('/v1/channels', { name }),
      ]);
      for (const answer of impatient) {
        expect([answer.status, errorOf(answer).code]).toEqual([409, 'CONFLICT']);
        expect([answer.headers.get('retry-after'), answer.replayed]).toEqual(['1', null]);
      }
      expect(await waiting('channels')).toBe(1);
    });
    expect((await first)?.status).toBe(201);
    expect(await send('/v1/channels', { name })).toMatchObject({ status: 201, replayed: 'true' });
  });

  test('a publish in another process that stands still is CONFLICT with Retry-After 1, and its key is free when that has failed', async () => {
    const connection = await posthorn.deps.pool.connect();
    await send(messagesPath(), message);
    const { rows } = await connection.query<{ id: Buffer }>(
      'DELETE FROM idempotency_keys WHERE id = (SELECT id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1) RETURNING id',
    );
    // As a process that has stored its messages, and neither commits nor ends.
    await connection.query('BEGIN');
    await connection.query(
      `INSERT INTO idempotency_keys (id, environment_id, request_hash, expires_at) VALUES ($1, 'env_x', '', now() + interval '1 day')`,
      [rows[0]?.id],
    );
    const before = await contents();
    const answer = await send(messagesPath(), message);
    expect([answer.status, errorOf(answer).code, answer.headers.get('retry-after')]).toEqual([409, 'CONFLICT', '1']);
    expect(await contents()).toEqual(before);
    await connection.query('ROLLBACK');
    connection.release();
    expect(await send(messagesPath(), message)).toMatchObject({ status: 202, replayed: null });
  });
});
