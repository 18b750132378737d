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

test('a number with a fraction is a double in what a step keeps and sends', async () => {
  receiver.answerWith([
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"price": 12.50}'),
  ]);
  const call = { action: 'http', url: receiver.url, body: { total: '{{ event.payload.total }}' } };
  const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'call', type: 'action', config: call }]);
  const { id } = await calls.good<{ id: string }>(
    'POST',
    `/v1/workflows/${workflowId}/runs`,
    '{"payload":{"total":12.50}}',
  );
  const run = await calls.ended(id);
  receiver.answerWith([200]);
  expect(receiver.requests.at(-1)?.body).toBe('{"total":12.5}');
  expect(stepOf(run, 'call').output).toMatchObject({ body: { price: 12.5 } });
  const key = { authorization: `Bearer ${posthorn.keys.live}` };
  expect(await (await fetch(`${posthorn.url}/v1/runs/${id}`, { headers: key })).text()).toContain(
    '"body":{"price":12.5}',
  );
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

test('a step, a branch, a variable and a member may be called constructor', async () => {
  // The library tells a map by its constructor: every expression over such a map failed, and a map that one wrote lost the member.
  const log = (id: string, text: unknown, next?: string) => ({
    id,
    type: 'action',
    config: { action: 'log', text },
    ...(next !== undefined && { next }),
  });
  const run = await runOf([
    log('constructor', 'first', 'vars'),
    {
      id: 'vars',
      type: 'transform',
      config: {
        set: { constructor: 6 },
        assign: { constructor: 6, a: 1 },
        output: '{{ steps.vars.output.constructor }}',
      },
      next: 'both',
    },
    { id: 'both', type: 'parallel', config: { branches: ['prototype', 'valueOf'] }, next: 'each' },
    log('prototype', 'left'),
    log('valueOf', 'right'),
    {
      id: 'each',
      type: 'foreach',
      config: {
        items: '[1, 2]',
        body: 'toString',
        collect: '{"constructor": item, "prototype": steps.toString.output.text}',
      },
      next: 'sum',
    },
    log('toString', '{{ item }}'),
    {
      id: 'sum',
      type: 'transform',
      config: {
        set: {
          step: '{{ steps.constructor.output.text }}',
          own: '{{ steps.vars.output }}',
          vars: '{{ vars.a + vars.constructor }}',
          branches: '{{ steps.both.output.prototype.text + steps.both.output.valueOf.text }}',
          items: '{{ steps.each.output.results }}',
          map: '{{ {"constructor": 1, "a": 2} }}',
        },
      },
    },
  ]);
  expect(run).toMatchObject({ status: 'completed' });
  expect(stepOf(run, 'sum').output).toEqual({
    step: 'first',
    own: 6,
    vars: 7,
    branches: 'leftright',
    items: [
      { constructor: 1, prototype: 1 },
      { constructor: 2, prototype: 2 },
    ],
    map: { constructor: 1, a: 2 },
  });
});

test('a branch called constructor is read like any other', async () => {
  const run = await runOf([
    { id: 'both', type: 'parallel', config: { branches: ['constructor', 'other'] }, next: 'note' },
    { id: 'constructor', type: 'action', config: { action: 'log', text: 'left' } },
    { id: 'other', type: 'action', config: { action: 'log', text: 'right' } },
    {
      id: 'note',
      type: 'action',
      config: { action: 'log', text: '{{ steps.both.output.constructor.text + steps.both.output.other.text }}' },
    },
  ]);
  expect(run).toMatchObject({ status: 'completed' });
  expect(stepOf(run, 'note').output).toMatchObject({ text: 'leftright' });
});
