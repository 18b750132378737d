import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;

/** Responses of external services, by path. */
const answers = new Map<string, (request: ReceivedRequest) => Answer>();
const json =
  (value: unknown): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: (request) => answers.get(request.path)?.(request) ?? 404,
  });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

// Not a URL object, which would encode the braces of a template.
const to = (path: string): string => `${new URL(receiver.url).origin}${path}`;
const requestsTo = (path: string): ReceivedRequest[] => receiver.requests.filter((each) => each.path === path);
type Shown = { eventType: string; payload: unknown };
const messagesIn = async (channelId: string): Promise<Shown[]> =>
  (await calls.good<{ data: Shown[] }>('GET', `/v1/channels/${channelId}/messages?limit=100`)).data;
const endOf = async (workflowId: string, messageId: string): Promise<RunAnswer> => {
  const run = await waitFor('the run', async () =>
    (await calls.runsOf(workflowId)).find(({ trigger }) => trigger.messageId === messageId),
  );
  return calls.ended(run.id);
};

test('big orders go to the CRM with a secret, and people are notified of those that it refuses', async () => {
  const [orders, synced, people] = await Promise.all([calls.channel(), calls.channel(), calls.channel()]);
  await calls.good('POST', '/v1/secrets', { name: 'CRM', value: 'a key of the CRM' });
  answers.set('/deals', ({ body }) =>
    (JSON.parse(body) as { value: number }).value > 5_000 ? 422 : json({ id: 'deal-7' }),
  );
  const workflowId = await calls.activate(
    {
      type: 'event',
      config: { channelId: orders, eventTypes: ['order.created'], filter: 'event.payload.amount >= 1000.0' },
    },
    [
      {
        id: 'crm',
        type: 'action',
        config: {
          action: 'http',
          url: to('/deals'),
          headers: { Authorization: 'Bearer {{ secrets.CRM }}' },
          body: { ref: '{{ event.id }}', value: '{{ event.payload.amount }}' },
          retryPolicy: { maxRetries: 5, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 },
          onError: [{ errors: ['HTTP_4XX'], next: 'alert' }],
        },
        next: 'done',
      },
      {
        id: 'done',
        type: 'action',
        config: {
          action: 'publish',
          channelId: synced,
          eventType: 'crm.synced',
          payload: { deal: '{{ steps.crm.output.body.id }}' },
        },
        next: null,
      },
      {
        id: 'alert',
        type: 'action',
        config: {
          action: 'publish',
          channelId: people,
          eventType: 'crm.rejected',
          payload: { error: '{{ steps.crm.error.message }}' },
        },
      },
    ],
  );

  const small = await calls.publish(orders, { amount: 999.99 });
  const big = await calls.publish(orders, { amount: 1_200.5 });
  const refused = await calls.publish(orders, { amount: 9_000 });
  const ended = await Promise.all([big, refused].map((id) => endOf(workflowId, id)));

  expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect((await calls.runsOf(workflowId)).map(({ trigger }) => trigger.messageId)).not.toContain(small);
  const asked = requestsTo('/deals');
  expect(asked.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
    expect.arrayContaining([
      { ref: big, value: 1_200.5 },
      { ref: refused, value: 9_000 },
    ]),
  );
  expect(asked.map(({ headers }) => headers['authorization'])).toEqual(Array(2).fill('Bearer a key of the CRM'));
  expect(await messagesIn(synced)).toMatchObject([{ eventType: 'crm.synced', payload: { deal: 'deal-7' } }]);
  expect(await messagesIn(people)).toMatchObject([
    { eventType: 'crm.rejected', payload: { error: expect.stringContaining('answered 422') } },
  ]);
});

