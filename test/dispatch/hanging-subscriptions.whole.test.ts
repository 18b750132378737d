import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

/**
 * Many subscriptions whose receiver hangs, and one whose receiver answers. Old mechanism: deliveries for the slow ones, a few of each,
 * filled the read-ahead and the claims, and nobody else was sent to until their circuits opened.
 */
const receivers = createReceivers();
const BATCHES = 2;
// None of the slow ones has come to its end by then, whatever the machine is busy with.
const HANGS_FOR_MS = 30_000;

let posthorn: TestPosthorn | undefined;
afterEach(async () => {
  await receivers.end();
  await posthorn?.stop();
  posthorn = undefined;
});

async function crowded(threshold: string, subscriptions: number) {
  const service = await startPosthorn({ withWorker: false, variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  posthorn = service;
  const answering = await receivers.start();
  const hanging = await receivers.start({ answer: () => () => undefined });
  const [near, crowd] = [await createChannel(service), await createChannel(service)];
  await createSubscription(service, { channelId: near.id, webhookUrl: answering.url });
  for (let index = 0; index < subscriptions; index += 1)
    await createSubscription(service, { channelId: crowd.id, webhookUrl: hanging.url, timeoutMs: HANGS_FOR_MS });
  // Longer than the API takes: none of them comes to its end during the test, however slow the machine is.
  await service.deps.pool.query('UPDATE subscriptions SET timeout_ms = 300000 WHERE channel_id = $1', [crowd.id]);
  const attempted = async (): Promise<number> => {
    const list = await service.request<{ data: unknown[] }>(
      'GET',
      `/v1/deliveries?channelId=${crowd.id}&status=retrying`,
    );
    return list.body.data.length;
  };
  return { service, hanging, near: near.id, crowd: crowd.id, attempted };
}

describe.each([
  ['off', 20],
  ['100', 40],
  ['0', 40],
])('with DELIVERY_BURST_THRESHOLD %s, %i subscriptions that hang do not hold up the next one', (threshold, count) => {
  test('whose messages come while they hang', async () => {
    const { service, hanging, near, crowd, attempted } = await crowded(threshold, count);
    await service.worker.start();
    for (let batch = 0; batch < BATCHES; batch += 1) await publishBatch(service, crowd, 100);
    await waitFor('each of them to have a request', () => hanging.requests.length >= count, 60_000);

    for (let message = 0; message < 5; message += 1) {
      const { id } = await publish(service, near);
      await waitForDelivery(service, id, 'delivered');
    }

    expect(await attempted()).toBe(0);
  });

  test('whose messages wait with theirs when a worker comes', async () => {
    const { service, near, crowd, attempted } = await crowded(threshold, count);
    for (let batch = 0; batch < BATCHES; batch += 1) await publishBatch(service, crowd, 100);
    const messages = await publishBatch(service, near, 5);

    await service.worker.start();
    for (const id of messages) await waitForDelivery(service, id, 'delivered');

    expect(await attempted()).toBe(0);
  });
});
