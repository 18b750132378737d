import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { REPLAY_KINDS, type ReplayKind, replayWorkflowId } from '../../src/kernel/contract/replays.ts';
import { WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { endAsDeadLetter } from '../../src/delivery/record/statements/end.ts';
import {
  abandonReplays,
  pendingReplays,
  type Progress,
  restartLostReplays,
  runBatch,
} from '../../src/delivery/replays/batches.ts';
import { createCarriers } from '../../src/platform/temporal/starts.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type ReplayJson = { id: string; status: string; finishedAt?: string };
type Subscribed = { channelId: string; subscriptionId: string };

// Deliveries that are there to be replayed. More than a second's worth of each kind: 100 dead letters or deliveries, and 50 messages.
const COUNT = 120;
const AFTER_A_BATCH: Record<ReplayKind, number> = { replayDeadLetters: 100, replayMessages: 50, retryDeliveries: 100 };
/** The count of what was made due. */
const DONE: Record<ReplayKind, string> = {
  replayDeadLetters: 'replayed',
  replayMessages: 'replayed',
  retryDeliveries: 'retried',
};

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
  // Batches are made by the cases; the worker has only joined Temporal.
  await posthorn.worker.stop();
});
afterAll(() => posthorn.stop());

/** Asks for it as a caller does. Returns its path, too, where it is shown. */
const TABLES: Record<ReplayKind, string> = {
  replayDeadLetters: 'bulk_replays',
  replayMessages: 'message_replays',
  retryDeliveries: 'bulk_retries',
};

const ASK: Record<ReplayKind, (of: Subscribed) => Promise<{ shownAt: string; id: string }>> = {
  async replayDeadLetters({ channelId }) {
    const { body } = await posthorn.request<ReplayJson>('POST', '/v1/dlq/replay', { channelId, ratePerSecond: 100 });
    return { shownAt: `/v1/dlq/replay/${body.id}`, id: body.id };
  },
  async replayMessages({ subscriptionId }) {
    const asked = { since: new Date(Date.now() - 600_000).toISOString(), ratePerSecond: 50 };
    const { body } = await posthorn.request<ReplayJson>('POST', `/v1/subscriptions/${subscriptionId}/replay`, asked);
    return { shownAt: `/v1/replays/${body.id}`, id: body.id };
  },
  async retryDeliveries({ channelId }) {
    const { body } = await posthorn.request<ReplayJson>('POST', '/v1/deliveries/retry', {
      channelId,
      ratePerSecond: 100,
    });
    return { shownAt: `/v1/deliveries/retry/${body.id}`, id: body.id };
  },
};

/** A subscription whose deliveries have all ended as dead letters. */
async function withDeadLetters(): Promise<Subscribed> {
  const { id: channelId } = await createChannel(posthorn);
  const { id: subscriptionId } = await createSubscription(posthorn, {
    channelId,
    webhookUrl: 'https://example.com/in',
  });
  for (const count of [100, COUNT - 100]) await publishBatch(posthorn, channelId, count);
  for (const { id: deliveryId } of await posthorn.deps.db.delivery.findMany({ where: { subscriptionId } }))
    await endAsDeadLetter(posthorn.deps.pool, { deliveryId, round: 1, reason: 'internal', message: 'a test' });
  return { channelId, subscriptionId };
}

