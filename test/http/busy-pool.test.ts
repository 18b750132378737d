import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Koa from 'koa';
import type { Pool, PoolClient } from 'pg';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { errors } from '../../src/http/answers/errors.ts';
import type { RequestState } from '../../src/http/route/context.ts';
import { createLog } from '../../src/log.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

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

// Old: a line with a stack of 2 KB for each of them.
test('requests that get no connection to PostgreSQL write one short line in five seconds, which counts the others', async () => {
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
        { refusedSinceLastLine: 0, message: 'Transaction API error: Unable to start a transaction in the given time.' },
        { refusedSinceLastLine: 20, message: expect.stringContaining('timeout exceeded when trying to connect') },
      ].map(({ refusedSinceLastLine, message }) =>
        expect.objectContaining({
          level: 'warn',
          code: 'UNAVAILABLE',
          msg: 'request refused: no connection to PostgreSQL was free in time',
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
