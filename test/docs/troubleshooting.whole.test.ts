import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startReceiver } from '../support/world/receiver.ts';
import { blockWith } from './code-blocks.ts';

const PAGE = 'docs/operate/troubleshooting.md';
const POLICY = { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

/** Rows of the page's statement with these words. */
async function rowsOf(words: string, ids: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  let sql = blockWith(PAGE, words);
  for (const [shown, id] of Object.entries(ids)) {
    expect(sql).toContain(shown);
    sql = sql.replace(shown, id);
  }
  return (await posthorn.deps.pool.query<Record<string, unknown>>(sql)).rows;
}

/** A message to a receiver that gives these answers, and its subscription. */
async function publishTo(
  answers: number[],
): Promise<{ subscriptionId: string; messageId: string; end: () => unknown }> {
  const receiver = await startReceiver({ answers });
  const { id: channelId } = await createChannel(posthorn);
  const fields = { channelId, webhookUrl: receiver.url, retryPolicy: POLICY };
  const { id: subscriptionId } = await createSubscription(posthorn, fields);
  const { id: messageId } = await publish(posthorn, channelId);
  return { subscriptionId, messageId, end: () => receiver.close() };
}

test('the statement about a subscription that gets nothing shows that it is paused, and that it never had a delivery', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  expect((await posthorn.request('POST', `/v1/subscriptions/${id}/pause`)).status).toBe(200);
  expect(await rowsOf('last_delivery', { 'sub_…': id })).toEqual([
    expect.objectContaining({ id, status: 'paused', last_delivery: null }),
  ]);
});

test('the statement about dead letters shows how a receiver refuses', async () => {
  const { messageId, end } = await publishTo([418]);
  await waitForDelivery(posthorn, messageId, 'failed');
  expect(await rowsOf('FROM dead_letters\nWHERE')).toEqual([
    expect.objectContaining({ error_class: 'status', error_status: 418, count: '1' }),
  ]);
  await end();
});

test('the statement about a growing disk shows a slot that nobody reads', async () => {
  const name = `posthorn_docs_${process.pid}`;
  await posthorn.deps.pool.query('SELECT pg_create_physical_replication_slot($1, true)', [name]);
  try {
    const rows = await rowsOf('pg_replication_slots');
    expect(rows).toContainEqual({
      slot_name: name,
      active: false,
      kept: expect.stringMatching(/^\d+ (bytes|[kMG]B)$/),
    });
  } finally {
    await posthorn.deps.pool.query('SELECT pg_drop_replication_slot($1)', [name]);
  }
});

test('the statement about waiting statements shows who holds the lock that one waits for', async () => {
  const [holder, waiter] = [await posthorn.deps.pool.connect(), await posthorn.deps.pool.connect()];
  const pidOf = async (client: typeof holder): Promise<number> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
  const [holding, waiting] = [await pidOf(holder), await pidOf(waiter)];
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(42)');
  const asking = waiter.query('SELECT pg_advisory_lock(42)');
  try {
    const row = { pid: waiting, wait_event_type: 'Lock', blocked_by: [holding] };
    await waitFor('the statement to be seen', async () => {
      const rows = await rowsOf('pg_blocking_pids');
      return rows.some((each) => {
        // `as`: a row of the page's statement.
        const { pid, wait_event_type: type, blocked_by: by } = each as typeof row;
        return pid === row.pid && type === row.wait_event_type && by.includes(holding);
      });
    });
  } finally {
    await holder.query('ROLLBACK');
    await asking;
    await waiter.query('SELECT pg_advisory_unlock_all()');
    holder.release();
    waiter.release();
  }
});

test('the statement about runs that do not begin shows the run that waits for its turn', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { status, body } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', {
    name: 'one at a time',
    trigger: { type: 'event', config: { channelId, concurrency: { limit: 1 } } },
    steps: [{ id: 'long', type: 'delay', config: { for: '2h' } }],
  });
  expect(status).toBe(201);
  expect((await posthorn.request('POST', `/v1/workflows/${body.id}/activate`)).status).toBe(200);
  await publish(posthorn, channelId);
  await publish(posthorn, channelId);
  await waitFor('the second run to wait for its turn', async () => {
    const rows = await rowsOf('FROM runs r JOIN workflows');
    return JSON.stringify(rows).includes('"pending":"1","queued":"1"');
  });
  expect(await rowsOf('FROM runs r JOIN workflows')).toEqual([
    expect.objectContaining({ workflow_id: body.id, name: 'one at a time', status: 'active' }),
  ]);
});

test('posthorn keys list shows a key that was revoked', async () => {
  const { body } = await posthorn.request<{ id: string }>('POST', '/v1/api-keys', { name: 'short-lived' });
  const list = async (): Promise<string> => {
    const { output } = await runPosthorn(['keys', 'list'], { DATABASE_URL: posthorn.database.url });
    return output.split('\n').find((line) => line.includes(body.id)) ?? '';
  };
  expect(await list()).toMatch(/short-lived/);
  expect((await posthorn.request('DELETE', `/v1/api-keys/${body.id}`)).status).toBe(204);
  expect(await list()).toMatch(/revoked/);
});