// `as`: only REPLAY_KINDS has these keys.
describe.each(Object.keys(REPLAY_KINDS) as ReplayKind[])('%s', (kind) => {
  const done = DONE[kind];
  let of: Subscribed;
  let id: string;
  let shownAt: string;
  let carrier: string;
  beforeEach(async () => {
    of = await withDeadLetters();
    ({ id, shownAt } = await ASK[kind](of));
    carrier = replayWorkflowId({ kind, id });
  });

  /** Asks for the next batch without waiting. Everything has settled. */
  const look = (): Promise<Progress> =>
    runBatch(posthorn.deps, { kind, id, carrier, now: new Date(Date.now() + 60_000) });
  const nextBatchAt = (at: string): Promise<unknown> =>
    posthorn.deps.pool.query(`UPDATE ${TABLES[kind]} SET next_batch_at = ${at} WHERE id = $1`, [id]);
  /** The next batch, its wait being over. */
  const batch = async (): Promise<Progress> => {
    await nextBatchAt('NULL');
    return look();
  };
  const shown = async (): Promise<ReplayJson> => (await posthorn.request<ReplayJson>('GET', shownAt)).body;
  const isPending = async (): Promise<boolean> =>
    (await pendingReplays(posthorn.deps.pool)).some((pending) => pending.kind === kind && pending.id === id);
  const dueAgain = (): Promise<number> =>
    posthorn.deps.db.delivery.count({ where: { subscriptionId: of.subscriptionId, round: 2, status: 'pending' } });
  const untilFinished = async (): Promise<void> => {
    for (let batches = 0; batches < 5; batches += 1) if ((await batch()).isFinished) return;
  };
  const restartLost = (): Promise<void> =>
    restartLostReplays({ pool: posthorn.deps.pool, carriers: createCarriers(posthorn.temporal, posthorn.deps.clock) });

  test('continues batch by batch, counts what it has made due, and completes once', async () => {
    expect(await isPending()).toBe(true);
    const first = await batch();
    expect(first).toMatchObject({ isFinished: false, counts: { [done]: AFTER_A_BATCH[kind] } });
    expect(await isPending()).toBe(false);
    expect(await shown()).toMatchObject({ status: 'running', [done]: AFTER_A_BATCH[kind] });
    await untilFinished();
    const completed = { status: 'completed', matched: COUNT, [done]: COUNT, finishedAt: expect.any(String) };
    expect(await shown()).toMatchObject(completed);
    expect(await dueAgain()).toBe(COUNT);
    expect(await batch()).toMatchObject({ isFinished: true, counts: { matched: 0, [done]: 0 } });
    expect(await shown()).toMatchObject(completed);
  });

  test('two workers that run it at the same time replay nothing twice', async () => {
    await Promise.all([untilFinished(), untilFinished()]);
    expect(await shown()).toMatchObject({ status: 'completed', matched: COUNT, [done]: COUNT });
    expect(await dueAgain()).toBe(COUNT);
  });

  // Regression: a worker that took a replay over, or ran it beside another, made its own second's worth at once.
  test('two workers that call it repeatedly do not exceed its rate, whichever has run the last batch', async () => {
    const untilEnd = async (): Promise<void> => {
      while (!(await look()).isFinished) await sleep(20);
    };
    const began = performance.now();
    await Promise.all([untilEnd(), untilEnd()]);
    const seconds = (performance.now() - began) / 1_000;
    expect(await shown()).toMatchObject({ status: 'completed', [done]: COUNT });
    // Each batch but the last is a second's worth. A hundredth less: PostgreSQL's clock and the one here.
    expect(seconds).toBeGreaterThan(Math.ceil(COUNT / AFTER_A_BATCH[kind]) - 1.01);
  });

  test('a wait of an hour, caused by a clock that was set back, is ignored', async () => {
    await batch();
    await nextBatchAt("now() + interval '1 hour'");
    expect((await look()).counts[done]).toBeGreaterThan(AFTER_A_BATCH[kind]);
  });

  test('a cancellation between two batches ends it, and what was made due stays due', async () => {
    await batch();
    expect((await posthorn.request('POST', `${shownAt}/cancel`)).status).toBe(202);
    expect(await batch()).toMatchObject({ isFinished: true });
    expect(await shown()).toMatchObject({ status: 'cancelled', [done]: AFTER_A_BATCH[kind] });
    expect(await dueAgain()).toBe(AFTER_A_BATCH[kind]);
    await restartLost();
    await abandonReplays(posthorn.deps.pool);
    expect(await isPending()).toBe(false);
  });

  test.each([
    ['whose Temporal workflow is unknown', restartLost],
    ["in a store of Temporal's that is new", () => abandonReplays(posthorn.deps.pool)],
  ])('a replay %s is started again and continues from its position', async (_, repair) => {
    await batch();
    await repair();
    expect(await shown()).toMatchObject({ status: 'pending', [done]: AFTER_A_BATCH[kind] });
    expect(await isPending()).toBe(true);
    await untilFinished();
    expect(await shown()).toMatchObject({ status: 'completed', [done]: COUNT });
    expect(await dueAgain()).toBe(COUNT);
  });

  test('one whose Temporal workflow runs is left alone, and is cancelled once a person has terminated it', async () => {
    await batch();
    // Nobody takes the tasks of this queue, so it runs until it is terminated.
    const taskQueue = `${posthorn.taskQueue}-idle`;
    const running = await posthorn.temporal.workflow.start(WORKFLOW_TYPES.warmUp, { workflowId: carrier, taskQueue });
    await restartLost();
    expect(await shown()).toMatchObject({ status: 'running' });
    await running.terminate('by hand');
    await restartLost();
    expect(await shown()).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect(await dueAgain()).toBe(AFTER_A_BATCH[kind]);
  });
});

