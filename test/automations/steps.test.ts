import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;

/** Answers of one test's requests, by their path. */
const answers = new Map<string, (request: ReceivedRequest, earlier: number) => Answer>();
const json =
  (value: unknown): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const to = (path: string): string => new URL(path, receiver.url).href;
const requestsTo = (path: string): ReceivedRequest[] => receiver.requests.filter((each) => each.path === path);
const quick = { maxRetries: 2, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 };

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: (request) => answers.get(request.path)?.(request, requestsTo(request.path).length - 1) ?? 200,
  });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

test('a request is tried again under its policy with one idempotency key, and its JSON answer is the output', async () => {
  answers.set('/deals?ref=7', (_, earlier) =>
    earlier === 0 ? 503 : json({ deal: { id: 12345678901234567890n.toString() } }),
  );
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'crm',
      type: 'action',
      config: {
        action: 'http',
        url: to('/deals'),
        query: { ref: '{{ event.payload.ref }}' },
        headers: { 'X-Ref': '{{ event.payload.ref }}' },
        body: { value: '{{ event.payload.amount }}', note: 'for {{ event.payload.ref }}' },
        retryPolicy: quick,
      },
      next: 'after',
    },
    { id: 'after', type: 'action', config: { deal: '{{ steps.crm.output.body.deal.id }}' } },
  ]);
  const { id } = await calls.start(workflowId, { ref: 7, amount: 19.5 });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  const step = stepOf(run, 'crm');
  expect(step).toMatchObject({ status: 'completed', attempts: 2, output: { status: 200 } });
  expect(stepOf(run, 'after').output).toEqual({ deal: '12345678901234567890' });
  const [first, second, ...more] = requestsTo('/deals?ref=7');
  expect(more).toEqual([]);
  expect(first?.headers).toMatchObject({
    'idempotency-key': `${id}:crm:`,
    'x-ref': '7',
    'content-type': 'application/json',
  });
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  expect(JSON.parse(second?.body ?? '')).toEqual({ value: 19.5, note: 'for 7' });
});

test('a failure takes the branch that names its code, and a run without one fails and is retried from that step', async () => {
  let isMended = false;
  answers.set('/gone', () => 404);
  answers.set('/broken', () => (isMended ? 200 : 500));
  const step = (id: string, path: string, more: object = {}) => ({
    id,
    type: 'action',
    config: { action: 'http', url: to(path), retryPolicy: { ...quick, maxRetries: 0 }, ...more },
  });
  const workflowId = await calls.activate({ type: 'manual' }, [
    { ...step('gone', '/gone', { onError: [{ errors: ['HTTP_4XX'], next: 'alert' }] }), next: null },
    { id: 'alert', type: 'action', config: { code: '{{ steps.gone.error.code }}' }, next: 'tolerated' },
    { ...step('tolerated', '/gone', { onError: 'continue' }), next: 'broken' },
    { ...step('broken', '/broken'), next: 'last' },
    { id: 'last', type: 'action', config: {} },
  ]);
  const { id } = await calls.start(workflowId);
  const failed = await calls.ended(id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'HTTP_500', stepId: 'broken' } });
  expect(stepOf(failed, 'alert').output).toEqual({ code: 'HTTP_404' });
  expect(stepOf(failed, 'tolerated')).toMatchObject({ status: 'failed', error: { code: 'HTTP_404' } });
  await waitFor('its Temporal workflow fails', async () => {
    const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
    return status.name === 'FAILED';
  });

  isMended = true;
  const before = requestsTo('/gone').length;
  await calls.good('POST', `/v1/runs/${id}/retry`);
  const retried = await calls.ended(id);
  expect(retried.status).toBe('completed');
  expect(retried.error).toBeUndefined();
  expect(stepOf(retried, 'broken')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(requestsTo('/gone')).toHaveLength(before);
  expect((await posthorn.request('POST', `/v1/runs/${id}/retry`)).status).toBe(409);
});

test('an expression that fails is an error of its step, and a paused run goes on where a person retries it', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'bad',
      type: 'action',
      config: { action: 'http', url: '{{ event.payload.url }}', onError: 'pause' },
      next: 'on',
    },
    { id: 'on', type: 'action', config: {} },
  ]);
  const { id } = await calls.start(workflowId, {});
  const paused = await calls.ended(id);
  expect(paused).toMatchObject({ status: 'paused', error: { code: 'EXPRESSION', stepId: 'bad' } });
  const cancelled = await calls.good<{ status: string }>('POST', `/v1/runs/${id}/cancel`);
  expect(cancelled.status).toBe('cancelled');
});

test('a step publishes once, however often it is repeated, and its message triggers other workflows', async () => {
  const channelId = await calls.channel();
  const follower = await calls.activate(
    { type: 'event', config: { channelId, eventTypes: ['crm.*'], filter: 'event.payload.deal > 1.0' } },
    [{ id: 'seen', type: 'action', config: { deal: '{{ event.payload.deal }}' } }],
  );
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'tell',
      type: 'action',
      config: {
        action: 'publish',
        channelId,
        eventType: 'crm.synced',
        payload: { deal: '{{ event.payload.deal }}' },
        metadata: { by: '{{ run.id }}' },
      },
    },
  ]);
  const { id } = await calls.start(workflowId, { deal: 5 });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  const { messageId } = stepOf(run, 'tell').output as { messageId: string };
  expect(await calls.good('GET', `/v1/messages/${messageId}`)).toMatchObject({
    eventType: 'crm.synced',
    payload: { deal: 5 },
    metadata: { by: id },
  });
  const followed = await calls.ended((await calls.onlyRun(follower)).id);
  expect(followed).toMatchObject({ status: 'completed', trigger: { messageId } });
  const { rows } = await posthorn.database.pool.query('SELECT chain_depth AS depth FROM runs WHERE id = $1', [
    followed.id,
  ]);
  expect(rows).toEqual([{ depth: 1 }]);
});

