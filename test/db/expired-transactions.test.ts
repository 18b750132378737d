import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toApiError } from '../../src/http/answers/errors.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

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
