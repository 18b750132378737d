import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createSubscription } from '../support/make/factories.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { type RunAnswer, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let system: string;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({ answer: () => 500 });
  system = await systemChannelOf(posthorn);
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const stop = { id: 'stop', type: 'end', config: { status: 'failed' } };
const note = (text: unknown) => [{ id: 'note', type: 'action', config: { action: 'log', text } }];
const failed = async (workflowId: string, payload: unknown = {}): Promise<RunAnswer> => {
  const run = await calls.ended((await calls.start(workflowId, payload)).id);
  expect(run.status).toBe('failed');
  return run;
};
const wouldBegin = async (workflowId: string, event: object) =>
  (await calls.good<{ begins: object }>('POST', `/v1/workflows/${workflowId}/test`, { event })).begins;

// Old: such a workflow was valid and active, its trial said that it would begin, and no service event ever began it.
test('a failed run begins the workflows whose trigger names the channel or the type of its event, as their trials say', async () => {
  const failing = await calls.activate({ type: 'manual' }, [stop]);
  const event = { channelId: system, eventType: 'run.failed', payload: { workflowId: failing } };
  const filter = `payload.workflowId == "${failing}"`;
  const cases: [config: object, begins: boolean][] = [
    [{ channelId: system, eventTypes: ['run.failed'], filter }, true],
    [{ channelId: system, filter }, true],
    [{ eventTypes: ['run.*'], filter }, true],
    [{ channelId: system, eventTypes: ['delivery.*'], filter }, false],
    [{ channelId: system, filter: `payload.workflowId == "another"` }, false],
    [{ channelId: await calls.channel(), filter }, false],
    // It takes the messages of publishers alone.
    [{ filter }, false],
  ];
  const workflows = [];
  for (const [config, begins] of cases) {
    const id = await calls.activate({ type: 'event', config }, note('{{ event.payload.runId }}'));
    expect([config, await wouldBegin(id, event)]).toEqual([config, expect.objectContaining({ wouldBegin: begins })]);
    workflows.push({ id, begins });
  }
  const run = await failed(failing);
  for (const { id } of workflows.filter(({ begins }) => begins)) {
    const begun = await calls.ended((await calls.onlyRun(id)).id);
    expect(begun).toMatchObject({ status: 'completed', trigger: { type: 'event', channelId: system } });
    expect(stepOf(begun, 'note').output).toMatchObject({ text: run.id });
  }
  // All are begun in one transaction.
  for (const { id, begins } of workflows) expect(await calls.runsOf(id)).toHaveLength(begins ? 1 : 0);

  for (const { id } of workflows) await calls.good('POST', `/v1/workflows/${id}/pause`);
  await failed(failing);
  await waitFor('all service events to be decided on', async () => {
    const { rows } = await posthorn.deps.pool.query('SELECT FROM heard_messages');
    return rows.length === 0;
  });
  for (const { id, begins } of workflows) expect(await calls.runsOf(id)).toHaveLength(begins ? 1 : 0);
});

test('a delivery that is given up begins a workflow', async () => {
  const channelId = await calls.channel();
  const subscription = await createSubscription(posthorn, {
    channelId,
    webhookUrl: receiver.url,
    retryPolicy: { maxRetries: 0 },
  });
  const workflowId = await calls.activate(
    {
      type: 'event',
      config: { channelId: system, eventTypes: ['delivery.exhausted'], filter: `payload.channelId == "${channelId}"` },
    },
    note('{{ event.payload.subscriptionId }} {{ event.payload.reason }}'),
  );
  await calls.publish(channelId);
  const run = await calls.ended((await calls.onlyRun(workflowId)).id);
  expect(stepOf(run, 'note').output).toMatchObject({ text: `${subscription.id} exhausted` });
});

test('a run waits for a service event', async () => {
  const failing = await calls.activate({ type: 'manual' }, [stop]);
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'told',
      type: 'wait_for_event',
      config: { channelIds: [system], eventTypes: ['run.failed'], filter: `payload.workflowId == "${failing}"` },
    },
  ]);
  const waiting = await calls.start(workflowId);
  await waitFor('the run to wait', async () => (await calls.getRun(waiting.id)).status === 'waiting');
  const { id: runId } = await failed(failing);
  const run = await calls.ended(waiting.id);
  expect(stepOf(run, 'told').output).toMatchObject({ matched: true, event: { payload: { runId } } });
});

const endOfChain =
  'the chain of runs before it is too long: a service event counts as 4 of the 10 runs that may stand one below the other';

test('a workflow that is begun by its own failure ends with a skipped run, which says why', async () => {
  const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'circle', steps: [stop] });
  const config = { eventTypes: ['run.failed'], filter: `payload.workflowId == "${id}"` };
  await calls.good('PATCH', `/v1/workflows/${id}`, { trigger: { type: 'event', config } });
  await calls.good('POST', `/v1/workflows/${id}/activate`);
  await failed(id);
  const skipped = await waitFor('the end of the chain', async () =>
    (await calls.runsOf(id)).find(({ status }) => status === 'skipped'),
  );
  expect(skipped.reason).toBe(endOfChain);
  // The first one was begun by hand, and two by failures.
  const statuses = (await calls.runsOf(id)).map(({ status }) => status);
  expect(statuses).toEqual(['skipped', 'failed', 'failed', 'failed']);
});

test('a workflow whose own message is given up, and begins it again, ends so too', async () => {
  const channelId = await calls.channel();
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } });
  const config = {
    channelId: system,
    eventTypes: ['delivery.exhausted'],
    filter: `payload.channelId == "${channelId}"`,
  };
  const id = await calls.activate({ type: 'event', config }, [
    { id: 'again', type: 'action', config: { action: 'publish', channelId, eventType: 'order.created', payload: {} } },
  ]);
  await calls.publish(channelId);
  const skipped = await waitFor('the end of the chain', async () =>
    (await calls.runsOf(id)).find(({ status }) => status === 'skipped'),
  );
  expect(skipped.reason).toBe(endOfChain);
  const runs = await Promise.all((await calls.runsOf(id)).map((run) => calls.ended(run.id)));
  expect(runs.map(({ status }) => status)).toEqual(['skipped', 'completed', 'completed']);
});