test('an unpaid invoice goes to collections once a person has agreed, and a paid one does not', async () => {
  const invoices = await calls.channel();
  answers.set('/cases', () => 201);
  const sentOnce = {
    type: 'event',
    config: { eventTypes: ['invoice.sent'], dedupe: { key: 'event.payload.invoiceId', window: '24h' } },
  };
  const workflowId = await calls.activate(sentOnce, [
    {
      id: 'paid',
      type: 'wait_for_event',
      config: {
        eventTypes: ['invoice.paid', 'invoice.voided'],
        match: [{ event: 'event.payload.invoiceId', run: 'event.payload.invoiceId' }],
        timeout: '20s',
        onTimeout: 'continue',
      },
      next: 'check',
    },
    // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
    { id: 'check', type: 'condition', config: { expression: 'steps.paid.output.matched', then: null, else: 'ask' } },
    {
      id: 'ask',
      type: 'approval',
      config: {
        title: 'Send to collections?',
        message: 'Invoice {{ event.payload.invoiceId }}',
        timeout: '3d',
        onTimeout: 'reject',
        approved: 'collect',
        rejected: null,
      },
    },
    {
      id: 'collect',
      type: 'action',
      config: { action: 'http', url: to('/cases'), body: { invoice: '{{ event.payload.invoiceId }}' } },
    },
  ]);
  const sent = (invoiceId: string): Promise<string> => calls.publish(invoices, { invoiceId }, 'invoice.sent');

  const settled = await sent('I-1');
  const unpaid = await sent('I-2');
  const again = await sent('I-2');
  await calls.publish(invoices, { invoiceId: 'I-1' }, 'invoice.paid');
  expect(await endOf(workflowId, again)).toMatchObject({ status: 'skipped' });
  expect(await endOf(workflowId, settled)).toMatchObject({ status: 'completed' });
  const asked = await waitFor('the question', async () => {
    const path = `/v1/approvals?status=open&workflowId=${workflowId}`;
    const { data } = await calls.good<{ data: { runId: string; message: string }[] }>('GET', path);
    return data.length > 0 && data;
  });
  expect(asked).toMatchObject([{ message: 'Invoice I-2' }]);
  await calls.good('POST', `/v1/runs/${asked[0]?.runId}/approve`, { comment: 'as agreed' });
  expect(await endOf(workflowId, unpaid)).toMatchObject({ status: 'completed' });
  expect(requestsTo('/cases').map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ invoice: 'I-2' }]);
});

test('a nightly list is pushed item by item, and those that fail are counted', async () => {
  const people = await calls.channel();
  answers.set('/customers', () => json({ customers: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }));
  answers.set('/customers/a', () => 200);
  answers.set('/customers/b', () => 400);
  answers.set('/customers/c', () => 200);
  const workflowId = await calls.activate(
    { type: 'schedule', config: { cron: '0 2 * * *', timezone: 'Europe/Paris', overlap: 'skip' } },
    [
      { id: 'list', type: 'action', config: { action: 'http', method: 'GET', url: to('/customers') }, next: 'each' },
      {
        id: 'each',
        type: 'foreach',
        config: {
          items: 'steps.list.output.body.customers',
          body: 'push',
          concurrency: 5,
          onItemError: 'continue',
          collect: 'steps.push.output.status',
        },
        next: 'sum',
      },
      {
        id: 'push',
        type: 'action',
        config: { action: 'http', url: to('/customers/{{ item.id }}'), method: 'PUT', body: '{{ item }}' },
      },
      {
        id: 'sum',
        type: 'action',
        config: {
          action: 'publish',
          channelId: people,
          eventType: 'sync.done',
          payload: { failed: '{{ size(steps.each.output.failed) }}' },
        },
      },
    ],
  );
  const schedule = posthorn.temporal.schedule.getHandle(`workflow/${workflowId}`);
  await waitFor('its schedule', () =>
    schedule.trigger().then(
      () => true,
      () => false,
    ),
  );

  const run = await calls.ended((await calls.onlyRun(workflowId)).id);

  expect(run.status).toBe('completed');
  expect(requestsTo('/customers/a').map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ id: 'a' }]);
  expect(await messagesIn(people)).toMatchObject([{ eventType: 'sync.done', payload: { failed: 1 } }]);
});
