import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { retentionScheduleId, WORKFLOW_TYPES } from '../../src/contract/temporal-names.ts';
import type { RetentionProgress } from '../../src/contract/retention.ts';
import { historyOf, insertManyAged } from '../support/make/aged.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import { lowestIdAt } from '../../src/kernel/values/ids.ts';
import { removeBatch } from '../../src/retention/retention-store.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import { type RetentionScene, setRetentionScene } from '../support/make/retention-scene.ts';
import { waitFor } from '../support/check/wait-for.ts';

let scene: RetentionScene;
let posthorn: TestPosthorn;
let channelId: string;
let subscriptionId: string;

beforeAll(async () => {
  scene = await setRetentionScene();
  ({ posthorn } = scene);
});
beforeEach(async () => {
  await scene.reset();
  ({ channelId, subscriptionId } = scene);
});
afterAll(() => posthorn.stop());

test('more than one batch of messages, and a broadcast with more deliveries than a batch takes, go in one pass', async () => {
  await insertManyAged(posthorn.deps, { channelId, subscriptionIds: [subscriptionId], ageDays: 3, count: 1_201 });
  const many = Array.from({ length: 1_500 }, () => posthorn.deps.newId('subscription'));
  await insertManyAged(posthorn.deps, { channelId, subscriptionIds: many, ageDays: 2, count: 3 });

  expect(await scene.pass()).toMatchObject({ messages: 1_204, deliveries: 5_701, attempts: 5_701 });

  expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
});

