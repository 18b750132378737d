import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reconcilerScheduleId } from '../../src/contract/temporal-names.ts';
import { mergeParts } from '../../src/stats/merge-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Figures = { started: number; completed: number; failed: number; cancelled: number; skipped: number };
type RunStats = {
  stepSeconds: number;
  totals: Figures;
  points: (Figures & { at: string })[];
  unfinished: { count: number; isMore: boolean };
};

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const NONE: Figures = { started: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 };
const manual = { type: 'manual' };
const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
const PAUSING: Step = { id: 'bad', type: 'action', config: { action: 'http', url: '{{ run.id }}', onError: 'pause' } };
const NOTE: Step = { id: 'note', type: 'action', config: { action: 'log', noted: true } };

const read = (query = ''): Promise<RunStats> => calls.good('GET', `/v1/stats/runs${query}`);
/** The figures of a workflow once all that was counted is summed up. The worker sums up too, every five seconds. */
async function figuresOf(workflowId: string): Promise<RunStats> {
  await waitFor('figures are summed up', async () => {
    await mergeParts(posthorn.deps.pool);
    const { rows } = await posthorn.deps.pool.query('SELECT FROM run_stat_parts LIMIT 1');
    return rows.length === 0;
  });
  return read(`?workflowId=${workflowId}`);
}
const until = (id: string, status: string) =>
  waitFor(`${id} is ${status}`, async () => (await calls.getRun(id)).status === status);

test('a run that fails counts at each failure, and completes once whatever was retried before', async () => {
  const channelId = await calls.channel();
  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  const tell = { action: 'publish', channelId, eventType: 'told' };
  const workflowId = await calls.activate(manual, [NOTE, { id: 'tell', type: 'action', config: tell }]);
  const { id } = await calls.start(workflowId);
  await calls.ended(id);
  expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 1, failed: 1 });

  // A retry of the failed steps goes on with the same start, one from the start begins anew.
  await calls.good('POST', `/v1/runs/${id}/retry`);
  await calls.ended(id);
  expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 1, failed: 2 });
  await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
  await calls.ended(id);
  expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 2, failed: 3 });
  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
  await calls.good('POST', `/v1/runs/${id}/retry`);
  await calls.ended(id);
  const { totals, points, unfinished } = await figuresOf(workflowId);
  // Each failure of a run has a dead letter in the figures of traffic, and no delivery was given up.
  const traffic = await calls.good<{ totals: object }>('GET', '/v1/stats');
  expect(traffic.totals).toMatchObject({ deadLetters: 3, givenUp: 0 });
  expect(totals).toEqual({ ...NONE, started: 2, completed: 1, failed: 3 });
  expect(unfinished).toEqual({ count: 0, isMore: false });
  expect(points.reduce((sum, { failed }) => sum + failed, 0)).toBe(3);
});

test('runs that a person cancels are counted, one or many, and paused and waiting ones are unfinished', async () => {
  const which = { expression: 'event.payload.pauses', else: 'long' };
  const steps: Step[] = [{ id: 'which', type: 'condition', config: which, next: 'bad' }, LONG, PAUSING];
  const workflowId = await calls.activate(manual, steps);
  const paused = await calls.start(workflowId, { pauses: true });
  const waiting = await calls.start(workflowId, { pauses: false });
  const other = await calls.start(workflowId, { pauses: false });
  await until(paused.id, 'paused');
  for (const { id } of [waiting, other]) await until(id, 'waiting');
  expect(await figuresOf(workflowId)).toMatchObject({
    totals: { ...NONE, started: 3 },
    unfinished: { count: 3, isMore: false },
  });
  expect((await read()).unfinished.count).toBeGreaterThanOrEqual(3);

  await calls.good('POST', `/v1/runs/${waiting.id}/cancel`);
  await calls.good('POST', `/v1/workflows/${workflowId}/runs/cancel`, {});
  const ended = await calls.start(workflowId, { pauses: false });
  await until(ended.id, 'waiting');
  await posthorn.temporal.workflow.getHandle(`run/${ended.id}/1`).terminate('by hand');
  await waitFor('the reconciler to see that it was ended in Temporal', async () => {
    await posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue)).trigger();
    return (await calls.getRun(ended.id)).status === 'cancelled';
  });
  expect(await figuresOf(workflowId)).toMatchObject({
    totals: { ...NONE, started: 4, cancelled: 4 },
    unfinished: { count: 0, isMore: false },
  });
});

