import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { readRaw } from '../support/check/edge-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

describe('a request that is not valid HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'is not valid HTTP'],
    ['a method Node does not know', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'is not valid HTTP'],
    [
      'both Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'is not valid HTTP',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      400,
      'is not valid HTTP',
    ],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400, 'is not valid HTTP'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400, 'is not valid HTTP'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n', 400, 'is not valid HTTP'],
    [
      'headers over 16 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17 * 1024)}\r\n\r\n`,
      431,
      'headers are over 16384 bytes',
      'HEADERS_TOO_LARGE',
    ],
    [
      'a chunk with an extension of 17 KiB',
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;a=${'a'.repeat(17 * 1024)}\r\n{}\r\n0\r\n\r\n`,
      413,
      'chunk extensions are too long',
      'PAYLOAD_TOO_LARGE',
    ],
    // The answer comes once Node has waited for the rest of the headers, 10 s.
    ['headers that do not end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408, 'did not arrive in time', 'REQUEST_TIMEOUT'],
    [
      'a broken chunk',
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'is not valid HTTP',
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

  test('a body that breaks off behind an answer gets no second one', async () => {
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

  test('an Expect that nobody knows is ignored', async () => {
    const answer = readRaw(
      await edge.raw('GET /v1/list HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  });
});

test("Koa's own error handler never wrote anything", async () => {
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
  test('is 503 with the part that is down, and 200 again once it is back, while /healthz stays 200', async () => {
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
  test('answers what is in flight, closes idle and silent connections, and takes nothing new', async () => {
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

  // A proxy may have sent a POST on an idle connection, and may not send it again.
  test('answers requests on connections that were idle, and says that they close', async () => {
    const draining = await startEdge();
    const ask = async (socket: Socket, path: string): Promise<string> => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [chunk] = await once(socket, 'data');
      return String(chunk);
    };
    const [first, second] = [await draining.connect(), await draining.connect()];
    for (const socket of [first, second]) expect(await ask(socket, '/healthz')).toMatch(/^HTTP\/1\.1 200 /);

    // In the same turn: idle connections stay for half a second.
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

  test('takes a body that is still on its way', async () => {
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
