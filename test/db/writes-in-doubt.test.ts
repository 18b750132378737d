import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createChannel } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { newIdempotencyKey, type SecondApi, startSecondApi } from '../support/service/two-apis.ts';
import { waitFor } from '../support/check/wait-for.ts';

const IN_DOUBT = {
  status: 503,
  body: { error: { code: 'UNAVAILABLE', details: { field: 'outcome', reason: 'unknown' } } },
};

let posthorn: TestPosthorn;
/** Another API, whose way to PostgreSQL can be cut. */
let remote: SecondApi;
let wire: TcpProxy;
let key: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
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
  await posthorn.stop();
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
  expect(await posthorn.request('GET', `/v1/channels/${id}`)).toMatchObject({ status: 200, body: { name: 'orders' } });
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
