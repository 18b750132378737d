import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { createDatabase, type Database } from '../../src/platform/db/client.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { toApiError } from '../../src/api/http/answers/errors.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel } from '../support/make/factories.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { newIdempotencyKey, type SecondApi, startSecondApi } from '../support/service/two-apis.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('broken connections', () => {
  const ROOT = join(import.meta.dirname, '../..');
  // The only files that open connections. The embedded server's own is opened before there is anything to pool.
  const OPENERS = ['local/postgres.ts', 'src/platform/db/connection.ts'];

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
      .filter(
        (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('src/platform/db/generated'),
      );
    const openers = files.filter((path) => /new (pg\.)?(Pool|Client)\(/.test(readFileSync(join(ROOT, path), 'utf8')));
    // Clients of Temporal and of receivers, and one that only reads its address out of a URL and never connects.
    const others = [
      'src/platform/temporal/connection.ts',
      'src/platform/outbound/exchange/connections.ts',
      'src/process/assembly/own-endpoints.ts',
    ];
    expect(openers.filter((path) => !others.includes(path)).toSorted()).toEqual(OPENERS);
  });
});

describe('expired transactions', () => {
  // Prisma reads a row again after it has stored it with `include`. The time of the transaction ended between the two, the row was rolled
  // back, and the store met null: a TypeError, and a 500.
  test('a transaction whose time ends within a call is one that could not be done, whatever the call makes of it', async () => {
    const { pool, tenants, db } = posthorn.deps;
    const channel = await createChannel(posthorn);
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channel.id } });
    const { app } = await db.environment.findUniqueOrThrow({ where: { id: environmentId }, include: { app: true } });
    const tenant = { organisationId: app.organisationId, environmentId };
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE subscriptions IN EXCLUSIVE MODE');
      let outcome: unknown;
      const call = tenants
        .within(
          tenant,
          async (transaction) => {
            await transaction.$executeRaw`UPDATE subscriptions SET name = name WHERE id = 'none'`;
            throw new TypeError('reads null');
          },
          // Longer than it takes to come to the lock.
          { timeout: 5_000 },
        )
        .catch((failure: unknown) => (outcome = failure));
      await waitFor('the update to wait', async () => {
        const { rows } = await pool.query(
          `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'subscriptions'::regclass`,
        );
        return rows.length > 0;
      });
      const from = performance.now();
      await waitFor('the time of the transaction to end', () => performance.now() - from > 5_100);
      await holder.query('ROLLBACK');
      await call;
      expect(toApiError(outcome, { isRead: false })).toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      holder.release();
    }
  });

  test('a failure within the time of a transaction stays what it is', async () => {
    const { tenants, db } = posthorn.deps;
    const channel = await createChannel(posthorn);
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channel.id } });
    const failing = tenants.within({ organisationId: 'org_1', environmentId }, async () => {
      throw new TypeError('a fault of ours');
    });
    await expect(failing).rejects.toThrow('a fault of ours');
  });
});

describe('writes in doubt', () => {
  const IN_DOUBT = {
    status: 503,
    body: { error: { code: 'UNAVAILABLE', details: { field: 'outcome', reason: 'unknown' } } },
  };

  /** Another API, whose way to PostgreSQL can be cut. */
  let remote: SecondApi;
  let wire: TcpProxy;
  let key: string;

  beforeAll(async () => {
    wire = await startTcpProxy(posthorn.database.url);
    remote = await startSecondApi({ deps: posthorn.deps, database: { url: wire.url } });
    await posthorn.deps.pool.query(`
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
  });
  beforeEach(() => {
    key = newIdempotencyKey();
  });
  afterAll(async () => {
    await remote.stop();
    await wire.stop();
  });

  /** Every transaction that changes a channel is ended by PostgreSQL in its COMMIT meanwhile. */
  async function whileCommitsBreak<T>(work: () => Promise<T>): Promise<T> {
    await posthorn.deps.pool.query(
      `CREATE CONSTRAINT TRIGGER break_commit AFTER INSERT OR UPDATE ON channels DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION end_session()`,
    );
    try {
      return await work();
    } finally {
      await posthorn.deps.pool.query('DROP TRIGGER break_commit ON channels');
    }
  }

  const createAt = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/v1/channels`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${posthorn.keys.live}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ name: key }),
    });
    await response.body?.cancel();
    return response.status;
  };

  test('a change whose COMMIT is cut says that nobody knows its outcome, whatever it changes', async () => {
    const { id } = await createChannel(posthorn);
    const answers = await whileCommitsBreak(async () => [
      await posthorn.request('POST', '/v1/channels', { name: 'orders' }),
      await posthorn.request('PATCH', `/v1/channels/${id}`, { name: 'invoices' }),
      await posthorn.request('DELETE', `/v1/channels/${id}`),
    ]);
    expect(answers).toMatchObject([IN_DOUBT, IN_DOUBT, IN_DOUBT]);
    // PostgreSQL rolled these back; a caller could not tell.
    expect(await posthorn.request('GET', `/v1/channels/${id}`)).toMatchObject({
      status: 200,
      body: { name: 'orders' },
    });
  });

  // The row of the key could not be changed while PostgreSQL was away, and nobody tried again: it stood for its 30 s.
  test('a key whose request was cut off is free as soon as PostgreSQL is back', async () => {
    const lock = await posthorn.deps.pool.connect();
    let leasedUntil: Date | undefined;
    try {
      await lock.query('BEGIN; LOCK TABLE channels IN EXCLUSIVE MODE');
      const creating = createAt(remote.url);
      await waitFor('it to wait for the table', async () => {
        const { rowCount } = await lock.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'channels'::regclass
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return rowCount === 1;
      });
      await wire.cut();
      expect(await creating).toBe(503);
      const { rows } = await posthorn.deps.pool.query<{ until: Date }>(
        'SELECT running_until AS until FROM idempotency_keys WHERE status IS NULL',
      );
      leasedUntil = rows[0]?.until;
      await wire.mend();
      await lock.query('ROLLBACK');
    } finally {
      lock.release(true);
    }

    await waitFor('the key to be free', async () => (await createAt(remote.url)) === 201);

    const later = await posthorn.deps.pool.query('SELECT WHERE clock_timestamp() < $1', [leasedUntil]);
    expect(later.rowCount).toBe(1);
  });
});
