import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFailureWithin } from '../../src/automations/engine/loop-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('child runs', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const manual = { type: 'manual' };
  const call = (workflowId: string, config: object = {}): Step => ({
    id: 'call',
    type: 'workflow',
    config: { workflowId, input: { order: '{{ event.payload.order }}' }, ...config },
  });
  const last: Step = { id: 'last', type: 'action', config: { action: 'log', got: '{{ steps.call.output }}' } };
  /** Ends with twice the order it was given. */
  const doubling: Step[] = [
    {
      id: 'end',
      type: 'end',
      config: { output: { twice: '{{ event.payload.order * 2 }}', of: '{{ event.payload }}' } },
    },
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

  test('a step starts a run of another workflow, waits for its end, and has its output', async () => {
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

  test('with `wait: false` the parent continues at once, and the end of the child does not affect it', async () => {
    const child = await calls.activate(manual, asking);
    const { id } = await calls.start(await parentOf(child, { wait: false }), { order: 7 });
    const run = await calls.ended(id);
    const made = await onlyChild(child);
    expect(stepOf(run, 'call')).toMatchObject({ status: 'completed', output: { runId: made.id } });
    expect((await waiting(made.id)).status).toBe('waiting');
    await calls.good('POST', `/v1/runs/${made.id}/approve`);
    expect((await calls.ended(made.id)).output).toBe('approved');
  });

  test('a run that fails is CHILD_FAILED in its parent; both have dead letters, and the retry of the parent resumes the child', async () => {
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

  test('the retry of a parent takes the result of a child that was retried on its own', async () => {
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

  test('a retry from the start starts another child', async () => {
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

  test('cancelling a run cancels the child that it waits for, and those below', async () => {
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

  test('the loser of a race has its child cancelled, and the race continues', async () => {
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
    // A loser that was cut off before its child started has none.
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

  test('cancelling a child fails the step that waits for it', async () => {
    const child = await calls.activate(manual, asking);
    const { id } = await calls.start(await parentOf(child), { order: 7 });
    const made = await waiting((await onlyChild(child)).id);
    await calls.good('POST', `/v1/runs/${made.id}/cancel`);
    const run = await calls.ended(id);
    expect(run.error).toMatchObject({ code: 'CHILD_FAILED', stepId: 'call' });
    expect(run.error?.message).toContain(`${made.id} was cancelled: cancelled by key_`);
  });

  test('each item of a loop has its own child', async () => {
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

  test('a workflow that is inactive or deleted fails the step', async () => {
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
      { code: 'NOT_FOUND', message: `the workflow ${gone} does not exist`, stepId: 'call' },
    ]);
  });

  test('ten runs may be nested, and the eleventh does not start', async () => {
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

  test('a workflow of another environment is refused on save, and starts no run if it is in a definition all the same', async () => {
    const { body } = await posthorn.request<{ id: string }>(
      'POST',
      '/v1/workflows',
      { name: 'foreign', status: 'active', trigger: manual, steps: doubling },
      { key: posthorn.keys.test },
    );
    const given = { name: 'calls it', steps: [call(body.id)] };
    expect(await posthorn.request('POST', '/v1/workflows', given)).toMatchObject({
      status: 400,
      body: { error: { details: { reason: 'must be the id of a workflow in this environment' } } },
    });
    const mine = await calls.activate(manual, doubling);
    const parent = await parentOf(mine);
    await posthorn.deps.pool.query(
      `UPDATE workflow_versions SET steps = replace(steps, $1, $2) WHERE workflow_id = $3`,
      [mine, body.id, parent],
    );
    const run = await calls.ended((await calls.start(parent, { order: 1 })).id);
    expect(run.error).toMatchObject({ code: 'NOT_FOUND', stepId: 'call' });
  });

  test('a workflow that would start itself is refused on save, and the error shows the path', async () => {
    const first = await calls.activate(manual, doubling);
    const second = await parentOf(first);
    const direct = await posthorn.request('PATCH', `/v1/workflows/${first}`, { steps: [call(first)] });
    const byOther = await posthorn.request('PATCH', `/v1/workflows/${first}`, {
      steps: [last, call(second)].reverse(),
    });
    const unknown = await posthorn.request('PATCH', `/v1/workflows/${first}`, {
      steps: [call('wf_00000000000000000000000000')],
    });
    const refusals = [direct, byOther, unknown].map(({ status, body }) => [status, body]);
    expect(refusals).toMatchObject([
      [
        400,
        {
          error: {
            details: { field: 'steps[0].config.workflowId', reason: `must not start its own workflow again: ${first}` },
          },
        },
      ],
      [400, { error: { details: { reason: `must not start its own workflow again: ${second} -> ${first}` } } }],
      [400, { error: { details: { reason: 'must be the id of a workflow in this environment' } } }],
    ]);
  });

  test('an input that is not an object is an error of the step; a test run starts no child', async () => {
    const child = await calls.activate(manual, doubling);
    const parent = await parentOf(child, { input: '{{ event.payload.order }}' });
    const run = await calls.ended((await calls.start(parent, { order: 7 })).id);
    expect(run.error).toMatchObject({ code: 'EXPRESSION', message: 'input: must be an object' });

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
});

describe('chains', () => {
  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const publish = (channelId: string) => ({
    id: 'again',
    type: 'action',
    config: { action: 'publish', channelId, eventType: 'loop.turned', payload: { n: '{{ event.payload.n + 1 }}' } },
  });
  type Listed = { data: { id: string }[] };

  // Regression: the message of the tenth run was published and started nothing, so that a loop ended silently.
  test('workflows that trigger one another end with a failed run, which is a dead letter, and publish nothing more', async () => {
    const channelId = await calls.channel();
    const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [publish(channelId)]);
    await calls.publish(channelId, { n: 1 }, 'loop.begun');
    const failed = await waitFor('the run that fails', async () =>
      (await calls.runsOf(workflowId)).find(({ status }) => status === 'failed'),
    );
    expect(failed.error).toMatchObject({
      code: 'CHAIN_TOO_DEEP',
      message: `the chain already has 10 runs, and the message would start another one, of ${workflowId}`,
      stepId: 'again',
    });
    const runs = await calls.runsOf(workflowId);
    expect(runs.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill('completed'), 'failed']);
    const { data: messages } = await calls.good<Listed>('GET', `/v1/channels/${channelId}/messages?limit=100`);
    expect(messages).toHaveLength(10);
    const { data: letters } = await calls.good<Listed>('GET', `/v1/dlq?kind=run&workflowId=${workflowId}`);
    expect(letters).toMatchObject([{ runId: failed.id }]);
  });

  test('the tenth run may publish a message that starts no run', async () => {
    const [loop, end] = [await calls.channel(), await calls.channel()];
    const workflowId = await calls.activate({ type: 'event', config: { channelId: loop } }, [
      {
        ...publish(loop),
        config: { ...publish(loop).config, if: 'event.payload.n < 10', output: 'a turn' },
        next: 'out',
      },
      {
        id: 'out',
        type: 'action',
        config: { action: 'publish', channelId: end, eventType: 'loop.ended', if: 'event.payload.n == 10' },
      },
    ]);
    await calls.publish(loop, { n: 1 });
    const last = await waitFor('the tenth run', async () => {
      const runs = await calls.runsOf(workflowId);
      return runs.length === 10 && runs.every(({ status }) => status === 'completed') && runs[0];
    });
    expect(stepOf(await calls.getRun(last.id), 'out')).toMatchObject({ status: 'completed' });
  });
});

describe('parallel chains', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  /** Requests to /held, which a test answers. */
  let held: ServerResponse[] = [];
  let isMended = false;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({
      answer: ({ path }) => {
        if (path === '/held') return (response) => void held.push(response);
        if (path === '/broken') return isMended ? 200 : 400;
        return path === '/refused' ? 400 : 200;
      },
    });
  });
  afterAll(async () => {
    await receiver.close();
  });

  const http = (path: string): object => ({
    action: 'http',
    url: `${new URL(receiver.url).origin}${path}`,
    retryPolicy: { maxRetries: 0, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 },
  });
  const once = (id: string, body: string, config: object = {}): Step => ({
    id,
    type: 'foreach',
    config: { items: '[0]', body, ...config },
  });
  const asking = { type: 'approval', config: { title: 'Go on?' } };
  const isWaiting = ({ steps }: RunAnswer, id: string): boolean =>
    steps.some((step) => step.id === id && step.status === 'waiting');

  // Regression: the failure of a loop marked all steps in progress in items as cut off, those of parallel loops too: their questions
  // could not be answered any more, and the children they waited for were cancelled.
  test('a loop whose failure is ignored does not cut off parallel loops', async () => {
    const child = await calls.activate({ type: 'manual' }, [{ id: 'question', ...asking }]);
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'all', type: 'parallel', config: { branches: ['fails', 'asks', 'waits'] } },
      once('fails', 'held', { onError: 'continue' }),
      { id: 'held', type: 'action', config: http('/held') },
      once('asks', 'ask'),
      { id: 'ask', ...asking },
      once('waits', 'call'),
      { id: 'call', type: 'workflow', config: { workflowId: child } },
    ]);
    held = [];
    const { id } = await calls.start(workflowId);
    await waitFor('the steps beside', async () => {
      const run = await calls.getRun(id);
      return held.length === 1 && isWaiting(run, 'ask') && isWaiting(run, 'call');
    });
    const [called] = await waitFor('the other run', async () => {
      const runs = await calls.runsOf(child);
      return runs[0]?.status === 'waiting' && runs;
    });
    held[0]?.writeHead(400).end();
    const after = await waitFor('the loop to fail', async () => {
      const run = await calls.getRun(id);
      return stepOf(run, 'fails').status === 'failed' && run;
    });
    expect([stepOf(after, 'ask', '0').status, stepOf(after, 'call', '0').status]).toEqual(['waiting', 'waiting']);
    await calls.good('POST', `/v1/runs/${id}/approve`);
    await calls.good('POST', `/v1/runs/${called?.id}/approve`);
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(stepOf(run, 'call', '0')).toMatchObject({ status: 'completed', output: { runId: called?.id } });
  });

  test('the error of an item is that of a step of its own loop', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'ask', ...asking }]);
    const { id: runId } = await calls.start(workflowId);
    await posthorn.deps.pool.query(
      `INSERT INTO run_steps (run_id, step_id, iteration, environment_id, number, type, status, way, error_code, error_message, attempts,
       started_at, finished_at)
     SELECT r.id, s.id, '0', r.environment_id, 1, 'action', 'failed', 'failure', s.code, '', 1, now(), now() + s.after * interval '1 second'
     FROM runs r CROSS JOIN (VALUES ('own', 'HTTP_404', 0), ('other', 'HTTP_500', 1)) AS s (id, code, after) WHERE r.id = $1`,
      [runId],
    );
    const failure = await readFailureWithin(posthorn.deps.pool, { runId, iteration: '0' }, ['own']);
    expect(failure).toEqual({ code: 'HTTP_404', message: '' });
  });

  test('a loop after another one sees no values of the items of the first', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'first', type: 'foreach', config: { items: '[1, 2]', body: 'keep' }, next: 'second' },
      { id: 'keep', type: 'transform', config: { set: {}, assign: { seen: '{{ item }}' } } },
      {
        id: 'second',
        type: 'foreach',
        config: { items: '[1, 2, 3]', body: 'look', collect: 'steps.look.output.seen' },
      },
      { id: 'look', type: 'transform', config: { set: { seen: '{{ vars.?seen.orValue(0) }}' } } },
    ]);
    const run = await calls.ended((await calls.start(workflowId)).id);
    expect(stepOf(run, 'second').output).toEqual({ results: [0, 0, 0], failed: [] });
  });

  // Regression: a retry resumed everything that had failed or was cut off, also in loops and branches that had ended: such a step then
  // waited for nothing and was shown as cancelled at the end of the run.
  test('a retry ignores failures that a loop or a race has already handled', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'each',
        type: 'foreach',
        config: { items: '["refused", "good"]', body: 'push', onItemError: 'continue' },
        next: 'race',
      },
      { id: 'push', type: 'action', config: http('/{{ item }}') },
      { id: 'race', type: 'parallel', config: { branches: ['slow', 'bad', 'fast'], mode: 'race' }, next: 'last' },
      { id: 'slow', type: 'delay', config: { for: '1h' } },
      { id: 'bad', type: 'action', config: http('/refused') },
      { id: 'fast', type: 'wait_for_event', config: { eventTypes: ['race.over'] } },
      { id: 'last', type: 'action', config: http('/broken') },
    ]);
    isMended = false;
    const channelId = await calls.channel();
    const { id } = await calls.start(workflowId);
    // The branch that wins comes last, however slow the machine is.
    await waitFor('a branch to fail and another one to wait', async () => {
      const { steps } = await calls.getRun(id);
      const is = (step: string, status: string): boolean =>
        steps.some((each) => each.id === step && each.status === status);
      return is('bad', 'failed') && is('fast', 'waiting');
    });
    await calls.good('POST', `/v1/channels/${channelId}/messages`, { eventType: 'race.over', payload: {} });
    const failed = await calls.ended(id);
    expect(failed).toMatchObject({ status: 'failed', error: { stepId: 'last' } });
    const passedOver = (run: RunAnswer) => [stepOf(run, 'push', '0'), stepOf(run, 'bad'), stepOf(run, 'slow')];
    expect(passedOver(failed).map(({ status }) => status)).toEqual(['failed', 'failed', 'cancelled']);
    isMended = true;
    await calls.good('POST', `/v1/runs/${id}/retry`);
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(passedOver(run)).toEqual(passedOver(failed));
  });

  test('a loop that is paused by a failed item repeats that item once a person resumes the run', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: '["broken", "good"]', body: 'push', onError: 'pause' } },
      { id: 'push', type: 'action', config: http('/{{ item }}') },
    ]);
    isMended = false;
    const { id } = await calls.start(workflowId);
    expect((await calls.ended(id)).status).toBe('paused');
    isMended = true;
    await calls.good('POST', `/v1/runs/${id}/retry`);
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect([stepOf(run, 'push', '0'), stepOf(run, 'push', '1')].map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });
});
