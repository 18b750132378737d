import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, type PageJson, publish, waitForDelivery } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { createReceivers } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

const receivers = createReceivers();
afterEach(receivers.end);

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
});
afterAll(() => posthorn.stop());

type AttemptJson = { carrier: string };

const carrierOf = async (messageId: string): Promise<string> => {
  const { id } = await waitForDelivery(posthorn, messageId, 'delivered');
  const { body } = await posthorn.request<PageJson<AttemptJson>>('GET', `/v1/deliveries/${id}/attempts`);
  return body.data[0]?.carrier ?? '';
};

test('a drain that Temporal has given up ends beside the next one, which goes on sending', async () => {
  const receiver = await receivers.start();
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const first = await carrierOf((await publish(posthorn, channelId)).id);
  expect(first).toMatch(/^drain\//);

  // As after a lost heartbeat, or with Temporal's whole store lost: the workflow is over, and its activity learns of it by its next
  // heartbeat, up to some seconds later.
  await posthorn.temporal.workflow.getHandle(first).terminate();
  const second = await waitFor('the next drain', async () => {
    const carrier = await carrierOf((await publish(posthorn, channelId)).id);
    return carrier !== first && carrier;
  });

  // For longer than a heartbeat takes there and back.
  for (let n = 0; n < 25; n += 1) {
    expect(await carrierOf((await publish(posthorn, channelId)).id)).toBe(second);
    await sleep(200);
  }
});