test('channels with a few expired messages share a batch, and a batch that ends within a channel goes on there', async () => {
  const channels = await Promise.all(Array.from({ length: 3 }, () => createChannel(posthorn, { retentionDays: 1 })));
  for (const { id } of channels)
    await insertManyAged(posthorn.deps, { channelId: id, subscriptionIds: [subscriptionId], ageDays: 2, count: 300 });
  const limit = lowestIdAt('message', new Date(Date.now() - 86_400_000));
  const [first, second, third] = channels.map(({ id }) => ({ id, limit }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are three channels');

  const batch = await removeBatch(posthorn.deps.pool, { channels: [first, second, third], after: '' });

  expect(batch).toMatchObject({ messages: 500, kept: 0, left: { channels: [second, third] } });
  expect(await posthorn.deps.db.message.count({ where: { channelId: second.id } })).toBe(100);
  if (batch.left === undefined) throw new Error('Something is left');
  expect(await removeBatch(posthorn.deps.pool, batch.left)).toMatchObject({ messages: 400, left: undefined });
  expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
});

test('a message that a replay, a retry or an erasure holds is left to the next pass: nobody waits, and publishing goes on', async () => {
  const held = await scene.aged(2);
  await scene.aged(3);
  const connection = await posthorn.deps.pool.connect();
  await connection.query('BEGIN');
  await connection.query('SELECT id FROM messages WHERE id = $1 FOR SHARE', [held]);
  try {
    expect(await scene.pass()).toMatchObject({ messages: 1 });
    const fresh = await publish(posthorn, channelId);
    expect(await scene.messageIds()).toEqual([held, fresh.id]);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
  expect(await scene.pass()).toMatchObject({ messages: 1 });
});

test('a dead letter that is replayed while its message expires is either sent again or gone, never half', async () => {
  await scene.aged(2, 'open');
  const { id: letterId } = await posthorn.deps.db.deadLetter.findFirstOrThrow({ where: { channelId } });
  const [replayed, removed] = await Promise.all([posthorn.request('POST', `/v1/dlq/${letterId}/replay`), scene.pass()]);
  expect(replayed.status).toBe(202);
  expect(removed).toMatchObject({ messages: 0 });
  expect(await historyOf(posthorn)).toEqual({ messages: 1, deliveries: 1, attempts: 1, deadLetters: 1 });
});

test('the schedule runs it, one pass at a time over all workers, and the pass shows how far it is', async () => {
  await insertManyAged(posthorn.deps, { channelId, subscriptionIds: [subscriptionId], ageDays: 2, count: 600 });
  const schedule = posthorn.temporal.schedule.getHandle(retentionScheduleId(posthorn.taskQueue));
  expect((await schedule.describe()).policies.overlap).toBe('SKIP');
  // The second batch waits for this delivery's row, and the pass with it.
  const [last] = (await scene.messageIds()).slice(-1);
  const connection = await posthorn.deps.pool.connect();
  await connection.query('BEGIN');
  await connection.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [last]);
  const { numActionsTaken } = (await schedule.describe()).info;
  try {
    await schedule.trigger();
    const workflowId = await waitFor('the pass to run', async () => {
      const { info } = await schedule.describe();
      const recent = info.recentActions.at(-1);
      const isNew = info.numActionsTaken > numActionsTaken;
      return isNew && recent?.action.type === 'startWorkflow' && recent.action.workflow.workflowId;
    });
    const handle = posthorn.temporal.workflow.getHandle<() => Promise<RetentionProgress>>(workflowId);
    await waitFor('the first batch to be shown', async () => {
      const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
      const [data] = activity?.heartbeatDetails?.payloads ?? [];
      return Buffer.from(data?.data ?? []).includes('"messages":500');
    });
    await connection.query('ROLLBACK');
    // A try that a stall lets miss its heartbeats is made again, and counts only what its last heartbeat told.
    expect([600, 500]).toContain((await handle.result()).messages);
    await waitFor('all to be gone', async () => (await posthorn.deps.db.message.count()) === 0);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

test('a pass that is cancelled ends between two batches and takes nothing half', async () => {
  await insertManyAged(posthorn.deps, { channelId, subscriptionIds: [subscriptionId], ageDays: 2, count: 1_200 });
  const ids = await scene.messageIds();
  const connection = await posthorn.deps.pool.connect();
  await connection.query('BEGIN');
  await connection.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [ids[700]]);
  try {
    const handle = await posthorn.temporal.workflow.start(WORKFLOW_TYPES.removeExpired, {
      workflowId: `retention/${posthorn.taskQueue}/cancelled`,
      taskQueue: posthorn.taskQueue,
    });
    await waitFor('the first batch to be gone', async () => (await posthorn.deps.db.message.count()) === 700);
    await handle.cancel();
    const activityNow = async () => (await handle.describe()).raw.pendingActivities?.[0];
    // PendingActivityState of Temporal's API: it is to stop, and still runs. The answer to its next heartbeat says so.
    const asked = await waitFor('the activity to be cancelled', async () => {
      const activity = await activityNow();
      return activity?.state === 3 && activity;
    });
    await waitFor('the activity to be told', async () => {
      const beat = (await activityNow())?.lastHeartbeatTime;
      return beat?.seconds?.toString() !== asked.lastHeartbeatTime?.seconds?.toString();
    });
    await connection.query('ROLLBACK');
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
  const left = await historyOf(posthorn);
  expect([700, 200]).toContain(left['messages']);
  expect(left).toMatchObject({ deliveries: left['messages'], attempts: left['messages'] });
});

/** How many connections to this file's database are in that state. */
const backends = async (condition: string): Promise<number> => {
  const { rowCount } = await posthorn.deps.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
  );
  return rowCount ?? 0;
};

test('a worker that stops hands its pass over: the next worker goes on with it', async () => {
  await insertManyAged(posthorn.deps, { channelId, subscriptionIds: [subscriptionId], ageDays: 2, count: 1_200 });
  const ids = await scene.messageIds();
  const connection = await posthorn.deps.pool.connect();
  await connection.query('BEGIN');
  await connection.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [ids[700]]);
  let handle: Awaited<ReturnType<typeof posthorn.temporal.workflow.start>>;
  try {
    handle = await posthorn.temporal.workflow.start(WORKFLOW_TYPES.removeExpired, {
      workflowId: `retention/${posthorn.taskQueue}/handed-over`,
      taskQueue: posthorn.taskQueue,
    });
    await waitFor('the second batch to wait for the row', async () => (await backends(`wait_event_type = 'Lock'`)) > 0);
    const stopped = posthorn.worker.stop();
    // The pass rests after this batch for as long as it has taken, so the worker has stopped by then.
    await waitFor('the dispatcher to be stopped', async () => (await backends(`query LIKE 'LISTEN%'`)) === 0);
    await sleep(500);
    await connection.query('ROLLBACK');
    await stopped;
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
  expect(await posthorn.deps.db.message.count()).toBe(200);

  await posthorn.worker.start();

  // Not by the position it ends at: a try that misses its heartbeats is made again and tells only of what it found itself.
  await handle.result();
  expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
});
