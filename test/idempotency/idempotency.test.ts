import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { forgetExpired } from '../../src/delivery/queue/recovery/forget-expired.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { errorOf, type KeyedPosts, MESSAGE, type Sent, startKeyedPosts } from '../support/make/keyed-posts.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey, type SecondApi } from '../support/service/two-apis.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('idempotency', () => {
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
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('can no longer be decrypted')]);
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
});

describe('idempotency at once', () => {
  // Other test files have clones of this database, with the same numbers of tables.
  const HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

  let posts: KeyedPosts;
  let posthorn: TestPosthorn;
  let second: SecondApi;
  let channelId: string;

  beforeAll(async () => {
    posts = await startKeyedPosts();
    ({ posthorn, second } = posts);
  });
  beforeEach(async () => {
    await posts.reset();
    ({ channelId } = posts);
  });
  afterAll(() => posts.stop());

  test('50 publishes at once under one key are one message with one delivery', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        posts.send(posts.messagesPath(), MESSAGE, { at: n % 2 === 0 ? posthorn.url : second.url }),
      ),
    );
    const { db } = posthorn.deps;
    expect([
      await db.message.count({ where: { channelId } }),
      await db.delivery.count({ where: { channelId } }),
    ]).toEqual([1, 1]);
  });

  test('50 parallel POSTs of a channel make one channel', async () => {
    const name = newIdempotencyKey();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        posts.send('/v1/channels', { name }, { at: n % 2 === 0 ? posthorn.url : second.url }),
      ),
    );
    expect(await posthorn.deps.db.channel.count({ where: { name } })).toBe(1);
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
        sent.push(posts.send('/v1/channels', { name }));
        await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
        sent.push(posts.send('/v1/channels', { name }, { at: second.url }), posts.send('/v1/channels', { name }));
      });
      const [first, ...others] = await Promise.all(sent);
      expect([first?.status, first?.replayed]).toEqual([201, null]);
      expect(others.map(({ text, replayed }) => [text, replayed])).toEqual(others.map(() => [first?.text, 'true']));
    });

    test('and goes on for longer than that, it is CONFLICT with Retry-After 1; another body is told so at once', async () => {
      const name = newIdempotencyKey();
      let first: Promise<Sent> | undefined;
      await whileLocked('channels', async () => {
        first = posts.send('/v1/channels', { name });
        await waitFor('the first one to wait', async () => (await waiting('channels')) === 1);
        const different = await posts.send('/v1/channels', { name: 'other' }, { at: second.url });
        expect([different.status, errorOf(different).details?.field]).toEqual([409, 'Idempotency-Key']);
        const impatient = await Promise.all([
          posts.send('/v1/channels', { name }, { at: second.url }),
          posts.send('/v1/channels', { name }),
        ]);
        for (const answer of impatient) {
          expect([answer.status, errorOf(answer).code]).toEqual([409, 'CONFLICT']);
          expect([answer.headers.get('retry-after'), answer.replayed]).toEqual(['1', null]);
        }
        expect(await waiting('channels')).toBe(1);
      });
      expect((await first)?.status).toBe(201);
      expect(await posts.send('/v1/channels', { name })).toMatchObject({ status: 201, replayed: 'true' });
    });

    test('a publish in another process that stands still is CONFLICT with Retry-After 1, and its key is free when that has failed', async () => {
      const connection = await posthorn.deps.pool.connect();
      await posts.send(posts.messagesPath(), MESSAGE);
      const { rows } = await connection.query<{ id: Buffer }>(
        'DELETE FROM idempotency_keys WHERE id = (SELECT id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1) RETURNING id',
      );
      // As a process that has stored its messages, and neither commits nor ends.
      await connection.query('BEGIN');
      await connection.query(
        `INSERT INTO idempotency_keys (id, environment_id, request_hash, expires_at) VALUES ($1, 'env_x', '', now() + interval '1 day')`,
        [rows[0]?.id],
      );
      const before = await posts.contents();
      const answer = await posts.send(posts.messagesPath(), MESSAGE);
      expect([answer.status, errorOf(answer).code, answer.headers.get('retry-after')]).toEqual([409, 'CONFLICT', '1']);
      expect(await posts.contents()).toEqual(before);
      await connection.query('ROLLBACK');
      connection.release();
      expect(await posts.send(posts.messagesPath(), MESSAGE)).toMatchObject({ status: 202, replayed: null });
    });
  });
});

