import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const manual = { type: 'manual' };
const call = (workflowId: string, config: object = {}): Step => ({
  id: 'call',
  type: 'workflow',
  config: { workflowId, input: { order: '{{ event.payload.order }}' }, ...config },
});
const last: Step = { id: 'last', type: 'action', config: { action: 'log', got: '{{ steps.call.output }}' } };
/** Ends with twice the order that it was given. */
const doubling: Step[] = [
  { id: 'end', type: 'end', config: { output: { twice: '{{ event.payload.order * 2 }}', of: '{{ event.payload }}' } } },
];
/** Waits for a person, and ends with the decision. */
const asking: Step[] = [
  { id: 'ask', type: 'approval', config: { title: 'Go on?', rejected: 'stop' }, next: 'end' },
  { id: 'end', type: 'end', config: { output: '{{ steps.ask.output.decision }}' } },
  { id: 'stop', type: 'end', config: { status: 'failed', error: { code: 'STOPPED', message: 'by hand' } } },
];
/** Fails while that channel is paused. */
const publishing = (channelId: string): Step[] => [
  { id: 'first', type: 'action', config: { action: 'log', noted: true } },
  { id: 'tell', type: 'action', config: { action: 'publish', channelId, eventType: 'told' } },
];

const parentOf = (workflowId: string, config: object = {}, steps: Step[] = [last]): Promise<string> =>
  calls.activate(manual, [call(workflowId, config), ...steps]);
const onlyChild = (workflowId: string): Promise<RunAnswer> =>
  waitFor('the run of the step', async () => {
    const [run] = await calls.runsOf(workflowId);
    return run !== undefined && run.status !== 'pending' && calls.getRun(run.id);
  });
const waiting = (id: string): Promise<RunAnswer> =>
  waitFor('the run to wait', async () => {
    const run = await calls.getRun(id);
    return run.status === 'waiting' && run;
  });
const retry = (runId: string, body: object = {}): Promise<RunAnswer> =>
  calls.good('POST', `/v1/runs/${runId}/retry`, body);

test('a step begins a run of another workflow, waits for its end, and has its output', async () => {
  const child = await calls.activate(manual, doubling);
  const { id } = await calls.start(await parentOf(child), { order: 7 });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  const [made] = await calls.runsOf(child);
  expect(made).toMatchObject({ status: 'completed', trigger: { type: 'workflow', runId: id, stepId: 'call' } });
  expect(stepOf(run, 'call')).toMatchObject({
    type: 'workflow',
    status: 'completed',
    input: { workflowId: child, input: { order: 7 } },
    output: { runId: made?.id, output: { twice: 14, of: { order: 7 } } },
  });
  expect(stepOf(run, 'last').output).toMatchObject({ got: { output: { twice: 14 } } });
});

test('with `wait: false` the run goes on at once, and its end does not touch the other one', async () => {
  const child = await calls.activate(manual, asking);
  const { id } = await calls.start(await parentOf(child, { wait: false }), { order: 7 });
  const run = await calls.ended(id);
  const made = await onlyChild(child);
  expect(stepOf(run, 'call')).toMatchObject({ status: 'completed', output: { runId: made.id } });
  expect((await waiting(made.id)).status).toBe('waiting');
  await calls.good('POST', `/v1/runs/${made.id}/approve`);
  expect((await calls.ended(made.id)).output).toBe('approved');
});

test('a run that fails is CHILD_FAILED in its parent; both have dead letters, and the retry of the parent has it go on', async () => {
  const channelId = await calls.channel();
  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  const child = await calls.activate(manual, publishing(channelId));
  const { id } = await calls.start(await parentOf(child), { order: 7 });
  const run = await calls.ended(id);
  const made = await onlyChild(child);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'CHILD_FAILED', stepId: 'call' } });
  expect(run.error?.message).toContain(`${made.id} failed: CONFLICT`);
  const { data } = await calls.good<{ data: { runId: string }[] }>('GET', '/v1/dlq?kind=run&limit=100');
  expect(data.map(({ runId }) => runId)).toEqual(expect.arrayContaining([id, made.id]));

  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
  await retry(id);
  expect((await calls.ended(id)).status).toBe('completed');
  const again = await calls.getRun(made.id);
  expect(again.status).toBe('completed');
  expect(stepOf(again, 'first').attempts).toBe(1);
  expect(await calls.runsOf(child)).toHaveLength(1);
  const open = await calls.good<{ data: { runId: string }[] }>('GET', '/v1/dlq?kind=run&status=open&limit=100');
  expect(open.data.map(({ runId }) => runId)).not.toContain(made.id);
});

