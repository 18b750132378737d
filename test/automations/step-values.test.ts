import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const runOf = async (steps: readonly Step[]) => {
  const { id } = await calls.start(await calls.activate({ type: 'manual' }, steps));
  return calls.ended(id);
};

test('a long number stands in a longer text digit for digit', async () => {
  // 9007199254740993 is 2^53 + 1: the JSON of such a value failed, and the step with INTERNAL.
  const steps = [
    {
      id: 'call',
      type: 'action',
      config: { action: 'http', url: `${receiver.url}orders/{{ event.payload.id }}`, body: 'all {{ event.payload }}' },
    },
  ];
  const workflowId = await calls.activate({ type: 'manual' }, steps);
  const payload = '{"payload": {"id": 9007199254740993, "list": [12345678901234567890]}}';
  const { id } = await calls.good<{ id: string }>('POST', `/v1/workflows/${workflowId}/runs`, payload);
  expect((await calls.ended(id)).status).toBe('completed');
  const [request] = receiver.requests;
  expect(request?.path).toBe('/orders/9007199254740993');
  expect(request?.body).toBe('all {"id":9007199254740993,"list":[12345678901234567890]}');
});

test('an action that names no action is kept as it was sent where it is no template, and fails nothing', async () => {
  // Its templates were evaluated: one that was no template failed the run with INTERNAL.
  const config = { note: '{{ oops', sum: '{{ 1 + 1 }}', gone: '{{ event.payload.gone }}', if: 'false', output: '{{ x' };
  const run = await runOf([{ id: 'kept', type: 'action', config }]);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'kept')).toMatchObject({ status: 'completed', output: config });
});

test('output reads the result of its own step, and takes its place', async () => {
  // The definition was refused, because a step does not run before itself.
  const run = await runOf([
    {
      id: 'call',
      type: 'action',
      config: { action: 'http', url: receiver.url, output: { was: '{{ steps.call.output.status }}' } },
    },
    { id: 'note', type: 'action', config: { action: 'log', a: 1, output: '{{ steps.note.output.a + 1 }}' } },
  ]);
  expect(stepOf(run, 'call').output).toEqual({ was: 200 });
  expect(stepOf(run, 'note').output).toBe(2);
});