test('a delay waits outside the worker, and a cancelled run ends in Temporal too', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'short', type: 'delay', config: { for: '300ms' }, next: 'long' },
    { id: 'long', type: 'delay', config: { for: '2h' } },
  ]);
  const { id } = await calls.start(workflowId);
  const waiting = await waitFor('the long delay', async () => {
    const run = await calls.getRun(id);
    return run.status === 'waiting' && run.steps.length === 2 && run;
  });
  expect(stepOf(waiting, 'short').status).toBe('completed');
  expect(stepOf(waiting, 'long').status).toBe('waiting');
  const cancelled = await calls.good<{ status: string; reason: string }>('POST', `/v1/runs/${id}/cancel`);
  expect(cancelled).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('key_') });
  await waitFor('its Temporal workflow ends', async () => {
    const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
    return status.name !== 'RUNNING';
  });
  expect((await posthorn.request('POST', `/v1/runs/${id}/cancel`)).status).toBe(409);
});

test('a run whose Temporal workflow is cancelled there ends as cancelled with the reason', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'long', type: 'delay', config: { for: '2h' } }]);
  const { id } = await calls.start(workflowId);
  await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
  await posthorn.temporal.workflow.getHandle(`run/${id}/1`).cancel();
  expect(await calls.ended(id)).toMatchObject({ status: 'cancelled', reason: 'cancelled in Temporal' });
});

test('and with the words of the person who cancelled it, where there are any', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'long', type: 'delay', config: { for: '2h' } }]);
  const { id } = await calls.start(workflowId);
  await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
  const { temporal } = posthorn;
  // The SDK's handle takes no reason, Temporal's API does.
  await temporal.workflowService.requestCancelWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId: `run/${id}/1` },
    reason: `the shop\u0000 is\nclosed`,
  });
  const reason = 'cancelled in Temporal: the shop is closed';
  expect(await calls.ended(id)).toMatchObject({ status: 'cancelled', reason });
});

test('a loop takes its body for each item, collects, and tells which items failed', async () => {
  answers.set('/items/2', () => 400);
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'each',
      type: 'foreach',
      config: {
        items: 'event.payload.items',
        body: 'push',
        concurrency: 3,
        onItemError: 'continue',
        collect: 'steps.push.output.status + index',
      },
      next: 'sum',
    },
    { id: 'push', type: 'action', config: { action: 'http', method: 'PUT', url: `${to('/items/')}{{ item.id }}` } },
    { id: 'sum', type: 'action', config: { failed: '{{ size(steps.each.output.failed) }}' } },
  ]);
  const { id } = await calls.start(workflowId, { items: [0, 1, 2, 3].map((item) => ({ id: item })) });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'each').output).toEqual({
    // By the places of the items.
    results: [200, 201, null, 203],
    failed: [{ index: 2, error: { code: 'HTTP_400', message: 'answered 400: answer 400' } }],
  });
  expect(stepOf(run, 'sum').output).toEqual({ failed: 1 });
  expect(stepOf(run, 'push', '3')).toMatchObject({ status: 'completed' });
  expect(requestsTo('/items/3')[0]?.headers['idempotency-key']).toBe(`${id}:push:3`);
});

test('a failed item fails its loop, and a retry takes up that item alone', async () => {
  let isMended = false;
  answers.set('/parts/1', () => (isMended ? 200 : 400));
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: '[0, 1]', body: 'push' }, next: 'done' },
    { id: 'push', type: 'action', config: { action: 'http', url: `${to('/parts/')}{{ item }}` } },
    {
      id: 'done',
      type: 'end',
      config: { status: 'completed', output: { all: '{{ size(steps.each.output.results) }}' } },
    },
  ]);
  const { id } = await calls.start(workflowId);
  expect(await calls.ended(id)).toMatchObject({ status: 'failed', error: { code: 'HTTP_400', stepId: 'each' } });
  isMended = true;
  await calls.good('POST', `/v1/runs/${id}/retry`);
  const run = await calls.ended(id);
  expect(run).toMatchObject({ status: 'completed', output: { all: 2 } });
  // Nothing is collected.
  expect(stepOf(run, 'each').output).toEqual({ results: [null, null], failed: [] });
  expect(requestsTo('/parts/0')).toHaveLength(1);
});

test('branches run beside each other, a race cuts the slower ones off, and an end step ends the run', async () => {
  answers.set('/slow', () => () => {});
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'both', type: 'parallel', config: { branches: ['a', 'b'] }, next: 'first' },
    { id: 'a', type: 'action', config: { from: 'a' }, next: 'a2' },
    { id: 'a2', type: 'action', config: { from: 'a2' } },
    { id: 'b', type: 'action', config: { from: 'b' } },
    { id: 'first', type: 'parallel', config: { branches: ['slow', 'fast'], mode: 'race' }, next: 'stop' },
    { id: 'slow', type: 'action', config: { action: 'http', url: to('/slow') } },
    { id: 'fast', type: 'delay', config: { for: 200 } },
    { id: 'stop', type: 'end', config: { status: 'failed', error: { code: 'ENOUGH', message: 'for {{ run.id }}' } } },
  ]);
  const { id } = await calls.start(workflowId);
  const run = await calls.ended(id);
  expect(stepOf(run, 'both').output).toEqual({ a: { from: 'a2' }, b: { from: 'b' } });
  expect(stepOf(run, 'slow').status).toBe('cancelled');
  expect(Object.keys(stepOf(run, 'first').output as object)).toEqual(['fast']);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'ENOUGH', message: `for ${id}`, stepId: 'stop' } });
});