test('five equal bulk replays at once count each dead letter once, and none as failed', async () => {
  const { pool } = posthorn.deps;
  const subscribed = await withDeadLetters();
  const kind = 'replayDeadLetters';
  const asked = [];
  for (let count = 0; count < 5; count += 1) asked.push(await ASK[kind](subscribed));
  // All of them have read the same open dead letters before the first can take one: they counted what others took as failed.
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT id FROM deliveries WHERE subscription_id = $1 FOR UPDATE', [subscribed.subscriptionId]);
  const batches = asked.map(({ id }) =>
    runBatch(posthorn.deps, { kind, id, carrier: replayWorkflowId({ kind, id }), now: new Date() }),
  );
  await waitFor('all batches to wait for the rows', async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH eligible%'`,
    );
    return rowCount === asked.length;
  });
  await holder.query('ROLLBACK');
  holder.release();

  const counts = (await Promise.all(batches)).map((progress) => progress.counts);

  expect(counts.map(({ replayed = 0 }) => replayed).toSorted((one, other) => other - one)).toEqual([100, 0, 0, 0, 0]);
  expect(counts.map(({ failed = 0 }) => failed)).toEqual([0, 0, 0, 0, 0]);
});

describe('a bulk replay with a rate', () => {
  const kind = 'replayDeadLetters';
  type Paced = ReplayJson & { ratePerSecond?: number; requestedBy: string; replayed: number };
  const ask = (body: object) => posthorn.request<Paced>('POST', '/v1/dlq/replay', body);
  const first = (id: string): Promise<Progress> =>
    runBatch(posthorn.deps, { kind, id, carrier: replayWorkflowId({ kind, id }), now: new Date() });

  test.each([0, 1_001, 1.5, -1, '5'])('%j is refused', async (ratePerSecond) => {
    const before = await posthorn.deps.db.bulkReplay.count();
    expect(await ask({ ratePerSecond })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { field: 'ratePerSecond' } } },
    });
    expect(await posthorn.deps.db.bulkReplay.count()).toBe(before);
  });

  test.each([
    { ratePerSecond: 1, made: 1, waitMs: 1_000 },
    { ratePerSecond: 30, made: 30, waitMs: 1_000 },
    // A batch is 100 at most, so that it locks little.
    { ratePerSecond: 1_000, made: 100, waitMs: 100 },
    { made: 100, waitMs: 0 },
  ])('makes its share due at a time, and says so: %j', async ({ made, waitMs, ...asked }) => {
    const { channelId, subscriptionId } = await withDeadLetters();
    const { body: replay } = await ask({ channelId, ...asked });
    expect(replay.ratePerSecond).toBe(asked.ratePerSecond);
    expect(await first(replay.id)).toMatchObject({ isFinished: false, waitMs, counts: { replayed: made } });
    expect(await posthorn.deps.db.delivery.count({ where: { subscriptionId, round: 2 } })).toBe(made);
    const { body: listed } = await posthorn.request<{ data: Paced[] }>('GET', '/v1/dlq/replay?limit=1');
    expect(listed.data).toMatchObject([{ ...asked, id: replay.id, requestedBy: expect.stringMatching(/^key_/) }]);
    type Entries = { data: { after: object }[] };
    const { body: told } = await posthorn.request<Entries>('GET', `/v1/audit?targetId=${replay.id}`);
    expect(told.data[0]?.after).toMatchObject({ ...asked, channelId });
  });

  test('does not wait for what could not be replayed', async () => {
    const { channelId, subscriptionId } = await withDeadLetters();
    await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);
    const { body: replay } = await ask({ channelId, ratePerSecond: 30 });
    expect(await first(replay.id)).toMatchObject({ waitMs: 0, counts: { replayed: 0, failed: 30 } });
  });
});
