import { WORDS } from '../support/make/row-words.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import Koa from 'koa';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { createDatabase, type Database } from '../../src/platform/db/client.ts';
import { errors } from '../../src/api/http/answers/errors.ts';
import { rawBytes } from '../../src/api/http/reading/raw-bytes.ts';
import type { Context, RequestState } from '../../src/api/http/route/context.ts';
import { routesOf } from '../../src/api/http/route/route.ts';
import { linesOf, LineStream } from '../../src/api/http/line-stream.ts';
import { createLog } from '../../src/platform/log.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

describe('lines while allowed', () => {
  let edge: Edge;
  /** Lets the response in progress continue with its next line. */
  let goOn = (): void => undefined;

  async function* twoLines(): AsyncGenerator<string> {
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield '{"n":1}\n';
    await gate;
    yield '{"n":2}\n';
  }

  beforeAll(async () => {
    const route = routesOf<unknown>();
    const lines = route({
      ...WORDS,
      method: 'GET',
      path: '/v1/lines',
      access: { scope: 'audit:read' },
      answers: { 200: linesOf(z.strictObject({ n: z.int() })) },
      handle: () => Promise.resolve(new LineStream(twoLines())),
    });
    edge = await startEdge({ routes: [lines], timings: { recheckMs: 0 } });
  });
  afterAll(async () => {
    goOn();
    await edge.stop();
  });

  /** Reads the first line, calls `happen`, and reads the rest; returns undefined if the connection is cut. */
  async function takeAround(key: string, happen: () => Promise<unknown>): Promise<string | undefined> {
    const answer = await fetch(`http://127.0.0.1:${edge.server.port}/v1/lines`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('{"n":1}\n');
    await happen();
    goOn();
    let rest = '';
    try {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        rest += Buffer.from(part.value).toString();
      return rest;
    } catch {
      expect(rest).toBe('');
      return undefined;
    }
  }

  // Regression: access was checked once, before the first line, and an export of minutes continued after access was lost.
  describe('a response of many lines', () => {
    const newest = () => edge.database.db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const edit = async (data: { status?: string; scopes?: string[]; expiresAt?: Date }): Promise<void> => {
      await edge.database.db.apiKey.update({ where: { id: (await newest()).id }, data });
      // A process that was not notified: a long response uses cached rights of up to 2 s.
      edge.advance(2_000);
    };
    const suspend = async (status: string): Promise<void> => {
      await edge.database.db.app.updateMany({ data: { status } });
      edge.advance(2_000);
    };

    test.each<[string, () => Promise<void>]>([
      ['was revoked', () => edit({ status: 'revoked' })],
      ['has lost the scope', () => edit({ scopes: ['channels:read'] })],
      ['has expired', () => edit({ expiresAt: new Date(0) })],
      ['is of an app that was suspended', () => suspend('suspended')],
    ])('is cut off before its next line if the key %s meanwhile', async (_, happen) => {
      const key = await edge.newKey();
      expect(await takeAround(key, happen)).toBeUndefined();
      await suspend('active');
    });

    test('continues to its end if the key keeps its rights', async () => {
      const key = await edge.newKey();
      expect(await takeAround(key, () => edit({ scopes: ['audit:read'] }))).toBe('{"n":2}\n');
    });
  });
});

describe('stalled readers', () => {
  /** No test lasts this long. */
  const NEVER_MS = 3_600_000;
  const LINE = `${JSON.stringify({ text: 'x'.repeat(1_000_000) })}\n`;

  let edge: Edge | undefined;
  let reader: Socket | undefined;
  afterEach(async () => {
    reader?.destroy();
    await edge?.stop();
  });

  /** Starts an endless response whose reader does not read. `isOver`: the service produces nothing more for it. */
  async function stallIn(timings: { heartbeatMs: number; recheckMs: number }) {
    let [sent, isOver] = [0, false];
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          sent += 1;
          yield LINE;
        }
      } finally {
        isOver = true;
      }
    }
    const lines = routesOf<unknown>()({
      ...WORDS,
      method: 'GET',
      path: '/v1/lines',
      access: { scope: 'audit:read' },
      answers: { 200: linesOf(z.strictObject({ text: z.string() })) },
      handle: () => Promise.resolve(new LineStream(endless())),
    });
    const started = await startEdge({ routes: [lines], timings });
    edge = started;
    const key = await started.newKey();
    reader = connect(started.server.port, '127.0.0.1').pause();
    reader.on('error', () => undefined);
    reader.write(`GET /v1/lines HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
    await waitFor('the first line', () => sent > 0);
    return { edge: started, isOver: () => isOver };
  }

  // Regression: nothing was checked while the reader did not read, and each such response kept megabytes for as long as it liked.
  test('a response of many lines is cut off if its reader does not read', async () => {
    const { isOver } = await stallIn({ heartbeatMs: 100, recheckMs: NEVER_MS });
    await waitFor('the end of the answer', isOver);
    expect(isOver()).toBe(true);
  });

  test('a response whose reader does not read is cut off if its key was revoked meanwhile', async () => {
    const { edge: here, isOver } = await stallIn({ heartbeatMs: NEVER_MS, recheckMs: 20 });
    const { id } = await here.database.db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await here.database.db.apiKey.update({ where: { id }, data: { status: 'revoked' } });
    here.advance(2_000);
    await waitFor('the end of the answer', isOver);
    expect(isOver()).toBe(true);
  });

  // Regression: a large page was kept for as long as its reader wanted, and the shutdown of the service waited for it.
  test('a large page is cut off if its reader does not read', async () => {
    let response: ServerResponse | undefined;
    const note = (message: unknown): void => {
      // `as`: what Node publishes on this channel.
      ({ response } = message as { response: ServerResponse });
    };
    const page = routesOf<unknown>()({
      ...WORDS,
      method: 'GET',
      path: '/v1/page',
      access: { scope: 'audit:read' },
      answers: { 200: z.strictObject({ texts: z.array(z.string()) }) },
      handle: () => Promise.resolve({ texts: Array.from({ length: 30 }, () => 'x'.repeat(1_000_000)) }),
    });
    edge = await startEdge({ routes: [page], timings: { heartbeatMs: 100, recheckMs: NEVER_MS } });
    const key = await edge.newKey();
    subscribe('http.server.request.start', note);
    reader = connect(edge.server.port, '127.0.0.1').pause();
    reader.on('error', () => undefined);
    reader.write(`GET /v1/page HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
    await waitFor('the end of its connection', () => response?.closed === true);
    unsubscribe('http.server.request.start', note);
    expect(response?.writableFinished).toBe(false);
  });
});

