import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { github, inboundCalls } from '../support/make/inbound-calls.ts';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;
let inbound: ReturnType<typeof inboundCalls>;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn();
  inbound = inboundCalls(posthorn);
  calls = workflowCalls(posthorn);
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

// The form of GitHub's push events, cut to the parts that a workflow would read.
const PUSH = JSON.stringify({
  ref: 'refs/heads/main',
  after: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
  repository: { id: 1_296_269, full_name: 'octocat/Hello-World' },
  head_commit: { message: 'Fix all the bugs', author: { name: 'Monalisa Octocat' } },
});

const tell = (path: string): Step => ({
  id: 'tell',
  type: 'action',
  config: {
    action: 'http',
    url: new URL(path, receiver.url).href,
    body: { text: '{{ event.payload.head_commit.author.name }} pushed to {{ event.payload.repository.full_name }}' },
  },
});

test('a signed request of GitHub’s becomes a message, begins a run and calls an http step', async () => {
  const { webhook, channelId } = await inbound.makeWebhook();
  const workflowId = await calls.activate(
    { type: 'webhook', config: { webhookId: webhook.id, filter: 'payload.ref == "refs/heads/main"' } },
    [tell('/pushes')],
  );

  const { body } = await inbound.send(webhook.id, PUSH, github(PUSH, 'push-1'));

  const run = await calls.ended((await calls.onlyRun(workflowId)).id);
  expect(run).toMatchObject({
    status: 'completed',
    trigger: { type: 'webhook', messageId: body.messageId, channelId },
  });
  const [request, ...more] = receiver.requests.filter(({ path }) => path === '/pushes');
  expect(more).toEqual([]);
  expect(JSON.parse(request?.body ?? '')).toEqual({ text: 'Monalisa Octocat pushed to octocat/Hello-World' });
  expect(stepOf(run, 'tell').output).toMatchObject({ status: 200 });
});

test.each([
  ['NUL', String.raw`"\u0000"`, 'completed'],
  ['half of a surrogate pair', String.raw`"\ud83d"`, 'completed'],
  ['a number beyond a double', '1e400', 'failed'],
  ['a prototype', '{"__proto__":{"a":1}}', 'completed'],
  ['300 KiB, of which an output has too many', `"${'x'.repeat(300_000)}"`, 'failed'],
])('a run that hands on what no publisher may send ends: %s', async (_, value, status) => {
  const { webhook } = await inbound.makeWebhook();
  const workflowId = await calls.activate({ type: 'webhook', config: { webhookId: webhook.id } }, [
    {
      id: 'made',
      type: 'transform',
      config: { output: { whole: '{{ event.payload }}', text: 'is {{ event.payload.a }}' } },
    },
    { id: 'note', type: 'action', config: { action: 'log', text: '{{ steps.made.output.text }}' } },
    {
      ...tell('/odd'),
      config: { action: 'http', url: new URL('/odd', receiver.url).href, body: { a: '{{ event.payload.a }}' } },
    },
  ]);
  const body = `{"a":${value}}`;
  expect((await inbound.send(webhook.id, body, github(body, 'odd'))).status).toBe(200);
  const run = await calls.ended((await calls.onlyRun(workflowId)).id);
  expect(run.status).toBe(status);
});

test('messages of another webhook, of publishers, of other types and beyond the filter begin nothing', async () => {
  const { webhook, channelId } = await inbound.makeWebhook();
  const { id: otherId } = await inbound.make('/v1/webhooks', {
    name: 'other',
    channelId,
    provider: 'github',
    secrets: ['a secret that both sides know'],
  });
  const trigger = { webhookId: webhook.id, eventTypes: ['push'], filter: 'payload.ref == "refs/heads/main"' };
  const workflowId = await calls.activate({ type: 'webhook', config: trigger }, [
    { id: 'note', type: 'action', config: {} },
  ]);
  const side = PUSH.replace('heads/main', 'heads/side');

  await calls.publish(channelId, JSON.parse(PUSH), 'push');
  await inbound.send(otherId, PUSH, github(PUSH, 'other'));
  await inbound.send(webhook.id, side, github(side, 'side'));
  await inbound.send(webhook.id, PUSH, { ...github(PUSH, 'ping'), 'x-github-event': 'issues' });
  const { body } = await inbound.send(webhook.id, PUSH, github(PUSH, 'last'));

  // Runs are stored with their messages: the last one's is there once it is answered, and so would the others' be.
  const runs = await calls.runsOf(workflowId);
  expect(runs.map(({ trigger: { messageId } }) => messageId)).toEqual([body.messageId]);
});

test('a repeated event begins one run', async () => {
  const { webhook } = await inbound.makeWebhook();
  const workflowId = await calls.activate({ type: 'webhook', config: { webhookId: webhook.id } }, [
    { id: 'note', type: 'action', config: {} },
  ]);
  await inbound.send(webhook.id, PUSH, github(PUSH, 'again'));
  await inbound.send(webhook.id, PUSH, github(PUSH, 'again'));
  expect(await calls.runsOf(workflowId)).toHaveLength(1);
});

test('an unknown webhook is refused when the workflow is written', async () => {
  const answer = await posthorn.request('POST', '/v1/workflows', {
    name: 'wrong',
    trigger: { type: 'webhook', config: { webhookId: 'whk_00000000000000000000000000' } },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error: { details: { field: 'trigger.config.webhookId', reason: 'no such webhook in this environment' } },
    },
  });
});
