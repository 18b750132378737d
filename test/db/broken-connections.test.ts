import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../../src/db/transaction.ts';
import { createPool } from '../../src/db/connections/pool.ts';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { PATIENT } from '../support/service/patience.ts';
import { waitFor } from '../support/check/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
// The only files that open connections. The embedded server's own is opened before there is anything to pool.
const OPENERS = ['local/postgres.ts', 'src/db/connections/connection.ts'];

let database: TestDatabase;
let pool: Pool;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { max: 1, ...PATIENT });
  db = createDatabase(database.url, PATIENT);
  // A transaction that inserts here is ended by PostgreSQL in the middle of its COMMIT.
  await database.pool.query(`
    CREATE TABLE deadly (id int);
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON deadly DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION end_session()`);
});
afterAll(async () => {
  await Promise.all([pool.end(), db.$disconnect()]);
  await database.drop();
});

/** Ends the session as an administrator does, and waits until its client knows. */
async function endSession(client: PoolClient, pid: number): Promise<void> {
  let hasEnded = false;
  client.once('end', () => {
    hasEnded = true;
  });
  await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
  await waitFor('the client to see its end', () => hasEnded);
}

const pidOf = async (client: PoolClient): Promise<number> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

const one = async (): Promise<unknown> => (await pool.query<{ one: number }>('SELECT 1 AS one')).rows[0];

describe('a connection that PostgreSQL ends', () => {
  // While it was checked out nobody listened to its `error` event, which then ended the process.
  test('between two statements of a transaction: the next statement is rejected, and the next caller gets a new one', async () => {
    await expect(
      inTransaction(pool, async (client) => {
        await endSession(client, await pidOf(client));
        await client.query('SELECT 1');
      }),
    ).rejects.toThrow('not queryable');
    expect(await one()).toEqual({ one: 1 });
  });

  test('while it is checked out and nothing is asked of it: it leaves the pool when it is given back', async () => {
    const client = await pool.connect();
    await endSession(client, await pidOf(client));
    client.release();
    expect(pool.idleCount).toBe(0);
    expect(await one()).toEqual({ one: 1 });
  });

  test('while it is idle in the pool: the next caller gets a new one', async () => {
    const client = await pool.connect();
    const pid = await pidOf(client);
    client.release();
    await endSession(client, pid);
    expect(await one()).toEqual({ one: 1 });
  });

  test('in the middle of a statement or a COMMIT: it is rejected with 57P01, and who waits for a connection gets a new one', async () => {
    const statement = pool.query('SELECT pg_terminate_backend(pg_backend_pid())');
    const commit = inTransaction(pool, (client) => client.query('INSERT INTO deadly VALUES (1)'));
    const [first, second, ...others] = await Promise.allSettled([statement, commit, one(), one()]);
    expect([first, second]).toMatchObject([
      { status: 'rejected', reason: { code: '57P01' } },
      { status: 'rejected', reason: { code: '57P01' } },
    ]);
    expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: { one: 1 } })));
  });

  // Prisma gave a connection whose COMMIT had failed back without a word, and the pool handed it to the next waiting caller.
  test("in the middle of a COMMIT of Prisma's: who waits for a connection gets a new one", async () => {
    const doomed = Array.from({ length: 10 }, () =>
      db.$transaction((it) => it.$executeRaw`INSERT INTO deadly VALUES (1)`),
    );
    const waiting = Array.from({ length: 20 }, () => db.$queryRaw`SELECT 1 AS one`);
    const outcomes = await Promise.allSettled(doomed);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
    const others = await Promise.allSettled(waiting);
    expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: [{ one: 1 }] })));
    expect((await database.pool.query('SELECT FROM deadly')).rowCount).toBe(0);
  });

  test("between two statements of Prisma's: the transaction is rejected, and the next one works", async () => {
    const ended = db.$transaction(async (it) => {
      const [row] = await it.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await database.pool.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await waitFor('PostgreSQL to have ended it', async () => {
        const { rowCount } = await database.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [row?.pid]);
        return rowCount === 0;
      });
      await it.$queryRaw`SELECT 1`;
    });
    await expect(ended).rejects.toThrow();
    expect(await db.$transaction((it) => it.$queryRaw`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });
});

test('a connection that is given back within a transaction is closed: nobody goes on in it', async () => {
  const client = await pool.connect();
  const pid = await pidOf(client);
  await client.query('BEGIN; CREATE TABLE unfinished (id int)');
  client.release();
  const next = await pool.connect();
  expect(await pidOf(next)).not.toBe(pid);
  next.release();
  expect((await pool.query(`SELECT to_regclass('unfinished') AS found`)).rows).toEqual([{ found: null }]);
});

test('connections are opened in one place, which listens to them', () => {
  const files = ['local', 'src']
    .flatMap((top) =>
      readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('src/db/generated'));
  const openers = files.filter((path) => /new (pg\.)?(Pool|Client)\(/.test(readFileSync(join(ROOT, path), 'utf8')));
  // Clients of Temporal and of receivers, and one that only reads its address out of a URL and never connects.
  const others = [
    'src/temporal/connection.ts',
    'src/outbound/exchange/connections.ts',
    'src/process/assembly/own-endpoints.ts',
  ];
  expect(openers.filter((path) => !others.includes(path)).toSorted()).toEqual(OPENERS);
});
