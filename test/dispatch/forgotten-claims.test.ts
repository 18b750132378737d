import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

// Two looks are needed, and a look rests two hundred times as long as it took: on a starved machine that is most of a minute.
const RELEASED_WITHIN_MS = 120_000;

let posthorn: TestPosthorn;
let receiver: Receiver;
beforeAll(async () => {
  posthorn = await startPosthorn();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await posthorn.stop();
});

// Old: it was held for as long as the worker lived, for PostgreSQL had gone away between a claim and its answer.
test('a delivery that a worker holds without knowing is given back and sent, once', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
  const { id: messageId } = await publish(posthorn, channelId);
  const { rowCount } = await posthorn.deps.pool.query(
    `UPDATE deliveries SET holder = (SELECT id FROM incarnations LIMIT 1) WHERE message_id = $1`,
    [messageId],
  );
  expect(rowCount).toBe(1);
  await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);

  await waitForDelivery(posthorn, messageId, 'delivered', RELEASED_WITHIN_MS);

  expect(receiver.countOf(messageId)).toBe(1);
});
