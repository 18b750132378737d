import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stepOf, ways, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

test('the first workflow of the specification is created and activated, and a message runs its two steps', async () => {
  const channelId = await calls.channel();
  const workflowId = await calls.activate({ type: 'event', config: {} }, [
    { id: 'first', type: 'action', config: { foo: 1 }, next: 'second' },
    { id: 'second', type: 'action', config: { foo: 1 }, next: null },
  ]);
  const messageId = await calls.publish(channelId);
  const { id } = await calls.onlyRun(workflowId);
  const run = await calls.ended(id);
  expect(run).toMatchObject({ status: 'completed', workflowId, trigger: { type: 'event', messageId } });
  expect(run.steps.map((step) => [step.id, step.status, step.output])).toEqual([
    ['first', 'completed', { foo: 1 }],
    ['second', 'completed', { foo: 1 }],
  ]);
  await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
});

test('conditions, switches, filters and transforms choose the way and hand values on', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'sum',
      type: 'transform',
      config: { set: { total: '{{ event.payload.amount * 2 }}' }, assign: { who: '{{ event.payload.name }}' } },
      next: 'large',
    },
    {
      id: 'large',
      type: 'condition',
      config: ways('steps.sum.output.total > 100', 'kind', 'small'),
    },
    {
      id: 'kind',
      type: 'switch',
      config: { cases: [{ when: 'vars.who == "Ada"', next: 'ada' }], default: 'small' },
    },
    { id: 'ada', type: 'action', config: { text: 'hello {{ vars.who }}' }, next: 'only' },
    { id: 'only', type: 'filter', config: { expression: 'false' }, next: 'small' },
    { id: 'small', type: 'action', config: {} },
  ]);
  const { id } = await calls.start(workflowId, { amount: 60, name: 'Ada' });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(run.steps.map((step) => [step.id, step.output])).toEqual([
    ['sum', { total: 120 }],
    ['large', { result: true }],
    ['kind', { case: 0 }],
    ['ada', { text: 'hello Ada' }],
    ['only', { passed: false }],
  ]);
  expect(stepOf(run, 'ada').attempts).toBe(1);
});