test('a run that was retried by itself has its result taken by the retry of its parent', async () => {
  const channelId = await calls.channel();
  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  const child = await calls.activate(manual, publishing(channelId));
  const { id } = await calls.start(await parentOf(child), { order: 7 });
  await calls.ended(id);
  const made = await onlyChild(child);
  await calls.good('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
  await retry(made.id);
  const { finishedAt } = (await calls.ended(made.id)) as RunAnswer & { finishedAt: string };
  await retry(id);
  expect((await calls.ended(id)).status).toBe('completed');
  expect(await calls.getRun(made.id)).toMatchObject({ finishedAt, status: 'completed' });
});

test('a retry from the start begins another run', async () => {
  const child = await calls.activate(manual, asking);
  const { id } = await calls.start(await parentOf(child), { order: 7 });
  const first = await waiting((await onlyChild(child)).id);
  await calls.good('POST', `/v1/runs/${first.id}/reject`);
  expect((await calls.ended(id)).error?.code).toBe('CHILD_FAILED');
  await retry(id, { from: 'start' });
  const second = await waitFor('another run', async () => {
    const runs = await calls.runsOf(child);
    return runs.length === 2 && runs.find((run) => run.id !== first.id);
  });
  await waiting(second.id);
  await calls.good('POST', `/v1/runs/${second.id}/approve`);
  expect(stepOf(await calls.ended(id), 'call').output).toEqual({ runId: second.id, output: 'approved' });
  expect((await calls.getRun(first.id)).trigger).toEqual({ type: 'workflow', runId: id });
});

test('cancelling a run cancels the run that it waits for, and those below', async () => {
  const lowest = await calls.activate(manual, asking);
  const middle = await parentOf(lowest);
  const { id } = await calls.start(await parentOf(middle), { order: 7 });
  const made = await onlyChild(lowest);
  await waiting(made.id);
  await calls.good('POST', `/v1/runs/${id}/cancel`);
  const cancelled = await calls.ended(made.id);
  expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'the step that waited for it was cut off' });
  expect(await onlyChild(middle)).toMatchObject({ status: 'cancelled' });
  await expect(posthorn.request('POST', `/v1/runs/${made.id}/approve`)).resolves.toMatchObject({ status: 409 });
});

test('the loser of a race has its run cancelled, and the race goes on', async () => {
  const slow = await calls.activate(manual, asking);
  const fast = await calls.activate(manual, doubling);
  const workflowId = await calls.activate(manual, [
    { id: 'both', type: 'parallel', config: { branches: ['slow', 'fast'], mode: 'race' } },
    { ...call(slow), id: 'slow' },
    { ...call(fast), id: 'fast' },
  ]);
  const { id } = await calls.start(workflowId, { order: 7 });
  const run = await calls.ended(id);
  expect(stepOf(run, 'both').output).toMatchObject({ fast: { output: { twice: 14 } } });
  // A loser that was cut off before its run began has none.
  await waitFor('the runs of the loser to end', async () =>
    (await calls.runsOf(slow)).every(({ status }) => status === 'cancelled'),
  );
});

test('a run that takes too long is cancelled, and its step fails with WAIT_TIMEOUT', async () => {
  const child = await calls.activate(manual, asking);
  const { id } = await calls.start(await parentOf(child, { timeout: '1s', onError: 'continue' }), { order: 7 });
  const run = await calls.ended(id);
  expect(stepOf(run, 'call')).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMEOUT' } });
  expect(await onlyChild(child)).toMatchObject({
    status: 'cancelled',
    reason: 'the step that waited for it ran out of time',
  });
});

test('a run that somebody cancels fails the step that waits for it', async () => {
  const child = await calls.activate(manual, asking);
  const { id } = await calls.start(await parentOf(child), { order: 7 });
  const made = await waiting((await onlyChild(child)).id);
  await calls.good('POST', `/v1/runs/${made.id}/cancel`);
  const run = await calls.ended(id);
  expect(run.error).toMatchObject({ code: 'CHILD_FAILED', stepId: 'call' });
  expect(run.error?.message).toContain(`${made.id} was cancelled: cancelled by key_`);
});

