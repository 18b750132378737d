import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
/** Paths that answer 500. */
const broken = new Set<string>();
const requestsTo = (path: string) => receiver.requests.filter((each) => each.path === path);

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({ answer: ({ path }) => (broken.has(path) ? 500 : 200) });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const post = (id: string, path: string, next?: string) => ({
  id,
  type: 'action',
  config: { action: 'http', url: new URL(path, receiver.url).href, retryPolicy: { maxRetries: 0 } },
  ...(next !== undefined && { next }),
});

test('a retry from a step takes it and all behind it anew, under other idempotency keys, and keeps the results before it', async () => {
  broken.add('/from/push');
  const http = (id: string, next?: string) => {
    const step = post(id, `/from/${id}`, next);
    return { ...step, config: { ...step.config, body: { items: '{{ steps.each.output.results }}' } } };
  };
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: '[1, 2]', body: 'note' }, next: 'middle' },
    { id: 'note', type: 'action' },
    http('middle', 'push'),
    http('push'),
  ]);
  const run = await calls.ended((await calls.start(workflowId)).id);
  const each = stepOf(run, 'each');
  const [first] = requestsTo('/from/middle');
  expect([run.status, each.attempts]).toEqual(['failed', 1]);
  broken.delete('/from/push');
  await calls.good('POST', `/v1/runs/${run.id}/retry`, { from: { stepId: 'middle' } });
  const again = await calls.ended(run.id);
  expect(again.status).toBe('completed');
  expect(stepOf(again, 'each')).toEqual(each);
  expect(again.steps.map(({ id }) => id)).toEqual(run.steps.map(({ id }) => id));
  expect(stepOf(again, 'middle').attempts).toBe(1);
  const [, second, ...more] = requestsTo('/from/middle');
  expect(more).toEqual([]);
  expect(second?.body).toBe(first?.body);
  const keyOf = (request: typeof first) => String(request?.headers['idempotency-key']);
  expect(keyOf(second)).toBe(`${keyOf(first)}:restart-1`);
  expect(await calls.good('GET', `/v1/dlq?workflowId=${workflowId}&status=open`)).toMatchObject({ data: [] });
});

test('a retry from a step that was not reached, or stands in a loop, is a CONFLICT and changes nothing', async () => {
  broken.add('/refused/push');
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: '[1]', body: 'note' }, next: 'push' },
    { id: 'note', type: 'action' },
    post('push', '/refused/push', 'after'),
    { id: 'after', type: 'action' },
  ]);
  const run = await calls.ended((await calls.start(workflowId)).id);
  for (const [stepId, message] of [
    ['after', 'This run has not reached after'],
    ['note', 'note stands within each, which a run can begin again at only as a whole'],
    ['gone', 'The definition of this run has no step gone'],
  ]) {
    const answer = await posthorn.request('POST', `/v1/runs/${run.id}/retry`, { from: { stepId } });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', message } } });
  }
  expect(await calls.getRun(run.id)).toEqual(run);
});

test('a retry from a step under the latest definition begins at that step as it is there now', async () => {
  broken.add('/latest/push');
  const steps = [post('first', '/latest/first', 'push'), post('push', '/latest/push')];
  const workflowId = await calls.activate({ type: 'manual' }, steps);
  const run = await calls.ended((await calls.start(workflowId)).id);
  const again = { from: { stepId: 'push' }, definition: 'latest' };
  await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: [post('first', '/latest/first')] });
  expect(await posthorn.request('POST', `/v1/runs/${run.id}/retry`, again)).toMatchObject({
    status: 409,
    body: { error: { message: 'The latest definition has no step push, to which the run has gone on from first' } },
  });
  await calls.good('PATCH', `/v1/workflows/${workflowId}`, {
    steps: [steps[0], { id: 'push', type: 'transform', config: { set: { done: true } } }],
  });
  await calls.good('POST', `/v1/runs/${run.id}/retry`, again);
  const ended = await calls.ended(run.id);
  expect(ended.status).toBe('completed');
  expect(stepOf(ended, 'push')).toMatchObject({ type: 'transform', output: { done: true } });
  expect(requestsTo('/latest/first')).toHaveLength(1);
});
