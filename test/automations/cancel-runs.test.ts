import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Cancelled = { status: string; matched: number; cancelled: number; left: number };

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
const PAUSING: Step = { id: 'bad', type: 'action', config: { action: 'http', url: '{{ run.id }}', onError: 'pause' } };
const cancel = (workflowId: string, body: object) =>
  calls.good<Cancelled>('POST', `/v1/workflows/${workflowId}/runs/cancel`, body);
const statusOf = async (id: string): Promise<string> => (await calls.getRun(id)).status;
const until = (id: string, status: string) =>
  waitFor(`${id} is ${status}`, async () => (await statusOf(id)) === status);

test('runs of a workflow are cancelled by status, ids and time, and no others', async () => {
  const other = (await calls.start(await calls.activate({ type: 'manual' }, [LONG]))).id;
  const steps = [
    { id: 'which', type: 'condition', config: { expression: 'event.payload.pauses', else: 'long' }, next: 'bad' },
    LONG,
    PAUSING,
  ];
  const workflowId = await calls.activate({ type: 'manual' }, steps);
  const start = async (pauses: boolean): Promise<string> => (await calls.start(workflowId, { pauses })).id;
  const paused = await start(true);
  const waiting = [await start(false), await start(false), await start(false)] as const;
  await until(paused, 'paused');
  for (const id of [other, ...waiting]) await until(id, 'waiting');

  expect(await cancel(workflowId, { dryRun: true })).toEqual({ status: 'preview', matched: 4, cancelled: 0, left: 4 });
  expect(await cancel(workflowId, { status: 'pending' })).toMatchObject({ matched: 0, cancelled: 0 });
  expect(await cancel(workflowId, { status: ['pending', 'waiting'], dryRun: true })).toMatchObject({ matched: 3 });
  expect(await cancel(workflowId, { ids: [waiting[1], other, 'nothing'] })).toMatchObject({ matched: 1, cancelled: 1 });
  const { createdAt } = await calls.good<{ createdAt: string }>('GET', `/v1/runs/${waiting[2]}`);
  expect(await cancel(workflowId, { since: createdAt })).toMatchObject({ matched: 0 });
  expect(await cancel(workflowId, { status: 'waiting', until: createdAt })).toMatchObject({ cancelled: 1, left: 0 });
  const statuses = () => Promise.all([paused, ...waiting, other].map(statusOf));
  expect(await statuses()).toEqual(['paused', 'cancelled', 'cancelled', 'waiting', 'waiting']);
  expect(await cancel(workflowId, {})).toEqual({ status: 'cancelled', matched: 2, cancelled: 2, left: 0 });
  expect(await statuses()).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'waiting']);

  const run = await calls.getRun(waiting[2]);
  expect(run).toMatchObject({
    reason: expect.stringMatching(/^cancelled by key_/),
    steps: [{}, { status: 'cancelled' }],
  });
  for (const id of waiting)
    await waitFor('its Temporal workflow ends', async () => {
      const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
      return status.name === 'CANCELLED';
    });
  const { data } = await calls.good<{ data: { after: object; target: object }[] }>(
    'GET',
    '/v1/audit?action=workflow.runs_cancelled',
  );
  expect(data).toHaveLength(3);
  expect(data[0]).toMatchObject({ target: { id: workflowId }, after: { cancelled: 2 } });
});

test('a request takes the oldest of more than 1,000, and the next one the rest; of a deleted workflow too', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [LONG]);
  await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
  await posthorn.deps.pool.query(
    `INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, status)
     SELECT 'run_' || lpad(n::text, 26, '0'), w.environment_id, w.id, w.version, 'manual', 'pending'
     FROM workflows w, generate_series(1, 1205) n WHERE w.id = $1`,
    [workflowId],
  );
  await calls.good('DELETE', `/v1/workflows/${workflowId}`);
  // Deleting has workers cancel new runs too: what is left is for this request alone, however far they are.
  const first = await cancel(workflowId, {});
  expect(first.cancelled).toBe(Math.min(1_000, first.matched));
  expect(first.left).toBe(first.matched - first.cancelled);
  expect(await cancel(workflowId, {})).toMatchObject({ left: 0 });
  expect(await cancel(workflowId, {})).toEqual({ status: 'cancelled', matched: 0, cancelled: 0, left: 0 });
});

test('an unknown workflow is NOT_FOUND, and bad fields are refused without a change', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [LONG]);
  const { id } = await calls.start(workflowId);
  const refused = async (path: string, body: object | undefined) =>
    (await posthorn.request('POST', `/v1/workflows/${path}/runs/cancel`, body)).status;
  expect(await refused('wfl_00000000000000000000000000', {})).toBe(404);
  expect(await refused('x', {})).toBe(404);
  for (const body of [
    undefined,
    { status: 'failed' },
    { status: ['waiting', 'failed'] },
    { ids: [] },
    { ids: 'x' },
    { since: 'now' },
    { all: true },
  ])
    expect([body, await refused(workflowId, body)]).toEqual([body, 400]);
  await until(id, 'waiting');
});
