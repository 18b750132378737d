import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import type { RetentionProgress } from '../../src/kernel/contract/retention.ts';
import { retentionScheduleId, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { lowestIdAt } from '../../src/kernel/values/ids.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { readOverdue } from '../../src/platform/observe/figure-queries.ts';
import { removeBatch } from '../../src/delivery/retention/retention-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { historyOf, insertAged, insertManyAged } from '../support/make/aged.ts';
import { ageDaysAgo, type AgedRun, insertAgedRun } from '../support/make/aged-runs.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { type RetentionScene, setRetentionScene } from '../support/make/retention-scene.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';

let scene: RetentionScene;
let posthorn: TestPosthorn;
let channelId: string;
let subscriptionId: string;
let workflowId: string;

beforeAll(async () => {
  scene = await setRetentionScene();
  ({ posthorn } = scene);
  workflowId = await workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'only', type: 'action' }]);
});
beforeEach(async () => {
  await scene.reset();
  ({ channelId, subscriptionId } = scene);
});
afterAll(() => posthorn.stop());

describe('retention', () => {
  test('messages older than the retention of their channel are removed with deliveries, attempts and dead letters; all others stay', async () => {
    const younger = await scene.aged(0.99);
    const { id: otherChannel } = await createChannel(posthorn, { retentionDays: 3 });
    const other = await insertAged(posthorn, { channelId: otherChannel, subscriptionIds: [], ageDays: 2 });
    await scene.aged(1.01);
    await scene.aged(2, 'discarded');
    await insertAged(posthorn, { channelId, subscriptionIds: [], ageDays: 300 });

    expect(await scene.pass()).toMatchObject({ messages: 3, kept: 0, deliveries: 2, attempts: 2, deadLetters: 1 });

    expect(await scene.messageIds()).toEqual([other, younger]);
    expect(await historyOf(posthorn)).toEqual({ messages: 2, deliveries: 1, attempts: 1, deadLetters: 0 });
    expect(await scene.pass()).toMatchObject({ messages: 0, kept: 0, deliveries: 0, subscriptions: 0, channels: 0 });
  });

  test('a shorter retentionDays applies at the next pass', async () => {
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { retentionDays: 30 });
    await scene.aged(10);
    expect(await scene.pass()).toMatchObject({ messages: 0 });

    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { retentionDays: 9 });

    expect(await scene.pass()).toMatchObject({ messages: 1, attempts: 1 });
  });

  test('a message with an unfinished delivery or an open dead letter stays until that is finished', async () => {
    const second = await scene.subscribe();
    const half = await insertAged(posthorn, { channelId, subscriptionIds: [subscriptionId, second], ageDays: 2 });
    await posthorn.deps.db.delivery.updateMany({
      where: { messageId: half, subscriptionId: second },
      data: { status: 'pending', dueAt: new Date() },
    });
    const open = await scene.aged(3, 'open');
    const { id: letterId } = await posthorn.deps.db.deadLetter.findFirstOrThrow({ where: { messageId: open } });
    await scene.aged(4);

    expect(await scene.pass()).toMatchObject({ messages: 1, kept: 2 });
    expect(await scene.messageIds()).toEqual([open, half]);
    expect(await historyOf(posthorn)).toMatchObject({ deliveries: 3, attempts: 3, deadLetters: 1 });

    await posthorn.request('DELETE', `/v1/dlq/${letterId}`);
    expect(await scene.pass()).toMatchObject({ messages: 1, kept: 1, deadLetters: 1 });
    await posthorn.deps.db.delivery.updateMany({ where: { messageId: half }, data: { status: 'failed', dueAt: null } });
    expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0 });
    expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
  });

  test('a deleted channel keeps its history until retention, then that, its subscriptions and the channel are removed', async () => {
    const young = await scene.aged(0.5);
    await scene.aged(2, 'open');
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    const rowsOf = async (): Promise<unknown[]> => [
      await posthorn.deps.db.channel.count({ where: { id: channelId } }),
      await posthorn.deps.db.subscription.count({ where: { channelId } }),
      await posthorn.deps.db.subscriptionSecret.count({ where: { subscriptionId } }),
    ];

    // Its dead letter cannot be replayed any more, so it keeps nothing.
    expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0, deadLetters: 1, subscriptions: 0, channels: 0 });
    const list = await posthorn.request<{ data: unknown[] }>('GET', `/v1/channels/${channelId}/messages`);
    expect(list.body.data).toMatchObject([{ id: young }]);

    await posthorn.deps.pool.query('TRUNCATE messages, deliveries, attempts');
    expect(await scene.pass()).toMatchObject({ subscriptions: 0, channels: 0 });
    expect(await rowsOf()).toEqual([1, 1, 1]);

    const past = new Date(Date.now() - 1.01 * 86_400_000);
    await posthorn.deps.db.channel.updateMany({ where: { id: channelId }, data: { deletedAt: past } });
    await posthorn.deps.db.subscription.updateMany({ where: { channelId }, data: { deletedAt: past } });
    expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 1 });
    expect(await rowsOf()).toEqual([0, 0, 0]);
    expect((await posthorn.request('GET', `/v1/channels/${channelId}/messages`)).status).toBe(404);
  });

  test("a cancelled message is removed once it was cancelled for longer than its channel's retention, and scheduled ones stay", async () => {
    const schedule = async (): Promise<string> => (await publish(posthorn, channelId, { delay: 3_600_000 })).id;
    const [older, younger, waiting] = [await schedule(), await schedule(), await schedule()];
    const cancelledFor = async (id: string, hours: number): Promise<void> => {
      await posthorn.request('POST', `/v1/messages/${id}/cancel`);
      await posthorn.deps.pool.query(
        'UPDATE scheduled_messages SET cancelled_at = now() - make_interval(hours => $2) WHERE id = $1',
        [id, hours],
      );
    };
    await cancelledFor(older, 25);
    await cancelledFor(younger, 23);

    expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0 });

    const left = await posthorn.deps.db.scheduledMessage.findMany({ where: { channelId }, orderBy: { id: 'asc' } });
    expect(left.map(({ id }) => id)).toEqual([younger, waiting]);
  });

  test('a deleted channel stays as long as a message that was cancelled with it', async () => {
    await publish(posthorn, channelId, { delay: 3_600_000 });
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    const age = (table: string, column: string, of: string): Promise<unknown> =>
      posthorn.deps.pool.query(`UPDATE ${table} SET ${column} = now() - interval '2 days' WHERE ${of} = $1`, [
        channelId,
      ]);
    await age('channels', 'deleted_at', 'id');
    await age('subscriptions', 'deleted_at', 'channel_id');
    expect(await scene.pass()).toMatchObject({ messages: 0, subscriptions: 1, channels: 0 });

    await age('scheduled_messages', 'cancelled_at', 'channel_id');

    expect(await scene.pass()).toMatchObject({ messages: 1, channels: 1 });
  });

  test('a deleted subscription is removed with its secrets once it has no history; its channel and active subscriptions stay', async () => {
    const other = await scene.subscribe();
    const message = await scene.aged(0.5);
    await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);
    const past = new Date(Date.now() - 2 * 86_400_000);
    await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { deletedAt: past } });
    expect(await scene.pass()).toMatchObject({ subscriptions: 0 });

    await posthorn.deps.db.delivery.deleteMany({ where: { messageId: message } });
    expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 0 });

    const left = await posthorn.deps.db.subscription.findMany({ where: { channelId }, select: { id: true } });
    expect(left).toEqual([{ id: other }]);
    expect(await posthorn.deps.db.subscriptionSecret.count({ where: { subscriptionId } })).toBe(0);
  });

  test('a deleted channel that is still referenced stays, and the pass continues', async () => {
    const past = new Date(Date.now() - 2 * 86_400_000);
    await posthorn.deps.db.channel.update({ where: { id: channelId }, data: { deletedAt: past } });
    const { id: empty } = await createChannel(posthorn, { retentionDays: 1 });
    await posthorn.deps.db.channel.update({ where: { id: empty }, data: { deletedAt: past } });

    expect(await scene.pass()).toMatchObject({ subscriptions: 0, channels: 1 });

    const left = await posthorn.deps.db.channel.findMany({ where: { id: { in: [channelId, empty] } } });
    expect(left.map(({ id }) => id)).toEqual([channelId]);
    await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);
    await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { deletedAt: past } });
    expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 1 });
  });
});

