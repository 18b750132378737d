import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn({ withWorker: true });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Waiting = { count: number; isMore: boolean };

/** How many deliveries of these subscriptions wait, in their order. */
async function waitingOf(...ids: readonly string[]): Promise<Waiting[]> {
  const path = `/v1/stats/subscriptions?subscriptionIds=${ids.join(',')}`;
  const { body } = await posthorn.request<{ subscriptions: { waiting: Waiting }[] }>('GET', path);
  return body.subscriptions.map(({ waiting }) => waiting);
}

async function publish(channelId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await posthorn.request('POST', `/v1/channels/${channelId}/messages`, {
      eventType: 'order.created',
      payload: { n },
    });
}

test('figures of subscriptions say how many deliveries wait, also of a paused one, until they are done', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const { id: other } = await createSubscription(posthorn, {
    channelId: (await createChannel(posthorn)).id,
    webhookUrl: receiver.url,
  });
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'paused' });
  await publish(channelId, 3);
  expect(await waitingOf(other, id)).toEqual([
    { count: 0, isMore: false },
    { count: 3, isMore: false },
  ]);
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'active' });
  // One that is being tried waits no more, and has not arrived yet.
  await waitFor('all have arrived', () => receiver.requests.length === 3);
  await waitFor('none waits', async () => (await waitingOf(id))[0]?.count === 0);
});

test('a delivery that waits for its next try is one of them, in whatever hands it is', async () => {
  receiver.answerWith([(response) => void response.writeHead(500).end()]);
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 5, initialDelay: 3_600_000, maxDelay: 3_600_000 };
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
  await publish(channelId, 1);
  await waitFor('the first try has failed', async () => {
    const { body } = await posthorn.request<{ data: { status: string }[] }>(
      'GET',
      `/v1/deliveries?subscriptionId=${id}&status=retrying`,
    );
    return body.data.length === 1;
  });
  await waitFor('it waits for its next try', async () => (await waitingOf(id))[0]?.count === 1);
});

test('figures say since when every try has failed, within the same hour, until one arrives', async () => {
  type Health = { failingSince?: string; totals: { delivered: number } };
  const healthOf = async (id: string): Promise<Health | undefined> => {
    const path = `/v1/stats/subscriptions?subscriptionIds=${id}`;
    return (await posthorn.request<{ subscriptions: Health[] }>('GET', path)).body.subscriptions[0];
  };
  receiver.answerWith([200]);
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 0 };
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
  await publish(channelId, 1);
  await waitFor('one is counted as delivered', async () => (await healthOf(id))?.totals.delivered === 1);
  expect(await healthOf(id)).not.toHaveProperty('failingSince');
  receiver.answerWith([(response) => void response.writeHead(503).end()]);
  const before = Date.now();
  await publish(channelId, 1);
  await waitFor('it fails', async () => (await healthOf(id))?.failingSince !== undefined);
  expect(Date.parse((await healthOf(id))?.failingSince ?? '')).toBeGreaterThan(before - 60_000);
  receiver.answerWith([200]);
  await publish(channelId, 1);
  await waitFor('one arrives', async () => (await healthOf(id))?.failingSince === undefined);
});

test('the backlog of a channel has nothing of another one, nor of a channel that is not there', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id: other } = await createChannel(posthorn);
  for (const each of [channelId, other]) {
    const { id } = await createSubscription(posthorn, { channelId: each, webhookUrl: receiver.url });
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { status: 'paused' });
  }
  await publish(channelId, 2);
  await publish(other, 1);
  type Left = Record<'pending' | 'retrying' | 'openDeadLetters', Waiting & { oldestAt?: string }>;
  const backlogOf = async (id: string): Promise<Left> =>
    (await posthorn.request<Left>('GET', `/v1/stats/backlog?channelId=${id}`)).body;
  expect(await backlogOf(channelId)).toMatchObject({
    pending: { count: 2, isMore: false, oldestAt: expect.any(String) },
    retrying: { count: 0, isMore: false },
    openDeadLetters: { count: 0, isMore: false },
  });
  expect((await backlogOf(other)).pending.count).toBe(1);
  for (const missing of [`chn_${'0'.repeat(26)}`, 'x'])
    expect((await backlogOf(missing)).pending).toEqual({ count: 0, isMore: false });
});
