import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';

const IN_DOUBT = {
  status: 503,
  body: { error: { code: 'UNAVAILABLE', details: { field: 'outcome', reason: 'unknown' } } },
};

let posthorn: TestPosthorn;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  await posthorn.deps.pool.query(`
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
});
afterAll(() => posthorn.stop());

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
