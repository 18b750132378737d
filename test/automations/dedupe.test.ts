import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createAdmit } from '../../src/automations/gates/admit.ts';
import { removeOver } from '../../src/automations/gates/key-store.ts';
import { findVersion } from '../../src/automations/definitions/store.ts';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { ask, note, orderCalls } from '../support/make/order-calls.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let orders: ReturnType<typeof orderCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

// The workflows of earlier tests hear nothing of it.
beforeEach(async () => {
  orders = orderCalls(posthorn, calls, await calls.channel());
});

const byOrder = (window = '2s') => ({ dedupe: { key: 'event.payload.order', window } });
const keysOf = async (workflowId: string): Promise<string[]> => {
  const { rows } = await posthorn.deps.pool.query<{ runId: string }>(
    'SELECT run_id AS "runId" FROM run_key_spans WHERE workflow_id = $1',
    [workflowId],
  );
  return rows.map(({ runId }) => runId);
};

test('one of 50 messages with the same key begins a run, and the others are skipped with its id', async () => {
  const workflowId = await calls.activate(orders.placed(byOrder('24h')), [note]);
  await Promise.all(Array.from({ length: 50 }, () => orders.place({ order: 'A-1' })));
  await orders.place({ order: 'A-2' });
  const runs = await waitFor('all runs to end', async () => {
    const found = await calls.runsOf(workflowId);
    return found.length === 51 && found.every(({ status }) => status !== 'pending' && status !== 'running') && found;
  });
  const skipped = runs.filter(({ status }) => status === 'skipped');
  expect(skipped).toHaveLength(49);
  const [first, ...others] = runs.filter(({ status }) => status === 'completed');
  expect(others).toHaveLength(1);
  const reasons = new Set(skipped.map(({ reason }) => reason));
  expect(reasons.size).toBe(1);
  expect([first, ...others].map((run) => `${run?.id} has the same key`)).toContain([...reasons][0]);

  await calls.good('POST', `/v1/runs/${skipped[0]?.id}/retry`);
  expect(await calls.ended(skipped[0]?.id ?? '')).toMatchObject({ status: 'completed' });
});

test('a key is free again after its window, and a run without it is never skipped', async () => {
  const workflowId = await calls.activate(orders.placed(byOrder()), [note]);
  await orders.placeInOrder([{ order: 'B-1' }, { item: 1 }, { item: 2 }]);
  await orders.standing(workflowId, ['completed', 'completed', 'completed']);
  await orders.windowsOver(workflowId);
  await orders.place({ order: 'B-1' });
  await orders.standing(workflowId, ['completed', 'completed', 'completed', 'completed']);
});

test('messages of one window begin one run though no worker was there for longer than it', async () => {
  const flow = { dedupe: { key: 'event.channelId', window: '2s' } };
  const workflowId = await calls.activate(orders.placed(flow), [note]);
  await posthorn.worker.stop();
  await orders.placeAtOnce(3);
  const over = Date.now() + 2_000;
  await waitFor('the window to pass', () => Date.now() > over);
  await orders.place();
  await posthorn.worker.start();
  await orders.standing(workflowId, ['completed', 'skipped', 'skipped', 'completed']);
});

test('the first run of a key begins though it waited for its turn beyond its window', async () => {
  const flow = { ...byOrder(), concurrency: { limit: 1 } };
  const workflowId = await calls.activate(orders.placed(flow), [ask]);
  await orders.placeInOrder([{ order: 'D-1' }, { order: 'D-2' }]);
  await orders.queued(workflowId, 1);
  await orders.windowsOver(workflowId);
  await orders.place({ order: 'D-2' });
  const [first, second] = await orders.standing(workflowId, ['waiting', 'pending', 'pending']);
  await orders.queued(workflowId, 2);
  await calls.good('POST', `/v1/runs/${first?.id}/approve`);
  const [, , third] = await orders.standing(workflowId, ['completed', 'waiting', 'pending']);
  for (const id of [second?.id, third?.id]) await calls.good('POST', `/v1/runs/${id}/cancel`);
});

test('a run has its key however often and by however many workers it is asked, and none beside it has', async () => {
  const workflowId = await calls.activate(orders.placed(byOrder('24h')), [note]);
  await posthorn.worker.stop();
  await orders.placeInOrder(Array.from({ length: 8 }, () => ({ order: 'E-1' })));
  const { pool, clock, db } = posthorn.deps;
  const admit = createAdmit({
    pool,
    clock,
    plans: createPlans((...version) => findVersion(db, ...version)),
    expressions: createStepExpressions(),
  });
  const { rows } = await pool.query(
    `SELECT id AS "runId", round, workflow_id AS "workflowId", version, environment_id AS "environmentId"
     FROM runs WHERE workflow_id = $1 ORDER BY id DESC`,
    [workflowId],
  );
  const admissions = await Promise.all(rows.map(admit));
  expect(admissions.toSorted()).toEqual(['begins', ...Array.from({ length: 7 }, () => 'skipped')]);
  expect(await admit(rows[admissions.indexOf('begins')])).toBe('begins');
  await posthorn.worker.start();
});

test('a key is forgotten behind its window, once no run of that time can ask for it', async () => {
  const workflowId = await calls.activate(orders.placed(byOrder()), [note]);
  await orders.placeInOrder([{ order: 'F-1' }, { order: 'F-2' }]);
  const [, asking] = await orders.standing(workflowId, ['completed', 'completed']);
  const { pool } = posthorn.deps;
  await removeOver(pool);
  expect(await keysOf(workflowId)).toHaveLength(2);
  const setStatus = (status: string) => pool.query('UPDATE runs SET status = $2 WHERE id = $1', [asking?.id, status]);
  await setStatus('pending');
  await pool.query(`UPDATE run_key_spans SET until = now() - interval '2 minutes' WHERE workflow_id = $1`, [
    workflowId,
  ]);
  await removeOver(pool);
  expect(await keysOf(workflowId)).toHaveLength(2);
  await setStatus('completed');
  await removeOver(pool);
  expect(await keysOf(workflowId)).toEqual([]);
});
