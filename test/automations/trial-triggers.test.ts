import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Trial = { begins: { wouldBegin: boolean; reason: string; detail?: string }; status: string; steps: object[] };
const tryIt = (workflowId: string, body: object): Promise<Trial> =>
  calls.good('POST', `/v1/workflows/${workflowId}/test`, body);

// The old mechanism: the trigger was not asked, and a message that begins no run was tried as if it did.
test('a trial says whether its trigger would take the event, and takes the steps in any case', async () => {
  const [channelId, otherId] = [await calls.channel(), await calls.channel()];
  const { id: webhookId } = await calls.good<{ id: string }>('POST', '/v1/webhooks', {
    name: 'shop',
    channelId,
    provider: 'github',
    secrets: ['a secret that both sides know'],
  });
  const event = { type: 'event', config: { channelId, eventTypes: ['order.*'], filter: 'event.payload.total > 100' } };
  const webhook = { type: 'webhook', config: { webhookId, eventTypes: ['order.*'] } };
  const large = { total: 250 };
  const cases: [trigger: object | undefined, event: object, begins: object][] = [
    [event, { channelId, eventType: 'order.paid', payload: large }, { wouldBegin: true, reason: 'filter_matches' }],
    [event, { payload: large }, { wouldBegin: true, reason: 'filter_matches' }],
    [
      event,
      { channelId, eventType: 'order.paid', payload: { total: 7 } },
      { wouldBegin: false, reason: 'filter_does_not_match' },
    ],
    [
      event,
      { channelId, eventType: 'order.paid' },
      { wouldBegin: false, reason: 'filter_failed', detail: expect.stringContaining('total') },
    ],
    [
      event,
      { channelId, eventType: 'invoice.paid', payload: large },
      { wouldBegin: false, reason: 'event_type', detail: 'begins with order.*' },
    ],
    [
      event,
      { channelId: otherId, eventType: 'order.paid', payload: large },
      { wouldBegin: false, reason: 'channel', detail: `begins with messages of ${channelId}` },
    ],
    [{ type: 'event', config: {} }, { channelId: otherId }, { wouldBegin: true, reason: 'no_filter' }],
    [webhook, { metadata: { webhookId }, eventType: 'order.paid' }, { wouldBegin: true, reason: 'no_filter' }],
    [webhook, { eventType: 'order.paid' }, { wouldBegin: true, reason: 'no_filter' }],
    [
      webhook,
      { metadata: {}, eventType: 'order.paid' },
      { wouldBegin: false, reason: 'webhook', detail: `begins with messages of ${webhookId}` },
    ],
    [{ type: 'manual' }, {}, { wouldBegin: false, reason: 'trigger_type', detail: 'begins by hand' }],
    [undefined, {}, { wouldBegin: false, reason: 'trigger_type', detail: 'begins by hand' }],
    [
      { type: 'schedule', config: { every: '1h' } },
      {},
      { wouldBegin: false, reason: 'trigger_type', detail: 'begins at set times' },
    ],
  ];
  for (const [trigger, given, begins] of cases) {
    const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
    const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'asked', trigger, steps });
    const trial = await tryIt(id, { event: given });
    expect([trigger, given, trial.begins]).toEqual([trigger, given, begins]);
    expect(trial).toMatchObject({ status: 'completed', steps: [{ id: 'note', status: 'completed' }] });
  }
});

test('a trial answers of its trigger as publishing does: the same messages begin runs', async () => {
  const channelId = await calls.channel();
  const trigger = {
    type: 'event',
    config: { channelId, eventTypes: ['order.*'], filter: 'event.payload.total > 100' },
  };
  const workflowId = await calls.activate(trigger, [{ id: 'note', type: 'action', config: { action: 'log' } }]);
  const messages = [
    { eventType: 'order.paid', payload: { total: 101 } },
    { eventType: 'order.paid', payload: { total: 100 } },
    { eventType: 'order.paid', payload: { total: 'many' } },
    { eventType: 'orders', payload: { total: 101 } },
  ];
  const tried: boolean[] = [];
  const begun: boolean[] = [];
  for (const { eventType, payload } of messages) {
    tried.push((await tryIt(workflowId, { event: { channelId, eventType, payload } })).begins.wouldBegin);
    const messageId = await calls.publish(channelId, payload, eventType);
    const { data } = await calls.good<{ data: unknown[] }>('GET', `/v1/runs?messageId=${messageId}`);
    begun.push(data.length > 0);
  }
  expect(tried).toEqual(begun);
  expect(tried).toEqual([true, false, false, false]);
});

test('a trial refuses an event type under which nothing can be published, in the words of a publish', async () => {
  const channelId = await calls.channel();
  const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
  const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'asked', steps });
  const event = { eventType: 'order.*', payload: {} };
  type Refusal = { error: { details: { field: string; reason: string } } };
  const published = await posthorn.request<Refusal>('POST', `/v1/channels/${channelId}/messages`, event);
  const tried = await posthorn.request<Refusal>('POST', `/v1/workflows/${id}/test`, { event });
  const { field, reason } = published.body.error.details;
  expect([tried.status, tried.body.error.details]).toEqual([400, { field: `event.${field}`, reason }]);
});
