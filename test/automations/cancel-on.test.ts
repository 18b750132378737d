import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let orders: string;
let others: string;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  orders = await calls.channel();
  others = await calls.channel();
});
afterAll(() => posthorn.stop());

let number = 0;
const newOrder = (): string => `O-${(number += 1)}`;
const OF_THE_ORDER = [{ event: 'event.payload.order', run: 'event.payload.order' }];
const placed = (config: object = {}) => ({
  type: 'event',
  config: {
    channelId: orders,
    eventTypes: ['order.placed'],
    cancelOn: [{ eventTypes: ['order.cancelled', 'order.refunded'], match: OF_THE_ORDER }],
    ...config,
  },
});
const wait: Step = { id: 'wait', type: 'delay', config: { for: '1h' } };
const note: Step = { id: 'note', type: 'action', config: { action: 'log', text: 'noted' } };

const place = (order: string): Promise<string> => calls.publish(orders, { order }, 'order.placed');
const waiting = (id: string): Promise<RunAnswer> =>
  waitFor('the run to wait', async () => {
    const run = await calls.getRun(id);
    return run.status === 'waiting' && run;
  });

test('a message cancels the runs of its order, whatever they wait for, and no others', async () => {
  const [mine, another] = [newOrder(), newOrder()];
  const workflowId = await calls.activate(placed(), [note, wait]);
  await place(mine);
  const run = await waiting((await calls.onlyRun(workflowId)).id);
  await place(another);
  const messageId = await calls.publish(others, { order: mine }, 'order.cancelled');
  const cancelled = await calls.ended(run.id);
  expect(cancelled).toMatchObject({ status: 'cancelled', reason: `cancelled by the message ${messageId}` });
  expect(stepOf(cancelled, 'note').status).toBe('completed');
  expect(stepOf(cancelled, 'wait').status).toBe('cancelled');
  const left = await waitFor('the run of the other order to wait', async () =>
    (await calls.runsOf(workflowId)).find(({ id, status }) => id !== run.id && status === 'waiting'),
  );
  await calls.publish(others, { order: 'none', item: another }, 'order.cancelled');
  await calls.publish(others, { item: another }, 'order.cancelled');
  await calls.publish(others, { order: another }, 'order.shipped');
  await waitFor('the notes to be read', async () => {
    const { rowCount } = await posthorn.deps.pool.query('SELECT FROM heard_messages');
    return rowCount === 0;
  });
  expect((await calls.getRun(left.id)).status).toBe('waiting');
});

test('a message that came before the run could begin cancels it before its first step', async () => {
  const order = newOrder();
  const workflowId = await calls.activate(placed(), [note, wait]);
  // One request for both: the run begins behind them.
  await calls.good('POST', '/v1/messages/batch', {
    messages: [
      { channelId: orders, eventType: 'order.placed', payload: { order } },
      { channelId: orders, eventType: 'order.refunded', payload: { order } },
    ],
  });
  const run = await calls.ended((await calls.onlyRun(workflowId)).id);
  expect(run).toMatchObject({ status: 'cancelled', steps: [] });
  expect(run.reason).toMatch(/^cancelled by the message msg_/);
});

test('a run that is retried is not cancelled by the same entry again', async () => {
  const order = newOrder();
  const workflowId = await calls.activate(placed(), [note, wait]);
  await place(order);
  const { id } = await waiting((await calls.onlyRun(workflowId)).id);
  await calls.publish(orders, { order }, 'order.cancelled');
  await calls.ended(id);
  await calls.good('POST', `/v1/runs/${id}/retry`);
  await waiting(id);
  await calls.publish(orders, { order }, 'order.refunded');
  await waitFor('the note to be read', async () => {
    const { rowCount } = await posthorn.deps.pool.query('SELECT FROM heard_messages');
    return rowCount === 0;
  });
  expect((await calls.getRun(id)).status).toBe('waiting');
});

test('a message cancels a run rather than ending a wait of it', async () => {
  const order = newOrder();
  const heard = { id: 'heard', type: 'wait_for_event', config: { eventTypes: ['order.*'], match: OF_THE_ORDER } };
  const workflowId = await calls.activate(placed(), [heard, note]);
  await place(order);
  const { id } = await waiting((await calls.onlyRun(workflowId)).id);
  await calls.publish(orders, { order }, 'order.cancelled');
  expect(await calls.ended(id)).toMatchObject({ status: 'cancelled' });
});

test('a run that lacks the value is cancelled by nothing', async () => {
  const workflowId = await calls.activate(placed(), [wait]);
  await calls.publish(orders, { item: 1 }, 'order.placed');
  const { id } = await waiting((await calls.onlyRun(workflowId)).id);
  const watches = await posthorn.deps.pool.query('SELECT FROM run_waits WHERE run_id = $1', [id]);
  expect(watches.rowCount).toBe(0);
});

test.each([
  [{ cancelOn: [] }, 'trigger.config.cancelOn', /must not be empty/],
  [
    { cancelOn: [{ eventTypes: [], match: OF_THE_ORDER }] },
    'trigger.config.cancelOn[0].eventTypes',
    /must not be empty/,
  ],
  [{ cancelOn: [{ eventTypes: ['a'], match: [] }] }, 'trigger.config.cancelOn[0].match', /must not be empty/],
  [
    { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'run.id', run: 'run.id' }] }] },
    'trigger.config.cancelOn[0].match[0].event',
    /reads the event that arrives, and nothing of the run: run/,
  ],
  [
    { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'event.id', run: 'steps.note.output' }] }] },
    'trigger.config.cancelOn[0].match[0].run',
    /is asked before the first step, and reads none: steps/,
  ],
  [
    { cancelOn: [{ eventTypes: ['a'], match: [{ event: 'evnt.id', run: 'event.id' }] }] },
    'trigger.config.cancelOn[0].match[0].event',
    /evnt/,
  ],
])('%j is refused', async (config, field, reason) => {
  const { status, body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
    'POST',
    '/v1/workflows',
    { name: 'refused', trigger: placed(config), steps: [note] },
  );
  expect([status, body.error.details.field]).toEqual([400, field]);
  expect(body.error.details.reason).toMatch(reason);
});