describe('deliveries', () => {
  let posthorn: TestPosthorn;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    posthorn = await startPosthorn();
  });
  afterAll(async () => {
    await posthorn.stop();
    await receiver.close();
  });

  const send = (path: string, body: unknown, key?: string) =>
    posthorn.request<{ id: string; ids: string[] }>('POST', path, body, {
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });

  test('a message published under a key, with an id or across channels is delivered like any other, once', async () => {
    const channelIds = await Promise.all([1, 2].map(async () => (await createChannel(posthorn)).id));
    for (const channelId of channelIds) await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    const [one = '', other = ''] = channelIds;
    const message = { eventType: 'a', payload: { n: 1 } };
    const publish = async (): Promise<string[]> => [
      (await send(`/v1/channels/${one}/messages`, message, 'keyed')).body.id,
      (await send(`/v1/channels/${one}/messages`, { ...message, id: 'order-1' })).body.id,
      ...(
        await send(
          '/v1/messages/transactional',
          { messages: channelIds.map((channelId) => ({ ...message, channelId })) },
          'across',
        )
      ).body.ids,
      ...(await send('/v1/messages/batch', { messages: [{ ...message, channelId: other, id: 'order-2' }] })).body.ids,
    ];
    const ids = await publish();
    expect(await publish()).toEqual(ids);
    await waitFor('every delivery to be made', async () => {
      const left = await posthorn.deps.db.delivery.count({ where: { status: { not: 'delivered' } } });
      return left === 0 && receiver.requests.length >= ids.length;
    });
    expect(receiver.requests.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(5);
  });

  const counts = async () => [
    await posthorn.deps.db.idempotencyKey.count(),
    await posthorn.deps.db.publisherId.count(),
  ];

  test('a worker removes what has expired and leaves the rest', async () => {
    const { pool } = posthorn.deps;
    await posthorn.worker.stop();
    const { id } = await createChannel(posthorn);
    const old = newIdempotencyKey();
    await send(`/v1/channels/${id}/messages`, { id: 'old', eventType: 'a', payload: {} }, old);
    await pool.query(
      `UPDATE idempotency_keys SET expires_at = now() WHERE created_at = (SELECT max(created_at) FROM idempotency_keys)`,
    );
    await pool.query(`UPDATE publisher_ids SET expires_at = now() WHERE publisher_id = 'old'`);
    const [keys = 0, ids = 0] = await counts();
    await posthorn.worker.start();
    await waitFor('the expired ones to be gone', async () => {
      const [keysNow, idsNow] = await counts();
      return keysNow === keys - 1 && idsNow === ids - 1;
    });
  });

  test('much that has expired is removed in batches, by several workers at once', async () => {
    const { pool } = posthorn.deps;
    await posthorn.worker.stop();
    const before = await counts();
    await pool.query(
      `INSERT INTO publisher_ids SELECT 'env_x', 'chn_x', n::text, 'msg_x', '', now() - interval '1 second' FROM generate_series(1, 5000) n`,
    );
    await pool.query(
      `INSERT INTO idempotency_keys (id, environment_id, request_hash, status, expires_at)
     SELECT sha256(n::text::bytea), 'env_x', '', 202, now() - interval '1 second' FROM generate_series(1, 3000) n`,
    );
    expect(await Promise.all([forgetExpired(pool), forgetExpired(pool)])).toEqual([true, true]);
    expect(await forgetExpired(pool)).toBe(false);
    expect(await counts()).toEqual(before);
  });
});
