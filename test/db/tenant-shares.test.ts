import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

// Old: ten of them had all connections, and the requests of all environments failed after 5 s.
test('requests of one environment that wait for a row leave connections to all others', async () => {
  const { keys, deps } = posthorn;
  const { id } = await make(posthorn, keys.live, '/v1/channels', { name: 'Orders' });
  const holder = await deps.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM channels WHERE id = $1 FOR UPDATE', [id]);
  const waiting = Array.from({ length: 20 }, (_, n) =>
    posthorn.request('PATCH', `/v1/channels/${id}`, { name: `Orders ${n}` }),
  );
  try {
    await waitFor('some of them to wait for the row', async () => {
      const { rows } = await deps.pool.query<{ count: number }>(
        "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return (rows[0]?.count ?? 0) >= 5;
    });
    const asked = await posthorn.request('GET', '/v1/channels?limit=1', undefined, { key: keys.test });
    expect(asked.status).toBe(200);
    const made = await posthorn.request('POST', '/v1/channels', { name: 'Other' }, { key: keys.test });
    expect(made.status).toBe(201);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  // Those that waited too long say so; none is a fault of the service.
  for (const { status } of await Promise.all(waiting)) expect([200, 503]).toContain(status);
});

// Old: two environments had half of the connections each, which are all of them.
test('two environments whose statements wait leave connections to a third one', async () => {
  const { tenants, pool } = posthorn.deps;
  const holder = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(4711)');
  const organisationId = 'org_00000000000000000000000000';
  const asks = ['env_0', 'env_1'].flatMap((environmentId) =>
    Array.from({ length: 10 }, async () => {
      const tenant = { organisationId, environmentId };
      await tenants.within(tenant, (transaction) => transaction.$queryRaw`SELECT pg_advisory_xact_lock(4711)::text`);
    }),
  );
  const settled = Promise.allSettled(asks);
  try {
    await waitFor('both to wait for the lock', async () => {
      const { rows } = await pool.query<{ count: number }>(
        "SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted",
      );
      return (rows[0]?.count ?? 0) >= 7;
    });
    const third = { organisationId, environmentId: 'env_2' };
    expect(await tenants.within(third, (transaction) => transaction.$queryRaw`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  } finally {
    await holder.query('SELECT pg_advisory_unlock(4711)');
    holder.release();
    await settled;
  }
});
