import { WORDS } from '../support/make/row-words.ts';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { routesOf } from '../../src/api/http/route/route.ts';
import { startHttpServer } from '../../src/api/http/server.ts';
import { readRaw } from '../support/check/edge-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';

describe('edge limits', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ strangerRequestsPerMinute: 40 });
  });
  afterAll(() => edge.stop());

  const BATCH = { messages: [{ eventType: 'a', payload: {} }] };
  const NOTHING = { requestsPerMinute: 1_000, burst: 1_000, concurrent: 1_000, batchPerMinute: 1_000 };

  function expectLimited(answer: EdgeAnswer, message: string, limit: number): number {
    expect([answer.status, answer.json.error?.code, answer.json.error?.message]).toEqual([
      429,
      'RATE_LIMITED',
      message,
    ]);
    const retryAfter = answer.json.error?.retryAfter;
    expect(answer.headers['retry-after']).toBe(String(retryAfter));
    expect(answer.headers['x-ratelimit-limit']).toBe(String(limit));
    expect(answer.headers['x-request-id']).toBeDefined();
    return retryAfter ?? 0;
  }

  describe('a key', () => {
    test('with the tier Free has 10 requests in one second, and the refused ones do not use up its minute', async () => {
      // A busy machine may take longer for them than the second that is counted: then the test repeats it with another key.
      const { key, answers } = await waitFor('30 requests within one second', async () => {
        const free = await edge.newKey({ tier: 'free', limits: { concurrent: 1_000 } });
        const startedAt = performance.now();
        const made = await Promise.all(Array.from({ length: 30 }, () => edge.call({ key: free })));
        return performance.now() - startedAt < 1_000 && { key: free, answers: made };
      });
      const limited = answers.filter(({ status }) => status === 429);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(limited).toHaveLength(20);
      for (const answer of limited) expect(expectLimited(answer, 'More than 10 requests in one second', 60)).toBe(1);
      const later = await waitFor('the second to be over', async () => {
        const answer = await edge.call({ key });
        return answer.status === 200 && answer;
      });
      expect(later.headers['x-ratelimit-remaining']).toBe('49');
    });

    test('has its requests per minute, whatever their outcome, then gets 429 until the window ends', async () => {
      const key = await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 4 } });
      const first = await edge.call({ key });
      expect([first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual(['4', '3']);
      const remaining = [];
      for (const call of [{ path: '/nothing' }, { method: 'PUT' }, { path: '/v1/list?limit=x' }]) {
        remaining.push((await edge.call({ key, ...call })).headers['x-ratelimit-remaining']);
      }
      expect(remaining).toEqual(['2', '1', '0']);
      const limited = await edge.call({ key });
      const retryAfter = expectLimited(limited, 'More than 4 requests in 60 seconds', 4);
      expect(limited.headers['x-ratelimit-remaining']).toBe('0');
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(
        Math.abs(Number(limited.headers['x-ratelimit-reset']) - Date.now() / 1000 - retryAfter),
      ).toBeLessThanOrEqual(2);
    });

    test('has its maximum of requests in flight; one that ends frees its slot', async () => {
      const key = await edge.newKey({ limits: { ...NOTHING, concurrent: 2 } });
      const before = edge.handled();
      const slow = [edge.call({ key, path: '/v1/slow' }), edge.call({ key, path: '/v1/slow' })];
      await waitFor('both to be in flight', () => edge.handled() === before + 2);
      expect(expectLimited(await edge.call({ key }), 'More than 2 requests in flight', 1_000)).toBe(1);
      edge.openGate();
      for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
      for (let request = 0; request < 5; request += 1) expect((await edge.call({ key })).status).toBe(200);
    });

    test('frees its slot when the caller hangs up', async () => {
      const key = await edge.newKey({ limits: { ...NOTHING, concurrent: 1 } });
      const socket = await edge.connect();
      socket.write(
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      );
      await waitFor('the request to be in flight', async () => (await edge.call({ key })).status === 429);
      socket.destroy();
      await waitFor('its place to be free', async () => (await edge.call({ key })).status === 200);
    });

    test('has 10 batches a minute on both paths together, and only these have the headers of that bucket', async () => {
      const key = await edge.newKey({ tier: 'pro' });
      const paths = ['/v1/messages/batch', '/v1/channels/chn_x/messages/batch'];
      for (let request = 0; request < 10; request += 1) {
        const answer = await edge.call({ key, method: 'POST', path: paths[request % 2] ?? '', body: BATCH });
        expect([answer.status, answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual([
          202,
          '10',
          String(9 - request),
        ]);
      }
      for (const path of paths)
        expectLimited(
          await edge.call({ key, method: 'POST', path, body: BATCH }),
          'More than 10 batch requests in 60 seconds',
          10,
        );
      const other = await edge.call({ key });
      expect([other.status, other.headers['x-ratelimit-limit'], other.headers['x-ratelimit-remaining']]).toEqual([
        200,
        '6000',
        '5989',
      ]);
    });

    test('is rate limited before its body is read', async () => {
      const key = await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } });
      await edge.call({ key });
      const socket = await edge.connect();
      socket.write(
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      );
      const answer = await new Promise<string>((resolve) =>
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
      );
      socket.destroy();
      expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    });

    test('does not use up the limits of another key', async () => {
      const [one, other] = [
        await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } }),
        await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } }),
      ];
      expect((await edge.call({ key: one })).status).toBe(200);
      expect((await edge.call({ key: one })).status).toBe(429);
      expect((await edge.call({ key: other })).status).toBe(200);
    });
  });

  describe('a request without a valid key', () => {
    test('is counted by its address, even if malformed, and X-Forwarded-For changes nothing', async () => {
      const first = await edge.call({ key: null });
      expect([first.status, first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual([
        401,
        '40',
        '39',
      ]);
      expect(await edge.raw('nonsense\r\n\r\n')).toContain('X-RateLimit-Remaining: 38');
      for (let request = 0; request < 38; request += 1) {
        const key = request % 2 === 0 ? null : `svc_live_${String(request).padStart(43, '0')}`;
        expect((await edge.call({ key, headers: { 'x-forwarded-for': `203.0.113.${request}` } })).status).toBe(401);
      }
      expectLimited(await edge.call({ key: null }), 'More than 40 requests in 60 seconds', 40);
      expectLimited(await edge.call({ key: null, path: '/nothing' }), 'More than 40 requests in 60 seconds', 40);
      expect((await edge.call({})).status).toBe(200);
      expect((await edge.call({ key: null, path: '/healthz' })).status).toBe(200);
    });

    test('is told that the database is down, not that it calls too often, and keys work again once it is back', async () => {
      const cutOff = await startEdge({ strangerRequestsPerMinute: 1 });
      await cutOff.wire.cut();
      for (let request = 0; request < 3; request += 1) {
        const answer = await cutOff.call({});
        expect([answer.status, answer.json.error?.code, answer.headers['retry-after']]).toEqual([
          503,
          'UNAVAILABLE',
          '1',
        ]);
        expect([answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual(['1', '0']);
      }
      await cutOff.wire.mend();
      await waitFor('the key to be known', async () => (await cutOff.call({})).status === 200);
      await cutOff.stop();
    });

    test('behind one trusted proxy is counted by the address that the proxy saw', async () => {
      const behind = await startEdge({ strangerRequestsPerMinute: 1, environment: { TRUSTED_PROXY_HOPS: '1' } });
      const from = async (forwarded: string) =>
        (await behind.call({ key: null, headers: { 'x-forwarded-for': forwarded } })).status;
      expect(await from('203.0.113.1')).toBe(401);
      expect(await from('203.0.113.2')).toBe(401);
      expect(await from('198.51.100.9, 203.0.113.2')).toBe(429);
      expect(await from('2001:db8::1')).toBe(401);
      expect(await from('2001:db8::2')).toBe(429);
      await behind.stop();
    });
  });
});

describe('edge server', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
  });
  afterAll(() => edge.stop());

  describe('a request that is not valid HTTP', () => {
    test.each([
      ['no HTTP at all', 'hello\r\n\r\n', 400, 'must be valid HTTP'],
      ['a method Node does not know', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'must be valid HTTP'],
      [
        'both Content-Length and Transfer-Encoding',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
        'must be valid HTTP',
      ],
      [
        'two lengths',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
        400,
        'must be valid HTTP',
      ],
      [
        'a length that is no number',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
        400,
        'must be valid HTTP',
      ],
      ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400, 'must be valid HTTP'],
      ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n', 400, 'must be valid HTTP'],
      [
        'headers over 16 KiB',
        `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17 * 1024)}\r\n\r\n`,
        431,
        'must have at most 16384 bytes of headers',
        'HEADERS_TOO_LARGE',
      ],
      [
        'a chunk with an extension of 17 KiB',
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;a=${'a'.repeat(17 * 1024)}\r\n{}\r\n0\r\n\r\n`,
        413,
        'must not have such long chunk extensions',
        'PAYLOAD_TOO_LARGE',
      ],
      // The response comes once Node has waited for the rest of the headers, 10 s.
      ['headers that do not end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408, 'did not arrive in time', 'REQUEST_TIMEOUT'],
      [
        'a broken chunk',
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
        400,
        'must be valid HTTP',
      ],
    ])(
      '%s gets the envelope and all headers, and the connection is closed',
      async (_, bytes, status, reason, code = 'INVALID_REQUEST') => {
        const answer = readRaw(await edge.raw(bytes.replace('KEY', edge.key)));
        expect(answer.status).toBe(status);
        expect(answer.body).toEqual({
          error: { code, message: `request: ${reason}`, details: { field: 'request', reason } },
        });
        expect(answer.headers).toMatchObject({
          connection: 'close',
          'content-type': 'application/json; charset=utf-8',
          'x-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
          'x-ratelimit-limit': '100000',
          'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
          'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        });
        expect(edge.handled()).toBe(0);
      },
    );

    test('a body that breaks off after its response gets no second one', async () => {
      const head = 'POST /v1/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
      const socket = await edge.connect();
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.write(head);
      await waitFor('the answer', () => text.includes('UNAUTHORIZED'));
      socket.write('zz\r\n');
      await once(socket, 'close');
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    });

    test('an unknown Expect is ignored', async () => {
      const answer = readRaw(
        await edge.raw('GET /v1/list HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'),
      );
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    });
  });

  test("Koa's own error handler never writes anything", async () => {
    const written: unknown[] = [];
    edge.app.on('error', (error) => written.push(error));
    for (const path of ['/v1/throw/error', '/v1/throw/nothing', '/nothing', '/v1/messages/%'])
      expect((await edge.call({ path })).headers['x-ratelimit-limit']).toBe('600000');
    const socket = await edge.connect();
    socket.write(`GET /v1/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.key}\r\n\r\n`);
    await waitFor('the request to be handled', () => edge.handled() > 0);
    socket.resetAndDestroy();
    edge.openGate();
    await waitFor('the service to notice', () =>
      edge.lines.some(({ route, msg }) => route === '/v1/slow' && msg === 'request'),
    );
    expect(written).toEqual([]);
  });

  describe('/readyz', () => {
    test('is 503 with the dependency that is down, and 200 again once it is back, while /healthz stays 200', async () => {
      const cutOff = await startEdge();
      await cutOff.wire.cut();
      const down = await cutOff.call({ path: '/readyz', key: null });
      expect(down.status).toBe(503);
      expect(down.json).toEqual({
        error: { code: 'UNAVAILABLE', message: 'The database cannot be reached' },
        status: 'unavailable',
        parts: { database: 'down', schema: 'unknown', encryptionKeys: 'unknown', rowSecurity: 'unknown' },
        reasons: { database: 'The database cannot be reached' },
      });
      expect(down.headers['retry-after']).toBe('1');
      expect((await cutOff.call({ path: '/healthz', key: null })).status).toBe(200);
      await cutOff.wire.mend();
      await waitFor(
        'the database to be up',
        async () => (await cutOff.call({ path: '/readyz', key: null })).status === 200,
      );
      await cutOff.stop();
    });
  });

  describe('draining', () => {
    test('responds to requests in flight, closes idle and silent connections, and accepts nothing new', async () => {
      const draining = await startEdge();
      const silent = await draining.connect();
      const idle = await draining.connect();
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(idle, 'data');
      const busy = draining.call({ path: '/v1/slow' });
      await waitFor('the request to be handled', () => draining.handled() > 0);

      const drained = draining.server.drain();
      await Promise.all([once(silent.resume(), 'close'), once(idle.resume(), 'close')]);
      await expect(draining.connect()).rejects.toThrow('ECONNREFUSED');
      const isDrained = await Promise.race([drained.then(() => true), sleep(100, false)]);
      expect(isDrained).toBe(false);

      draining.openGate();
      const answer = await busy;
      expect(answer.json).toEqual({ ok: true });
      expect(answer.headers['connection']).toBe('close');
      await drained;
      await draining.stop();
    });

    // A proxy may have sent a POST on an idle connection, and must not repeat it.
    test('responds to requests on connections that were idle, and says that they close', async () => {
      const draining = await startEdge();
      const ask = async (socket: Socket, path: string): Promise<string> => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        const [chunk] = await once(socket, 'data');
        return String(chunk);
      };
      const [first, second] = [await draining.connect(), await draining.connect()];
      for (const socket of [first, second]) expect(await ask(socket, '/healthz')).toMatch(/^HTTP\/1\.1 200 /);

      // In the same turn, because idle connections stay open for half a second.
      const drained = draining.server.drain();
      await Promise.all(
        [first, second].map(async (socket) => {
          const closed = once(socket, 'close');
          expect(await ask(socket, '/healthz')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i);
          await closed;
        }),
      );
      await drained;
      await expect(draining.connect()).rejects.toThrow('ECONNREFUSED');
      await draining.stop();
    });

    test('reads a body that is still on its way', async () => {
      const draining = await startEdge();
      const socket = await draining.connect();
      const body = '{"payload":{}}';
      socket.write(
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${draining.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      );
      await waitFor('the key to be looked up', async () => {
        const keys = await draining.apiKeys.operator.list();
        return keys.some(({ lastUsedAt }) => lastUsedAt !== undefined);
      });
      const drained = draining.server.drain();
      socket.write(body.slice(5));
      const [chunk] = await once(socket, 'data');
      expect(String(chunk)).toMatch(/^HTTP\/1\.1 202 [\s\S]*\{"payload":\{\}\}$/);
      await drained;
      await draining.stop();
    });
  });
});

describe('connection bound', () => {
  /** Regression: an API accepted every connection, until the process had no file descriptor left and Node ended it. */
  let edge: Edge;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    edge = await startEdge();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await edge.stop();
  });

  test('a connection beyond the limit is closed, earlier ones continue, and the operator is notified once', async () => {
    let told = 0;
    const server = await startHttpServer(edge.app, {
      port: 0,
      host: '127.0.0.1',
      maxConnections: 2,
      onTooMany: () => {
        told += 1;
      },
    });
    const open = async (): Promise<Socket> => {
      const socket = connect(server.port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    const [first] = [await open(), await open()];
    for (let further = 0; further < 3; further += 1) {
      const socket = await open();
      await once(socket.resume(), 'close');
    }

    first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(first, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    expect(told).toBe(1);

    for (const socket of sockets.splice(0)) socket.destroy();
    await server.drain();
  });
});

describe('deprecation', () => {
  const row = routesOf<unknown>();
  const common = {
    ...WORDS,
    method: 'GET',
    access: { scope: 'channels:read' },
    answers: { 200: z.strictObject({ ok: z.boolean() }) },
    handle: async () => ({ ok: true }),
  } as const;
  const ending = { since: '2026-10-01', endsAt: '2027-10-01', successor: '/v2/things' } as const;
  const ANNOUNCED = {
    deprecation: '@1790812800',
    sunset: 'Fri, 01 Oct 2027 00:00:00 GMT',
    link: '</v2/things>; rel="successor-version"',
  };

  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({
      environment: { PUBLIC_BASE_URL: 'https://api.example.com', DASHBOARD_URL: 'https://app.example.com' },
      routes: [row({ ...common, path: '/v1/ending', deprecation: ending }), row({ ...common, path: '/v1/staying' })],
    });
  });
  afterAll(() => edge.stop());

  test('a deprecated route responds as before, and says since when it is deprecated, when it ends and what replaces it', async () => {
    const answer = await edge.call({ path: '/v1/ending' });
    expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
    expect(answer.headers).toMatchObject(ANNOUNCED);
  });

  test('a refusal of a deprecated route says so too', async () => {
    const refused = await edge.call({ path: '/v1/ending', key: null });
    expect(refused.status).toBe(401);
    expect(refused.headers).toMatchObject(ANNOUNCED);
  });

  test('no other route has these headers', async () => {
    const { status, headers } = await edge.call({ path: '/v1/staying' });
    expect(status).toBe(200);
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers).not.toHaveProperty(name);
  });

  test("pages of the dashboard's origin may read them", async () => {
    const { headers } = await edge.call({ path: '/v1/ending', headers: { origin: 'https://app.example.com' } });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  });
});