describe('passes', () => {
  test('more than one batch of messages, and a broadcast with more deliveries than a batch allows, are removed in one pass', async () => {
    await insertManyAged(posthorn.deps, { channelId, subscriptionIds: [subscriptionId], ageDays: 3, count: 1_201 });
    const many = Array.from({ length: 1_500 }, () => posthorn.deps.newId('subscription'));
    await insertManyAged(posthorn.deps, { channelId, subscriptionIds: many, ageDays: 2, count: 3 });

    expect(await scene.pass()).toMatchObject({ messages: 1_204, deliveries: 5_701, attempts: 5_701 });

    expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
  });

  test('channels with a few expired messages share a batch, and a batch that ends within a channel continues there', async () => {
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

  test('a message locked by a replay, a retry or an erasure is left to the next pass, without blocking, and publishing continues', async () => {
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

  test('a dead letter that is replayed while its message expires is either sent again or removed, never in part', async () => {
    await scene.aged(2, 'open');
    const { id: letterId } = await posthorn.deps.db.deadLetter.findFirstOrThrow({ where: { channelId } });
    const [replayed, removed] = await Promise.all([
      posthorn.request('POST', `/v1/dlq/${letterId}/replay`),
      scene.pass(),
    ]);
    expect(replayed.status).toBe(202);
    expect(removed).toMatchObject({ messages: 0 });
    expect(await historyOf(posthorn)).toEqual({ messages: 1, deliveries: 1, attempts: 1, deadLetters: 1 });
  });

  test('the schedule runs it, one pass at a time over all workers, and the pass shows its progress', async () => {
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

  test('a pass that is cancelled ends between two batches and removes nothing in part', async () => {
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

  test('the next worker continues the pass of a worker that stops', async () => {
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
      await waitFor(
        'the second batch to wait for the row',
        async () => (await backends(`wait_event_type = 'Lock'`)) > 0,
      );
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
});

describe('runs', () => {
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE runs CASCADE');
    await setDays(30);
  });

  const setDays = (days: number): Promise<unknown> =>
    posthorn.deps.pool.query(`UPDATE apps SET settings = settings || jsonb_build_object('retentionDays', $1::int)`, [
      days,
    ]);
  const aged = (run: Omit<AgedRun, 'workflowId'> & { workflowId?: string }): Promise<string> =>
    insertAgedRun(posthorn, { workflowId, ...run });
  const idsOf = async (): Promise<string[]> =>
    (await posthorn.deps.db.run.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);

  test('a run that finished before the retentionDays of its app is removed with its steps and dead letters, and a younger one stays', async () => {
    await aged({ madeDaysAgo: 40, endedDaysAgo: 31, steps: 3 });
    await aged({ madeDaysAgo: 32, endedDaysAgo: 31, letter: 'discarded' });
    const endedLate = await aged({ madeDaysAgo: 40, endedDaysAgo: 29 });
    const young = await aged({ madeDaysAgo: 2, endedDaysAgo: 2 });

    expect(await scene.pass()).toMatchObject({ runs: 2, steps: 4, deadLetters: 1 });

    expect(await idsOf()).toEqual([endedLate, young].toSorted());
    const { db } = posthorn.deps;
    expect([await db.runStep.count(), await db.deadLetter.count()]).toEqual([2, 0]);
    await setDays(1);
    expect(await scene.pass()).toMatchObject({ runs: 2, steps: 2 });
  });

  test('a run that has not finished is never removed, and its message stays with it', async () => {
    const messageId = await scene.aged(400);
    const waiting = await aged({ madeDaysAgo: 400, messageId });
    const paused = await aged({ madeDaysAgo: 400, status: 'paused' });
    expect(await scene.pass()).toMatchObject({ runs: 0, messages: 0, kept: 1 });
    expect(await idsOf()).toEqual([waiting, paused].toSorted());
    expect(await scene.messageIds()).toEqual([messageId]);

    await posthorn.deps.db.run.update({
      where: { id: waiting },
      data: { status: 'completed', finishedAt: ageDaysAgo(31) },
    });
    expect(await scene.pass()).toMatchObject({ runs: 1, messages: 1 });
  });

  test('an open dead letter keeps its run and the message until it is replayed or its workflow is deleted', async () => {
    const messageId = await scene.aged(400);
    const other = await workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'only', type: 'action' }]);
    const run = await aged({ workflowId: other, madeDaysAgo: 400, endedDaysAgo: 399, messageId, letter: 'open' });
    expect(await scene.pass()).toMatchObject({ runs: 0, messages: 0, deadLetters: 0 });
    expect(await idsOf()).toEqual([run]);

    await posthorn.request('DELETE', `/v1/workflows/${other}`);
    expect(await scene.pass()).toMatchObject({ runs: 1, messages: 1, deadLetters: 1 });
    expect(await posthorn.deps.db.deadLetter.count()).toBe(0);
  });

  test('more runs, or steps, than one batch allows are removed in one pass', async () => {
    const { pool, db } = posthorn.deps;
    const { environmentId } = await db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
    const newId = createNewId(() => ageDaysAgo(40).getTime());
    const ids = Array.from({ length: 700 }, () => newId('run'));
    await pool.query(
      `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, executions, finished_at)
     SELECT id, $2, $3, 1, 'completed', 'manual', 20, $4 FROM unnest($1::text[]) AS id`,
      [ids, environmentId, workflowId, ageDaysAgo(31)],
    );
    expect(await scene.pass()).toMatchObject({ runs: 700, steps: 0 });
    expect(await idsOf()).toEqual([]);
  });
});

describe('overdue', () => {
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE runs CASCADE');
  });

  const aged = (run: { madeDaysAgo: number; endedDaysAgo?: number; letter?: 'open' }): Promise<string> =>
    insertAgedRun(posthorn, { workflowId, ...run });

  /** In whole days: the test itself takes less than one. */
  async function daysOverdue(): Promise<{ messages: number; runs: number }> {
    const { messages, runs } = await readOverdue(posthorn.deps.pool, new Date());
    return { messages: Math.floor(messages / 86_400), runs: Math.floor(runs / 86_400) };
  }

  test('the oldest removable message shows by how much retention is behind, and a pass resets it to zero', async () => {
    await scene.aged(0.5);
    expect(await readOverdue(posthorn.deps.pool, new Date())).toEqual({ messages: 0, runs: 0 });
    await scene.aged(3);
    const { id: longer } = await createChannel(posthorn, { retentionDays: 10 });
    await insertAged(posthorn, { channelId: longer, subscriptionIds: [], ageDays: 15 });
    expect(await daysOverdue()).toEqual({ messages: 5, runs: 0 });

    await scene.pass();

    expect(await readOverdue(posthorn.deps.pool, new Date())).toEqual({ messages: 0, runs: 0 });
  });

  test('a message that an open dead letter keeps is ignored, and the next one after it counts', async () => {
    await scene.aged(9, 'open');
    await scene.aged(4);
    expect(await daysOverdue()).toEqual({ messages: 3, runs: 0 });
    await scene.pass();
    expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
  });

  test('a run counts from its end, and not while an open dead letter keeps it', async () => {
    await aged({ madeDaysAgo: 400 });
    await aged({ madeDaysAgo: 90, endedDaysAgo: 80, letter: 'open' });
    await aged({ madeDaysAgo: 60, endedDaysAgo: 29 });
    expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
    await aged({ madeDaysAgo: 50, endedDaysAgo: 34 });
    expect(await daysOverdue()).toEqual({ messages: 0, runs: 4 });
  });

  test('each run counts by the retentionDays of its own app', async () => {
    const { live } = await insertOrganisation(posthorn.deps);
    await posthorn.deps.pool.query(
      `UPDATE apps SET settings = settings || '{"retentionDays":1}' WHERE id = (SELECT app_id FROM environments WHERE id = $1)`,
      [live],
    );
    await aged({ madeDaysAgo: 34, endedDaysAgo: 29 });
    expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
    await aged({ madeDaysAgo: 34, endedDaysAgo: 32 });
    expect(await daysOverdue()).toEqual({ messages: 0, runs: 2 });
  });
});