test('each item of a loop has a run of its own', async () => {
  const child = await calls.activate(manual, doubling);
  const workflowId = await calls.activate(manual, [
    {
      id: 'each',
      type: 'foreach',
      config: { items: '[1, 2, 3]', body: 'call', concurrency: 3, collect: 'steps.call.output.output.twice' },
    },
    call(child, { input: { order: '{{ item }}' } }),
  ]);
  const run = await calls.ended((await calls.start(workflowId)).id);
  expect(stepOf(run, 'each').output).toEqual({ results: [2, 4, 6], failed: [] });
  expect(await calls.runsOf(child)).toHaveLength(3);
});

test('a workflow that is not active, or gone, fails the step', async () => {
  const paused = await calls.activate(manual, doubling);
  const gone = await calls.activate(manual, doubling);
  const parents = [await parentOf(paused), await parentOf(gone)];
  await calls.good('POST', `/v1/workflows/${paused}/pause`);
  await posthorn.request('DELETE', `/v1/workflows/${gone}`);
  const runs = await Promise.all(
    parents.map(async (parent) => calls.ended((await calls.start(parent, { order: 1 })).id)),
  );
  expect(runs.map(({ error }) => error)).toMatchObject([
    { code: 'CONFLICT', message: `the workflow ${paused} is not active`, stepId: 'call' },
    { code: 'NOT_FOUND', message: `there is no workflow ${gone}`, stepId: 'call' },
  ]);
});

test('ten runs may stand one below the other, and the eleventh does not begin', async () => {
  let workflowId = await calls.activate(manual, doubling);
  const chain = [workflowId];
  for (let depth = 0; depth < 10; depth += 1) {
    workflowId = await parentOf(workflowId, { onError: 'continue' }, []);
    chain.unshift(workflowId);
  }
  const { id } = await calls.start(workflowId, { order: 1 });
  expect((await calls.ended(id)).status).toBe('completed');
  const deepest = await onlyChild(chain[9] ?? '');
  expect(stepOf(deepest, 'call').error).toMatchObject({ code: 'CHAIN_TOO_DEEP' });
  expect(await calls.runsOf(chain[10] ?? '')).toEqual([]);
});

test('a workflow that would begin itself is refused on save, with the way', async () => {
  const first = await calls.activate(manual, doubling);
  const second = await parentOf(first);
  const direct = await posthorn.request('PATCH', `/v1/workflows/${first}`, { steps: [call(first)] });
  const byOther = await posthorn.request('PATCH', `/v1/workflows/${first}`, { steps: [last, call(second)].reverse() });
  const unknown = await posthorn.request('PATCH', `/v1/workflows/${first}`, {
    steps: [call('wf_00000000000000000000000000')],
  });
  const refusals = [direct, byOther, unknown].map(({ status, body }) => [status, body]);
  expect(refusals).toMatchObject([
    [
      400,
      {
        error: {
          details: { field: 'steps[0].config.workflowId', reason: `the workflow would begin itself: ${first}` },
        },
      },
    ],
    [400, { error: { details: { reason: `the workflow would begin itself: ${second} -> ${first}` } } }],
    [400, { error: { details: { reason: 'no such workflow in this environment' } } }],
  ]);
});

test('an input that is no object is an error of the step; a trial begins no run', async () => {
  const child = await calls.activate(manual, doubling);
  const parent = await parentOf(child, { input: '{{ event.payload.order }}' });
  const run = await calls.ended((await calls.start(parent, { order: 7 })).id);
  expect(run.error).toMatchObject({ code: 'EXPRESSION', message: 'input: must give an object' });

  const isEmpty = { ...last, config: { action: 'log', if: 'steps.call.output.output == null' } };
  const tried = await parentOf(child, {}, [isEmpty]);
  const trial = await calls.good<RunAnswer>('POST', `/v1/workflows/${tried}/test`, {
    event: { payload: { order: 7 } },
  });
  expect(stepOf(trial, 'call')).toMatchObject({
    status: 'completed',
    input: { workflowId: child, input: { order: 7 } },
  });
  expect(stepOf(trial, 'last').status).toBe('completed');
  expect(await calls.runsOf(child)).toEqual([]);
});