test('a run that its trigger skips has not started, and one that a filter ends is completed', async () => {
  const channelId = await calls.channel();
  const dedupe = { key: 'event.payload.order', window: '24h' };
  const trigger = { type: 'event', config: { channelId, eventTypes: ['order.created'], dedupe } };
  const filter: Step = { id: 'only', type: 'filter', config: { expression: 'event.payload.order == "B"' } };
  const workflowId = await calls.activate(trigger, [filter, NOTE]);
  for (const order of ['A', 'A', 'B']) await calls.publish(channelId, { order });
  await waitFor('all runs to end', async () => {
    const statuses = (await calls.runsOf(workflowId)).map(({ status }) => status);
    return statuses.toSorted().join() === 'completed,completed,skipped';
  });
  expect((await figuresOf(workflowId)).totals).toEqual({ ...NONE, started: 2, completed: 2, skipped: 1 });
});

test('the environment has the figures of all its workflows, and of traffic none of them', async () => {
  const before = (await read()).totals;
  const traffic = (await calls.good<{ totals: object }>('GET', '/v1/stats')).totals;
  const workflowId = await calls.activate(manual, [NOTE]);
  const ids = [(await calls.start(workflowId)).id, (await calls.start(workflowId)).id];
  for (const id of ids) await calls.ended(id);
  const { totals } = await figuresOf(workflowId);
  expect(totals).toEqual({ ...NONE, started: 2, completed: 2 });
  expect((await read()).totals).toEqual({
    ...before,
    started: before.started + 2,
    completed: before.completed + 2,
  });
  expect((await calls.good<{ totals: object }>('GET', '/v1/stats')).totals).toEqual(traffic);
  // Its figures of runs are no traffic of a channel or a subscription, by whatever id is sent.
  for (const name of ['channelId', 'subscriptionId'])
    expect(await calls.good('GET', `/v1/stats?${name}=${workflowId}`)).toMatchObject({
      totals: { delivered: 0, failedAttempts: 0 },
      answers: [],
    });
  // A workflow of elsewhere, and an id that is none, have no runs.
  for (const id of ['wfl_01m7xyn29kf99taeh4t9wftvgy', 'orders'])
    expect(await read(`?workflowId=${id}`)).toMatchObject({ totals: NONE, unfinished: { count: 0, isMore: false } });
});

test('a trial is no run that is counted', async () => {
  const workflowId = await calls.activate(manual, [NOTE]);
  await calls.good('POST', `/v1/workflows/${workflowId}/test`, {});
  const { rows } = await posthorn.deps.pool.query('SELECT FROM run_stat_parts WHERE workflow_id = $1', [workflowId]);
  expect(rows).toEqual([]);
  expect((await figuresOf(workflowId)).totals).toEqual(NONE);
});

test('workflows of a page have their outcomes by step in one answer, and ids that are not here are left out', async () => {
  const [busy, idle] = [await calls.activate(manual, [NOTE]), await calls.activate(manual, [NOTE])];
  const { id } = await calls.start(busy);
  await calls.ended(id);
  await figuresOf(busy);
  type Row = { workflowId: string; totals: Figures; lastRun?: object; completed: number[]; failed: number[] };
  const list = async (query: string): Promise<Row[]> =>
    (await calls.good<{ workflows: Row[] }>('GET', `/v1/stats/workflows${query}`)).workflows;
  const rows = await list(`?workflowIds=${idle},wfl_01m7xyn29kf99taeh4t9wftvgy,${busy}`);
  expect(rows.map(({ workflowId, totals }) => [workflowId, totals])).toEqual([
    [idle, NONE],
    [busy, { ...NONE, started: 1, completed: 1 }],
  ]);
  const sum = (values: number[]): number => values.reduce((one, two) => one + two, 0);
  expect(rows.map(({ completed, failed }) => [sum(completed), sum(failed)])).toEqual([
    [0, 0],
    [1, 0],
  ]);
  const run = await calls.good<Record<string, unknown>>('GET', `/v1/runs/${id}`);
  expect(rows.map(({ lastRun }) => lastRun)).toEqual([
    undefined,
    { id, status: 'completed', createdAt: run['createdAt'], finishedAt: run['finishedAt'] },
  ]);
  const { id: later } = await calls.start(busy);
  expect((await list(`?workflowIds=${busy}`))[0]?.lastRun).toMatchObject({ id: later });
  expect((await list('')).slice(0, 2).map(({ workflowId }) => workflowId)).toEqual([idle, busy]);
});