describe('gone callers', () => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request) => void requests.push(request));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  // Regression: a request that had waited for its key while PostgreSQL was busy, and whose caller hung up meanwhile, was a 500 and an
  // error in the log.
  test('a caller who hangs up before the body is read does not cause an internal error', async () => {
    // A TCP server's address is an object.
    const { port } = server.address() as AddressInfo;
    const caller = connect(port, '127.0.0.1');
    const head = ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: 20'];
    caller.write(`${head.join('\r\n')}\r\n\r\n{"half"`);
    await once(server, 'request');
    const [request] = requests;
    if (request === undefined) throw new Error('the server has no request');
    const closed = new Promise((resolve) => request.once('error', () => undefined).once('close', resolve));
    caller.destroy();
    await closed;
    // `as`: rawBytes reads only these two.
    const context = { req: request, state: { route: { consumes: 'json' } } } as unknown as Context;
    await expect(rawBytes(context, () => Promise.resolve())).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'body', reason: 'must be complete, but the connection ended early' },
    });
  });
});

describe('busy pool', () => {
  let database: TestDatabase;
  let db: Database;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = createDatabase(database.url, { max: 1, connectWithinMs: 500, onPool: (opened) => (pool = opened) });
  });
  afterAll(async () => {
    await db.$disconnect();
    await database.drop();
  });

  // Regression: each of them logged a line with a stack of 2 KB.
  test('requests that get no connection to PostgreSQL log one short line in five seconds, which counts the others', async () => {
    const lines: string[] = [];
    const log = createLog('warn', { destination: { write: (line) => void lines.push(line) } });
    let now = 0;
    const koa = new Koa<RequestState>();
    koa.use(errors(log, () => now));
    koa.use(({ path }) =>
      path === '/transaction'
        ? db.$transaction((transaction) => transaction.$queryRaw`SELECT 1`)
        : db.$queryRaw`SELECT 1`,
    );
    const server = koa.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // `as`: a server on a port has such an address.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = async (count: number, path: string): Promise<void> => {
      const asked = Array.from({ length: count }, async () => (await fetch(`${url}${path}`)).status);
      const statuses = await Promise.all(asked);
      expect(statuses).toEqual(Array.from({ length: count }, () => 503));
    };

    let holder: PoolClient | undefined;
    try {
      await waitFor(
        'the only connection',
        async () => (holder ??= await pool.connect().catch(() => undefined)) !== undefined,
      );
      await refused(20, '/transaction');
      now = 4_999;
      await refused(1, '/');
      expect(lines).toHaveLength(1);
      now = 5_000;
      await refused(1, '/');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
        [
          {
            refusedSinceLastLine: 0,
            message: 'Transaction API error: Unable to start a transaction in the given time.',
          },
          { refusedSinceLastLine: 20, message: expect.stringContaining('timeout exceeded when trying to connect') },
        ].map(({ refusedSinceLastLine, message }) =>
          expect.objectContaining({
            level: 'warn',
            code: 'UNAVAILABLE',
            msg: 'request failed: no PostgreSQL connection was free in time',
            err: { type: 'Error', message, stack: '' },
            refusedSinceLastLine,
          }),
        ),
      );
    } finally {
      holder?.release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      log.outages.stop();
    }
  });
});
