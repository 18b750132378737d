import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { CHALLENGES, echo, expectEdgeHeaders, expectRefused, nested, payload } from '../support/check/edge-answers.ts';

let edge: Edge;
beforeAll(async () => {
  // No test here may meet the strangers' limit but the one about it.
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

describe('a good request', () => {
  test("gets the route's status, JSON that is not cached, and all headers", async () => {
    const answer = await edge.call(echo(payload('{"n":12345678901234567890,"m":1.10}')));
    expect(answer.status).toBe(202);
    expect(answer.text).toBe(payload('{"n":12345678901234567890,"m":1.10}'));
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expectEdgeHeaders(answer);
    expect(answer.headers['x-ratelimit-limit']).toBe('600000');
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  test('answered with 204 has no body', async () => {
    const answer = await edge.call({ method: 'DELETE', path: '/v1/messages/x' });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
    expectEdgeHeaders(answer);
  });

  test('has a request id of its own, never the one it brings', async () => {
    const [one, other] = await Promise.all([edge.call({ headers: { 'x-request-id': 'mine' } }), edge.call({})]);
    expect(one.headers['x-request-id']).not.toBe(other.headers['x-request-id']);
    expectEdgeHeaders(one);
  });

  test.each([
    'application/json',
    'APPLICATION/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; profile=x',
  ])('may say it is %s', async (type) => {
    expect((await edge.call(echo(payload('{}'), { 'content-type': type }))).status).toBe(202);
  });

  test('may be chunked, encoded as identity, and begin with a byte order mark', async () => {
    expect((await edge.call(echo(payload('{}'), { 'transfer-encoding': 'chunked' }))).status).toBe(202);
    expect((await edge.call(echo(payload('{}'), { 'content-encoding': 'identity' }))).status).toBe(202);
    expect((await edge.call(echo(`\ufeff${payload('{}')}`))).text).toBe(payload('{}'));
  });

  test('without a body schema may have an empty object or no body', async () => {
    expect((await edge.call({ method: 'POST', path: '/v1/bodyless' })).json).toEqual({ bodyText: '' });
    expect((await edge.call({ method: 'POST', path: '/v1/bodyless', body: ' { }' })).json).toEqual({
      bodyText: ' { }',
    });
    expect(
      (
        await edge.call({
          method: 'POST',
          path: '/v1/bodyless',
          headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json' },
        })
      ).json,
    ).toEqual({ bodyText: '' });
  });

  test('by HEAD gets what GET gets, without the body', async () => {
    const get = await edge.call({ path: '/v1/list' });
    const head = await edge.call({ method: 'HEAD', path: '/v1/list' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
    expectEdgeHeaders(head);
  });

  test('in absolute form reaches the same route', async () => {
    const text = await edge.raw(
      `GET http://example.com/v1/list?limit=3 HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer ${edge.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('{"limit":3}');
  });

  test('holds 32 levels of payload and a body of 5 MiB', async () => {
    expect((await edge.call(echo(payload(nested(32))))).status).toBe(202);
    const large = payload(JSON.stringify({ text: 'x'.repeat(5 * 1024 * 1024 - 23) }));
    expect(Buffer.byteLength(large)).toBe(5 * 1024 * 1024);
    expect((await edge.call(echo(large))).status).toBe(202);
  });
});

describe('a path', () => {
  test('with escapes is decoded; one without parameters wins over one with', async () => {
    expect((await edge.call({ path: '/v1/messages/a%2Fb%C3%BC' })).json).toEqual({ messageId: 'a/bü' });
    expect(
      (
        await edge.call({
          method: 'POST',
          path: '/v1/messages/batch',
          body: { messages: [{ eventType: 'a', payload: {} }] },
        })
      ).status,
    ).toBe(202);
    expect((await edge.call({ method: 'POST', path: '/v1/messages/other' })).status).toBe(200);
  });

  test.each([
    '/',
    '/v1',
    '/v1/nothing',
    '/v1/list/',
    '/V1/list',
    '//v1/list',
    '/v1/messages/%00',
    '/v1/messages/%',
    '/v1/messages/%ff',
    '/v1/messages/%zz',
    '/v1/messages/',
    '/v1/../v1/list',
    '/__proto__',
    '/v1/list%00',
  ])('%s is NOT_FOUND, with a key or without', async (path) => {
    const answer = await expectRefused(edge, { path }, { status: 404, code: 'NOT_FOUND' });
    expect(answer.headers['x-ratelimit-limit']).toBe('600000');
    await expectRefused(edge, { path, key: null }, { status: 404, code: 'NOT_FOUND' });
  });

  test.each([
    ['PUT', '/v1/list', 'GET, HEAD'],
    ['DELETE', '/v1/echo', 'POST'],
    ['OPTIONS', '/v1/list', 'GET, HEAD'],
    ['TRACE', '/v1/list', 'GET, HEAD'],
    ['PUT', '/v1/messages/x', 'DELETE, GET, HEAD, POST'],
    ['GET', '/v1/echo', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is METHOD_NOT_ALLOWED with Allow', async (method, path, allow) => {
    const answer = await edge.call({ method, path });
    expect([answer.status, answer.json.error?.code, answer.headers['allow']]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      allow,
    ]);
    if (path !== '/healthz') expectEdgeHeaders(answer);
  });

  test('HEAD of a path without GET is METHOD_NOT_ALLOWED too, without a body', async () => {
    const answer = await edge.call({ method: 'HEAD', path: '/v1/echo' });
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([405, 'POST', '']);
    expectEdgeHeaders(answer);
  });

  test.each(['OPTIONS * HTTP/1.1', 'GET http://[::1/x HTTP/1.1', 'GET x HTTP/1.1', 'GET /v1/list#a HTTP/1.1'])(
    'the request line %s gets the envelope',
    async (line) => {
      const text = await edge.raw(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 (400|404) /);
      expect(text).toContain('{"error":{"code":"');
      expect(text).toMatch(/X-RateLimit-Limit: /i);
    },
  );
});

describe('an Authorization', () => {
  test.each([
    ['missing', {}],
    ['a key nobody has', { authorization: `Bearer svc_live_${'0'.repeat(43)}` }],
    ['of another scheme', { authorization: 'Basic c3ZjOng=' }],
    ['empty', { authorization: 'Bearer ' }],
    ['without its scheme', { authorization: 'svc_live_x' }],
    ['a key of another service', { authorization: 'Bearer sk_live_x' }],
    ['two keys in one', { authorization: 'Bearer a, Bearer b' }],
    ['very long', { authorization: `Bearer svc_live_${'x'.repeat(8_000)}` }],
  ])('that is %s is UNAUTHORIZED', async (_, headers) => {
    const answer = await expectRefused(edge, { key: null, headers }, { status: 401, code: 'UNAUTHORIZED' });
    expect(answer.json.error?.message).toBe('The API key is invalid or missing');
    expect(answer.headers['www-authenticate']).toBe(CHALLENGES);
  });

  test('given twice is UNAUTHORIZED, the first one being good notwithstanding', async () => {
    const text = await edge.raw(
      `GET /v1/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.key}\r\nAuthorization: Bearer ${edge.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('is the key with any spelling of the scheme', async () => {
    expect((await edge.call({ key: null, headers: { authorization: `bearer  ${edge.key}` } })).status).toBe(200);
  });

  test('without the scope of the route is FORBIDDEN', async () => {
    const key = await edge.newKey({ scopes: ['messages:read'] });
    expect((await edge.call({ key })).status).toBe(200);
    const answer = await expectRefused(edge, { ...echo(payload('{}')), key }, { status: 403, code: 'FORBIDDEN' });
    expect(answer.json.error?.message).toContain('messages:write');
  });
});

describe('a failure', () => {
  test.each(['error', 'text', 'nothing'])(
    'of ours (%s) is INTERNAL with a fixed text, the cause only in the log, with the request id',
    async (what) => {
      const answer = await edge.call({ path: `/v1/throw/${what}` });
      expect(answer.status).toBe(500);
      expect(answer.json).toEqual({ error: { code: 'INTERNAL', message: 'Something went wrong on our side' } });
      expectEdgeHeaders(answer);
      expect(
        edge.lines.filter(({ level, requestId }) => level === 50 && requestId === answer.headers['x-request-id']),
      ).toHaveLength(1);
    },
  );

  test('on the way to the database is UNAVAILABLE with Retry-After', async () => {
    const answer = await edge.call({ path: '/v1/throw/unavailable' });
    expect([answer.status, answer.json.error?.code, answer.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '1']);
    expect(answer.json.error?.retryAfter).toBeUndefined();
    expectEdgeHeaders(answer);
  });

  test.each([
    ['22P02', "SELECT 'x'::int", 'INVALID_REQUEST', 400],
    ['22003', 'SELECT 99999999999::int', 'INVALID_REQUEST', 400],
    ['22P05', String.raw`SELECT '{"a":"\u0000"}'::jsonb ->> 'a'`, 'INVALID_REQUEST', 400],
    ['22008', "SELECT '2026-02-30'::date", 'INVALID_REQUEST', 400],
    ['54001', "SELECT (repeat('[', 200000) || repeat(']', 200000))::jsonb", 'INVALID_REQUEST', 400],
    [
      '23505',
      'INSERT INTO organisations (id, name, updated_at) SELECT id, name, now() FROM organisations LIMIT 1',
      'CONFLICT',
      409,
    ],
    ['42601', 'SELEC', 'INTERNAL', 500],
  ])(
    'that PostgreSQL reports as %s becomes what it means, through pg and through Prisma',
    async (_, sql, code, status) => {
      for (const isPrisma of [false, true]) {
        const answer = await edge.call({ method: 'POST', path: '/v1/sql', body: { sql, isPrisma } });
        expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
        expect(answer.text).not.toMatch(/SELECT|INSERT|postgres|organisations|127\.0\.0\.1/i);
      }
    },
  );

  test('when PostgreSQL ends the connection is UNAVAILABLE, through pg and through Prisma, and the next request is well', async () => {
    for (const isPrisma of [false, true]) {
      const answer = await edge.call({
        method: 'POST',
        path: '/v1/sql',
        body: { sql: 'SELECT pg_terminate_backend(pg_backend_pid())', isPrisma },
      });
      expect([answer.status, answer.json.error?.code]).toEqual([503, 'UNAVAILABLE']);
    }
    expect((await edge.call({ method: 'POST', path: '/v1/sql', body: { sql: 'SELECT 1' } })).status).toBe(200);
  });
});

describe('health', () => {
  test('is public and not counted', async () => {
    for (const path of ['/healthz', '/readyz', '/readyz?x=1']) {
      const answer = await edge.call({ path, key: null });
      expect(answer.status).toBe(200);
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
    }
    expect((await edge.call({ path: '/readyz', key: null })).json).toEqual({
      status: 'ready',
      parts: { database: 'up', schema: 'up', encryptionKeys: 'up', rowSecurity: 'up' },
    });
    expect((await edge.call({ path: '/healthz', key: null })).json).toEqual({ status: 'ok' });
  });
});
