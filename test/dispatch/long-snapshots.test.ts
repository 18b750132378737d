import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { openLongSnapshot, pagesRead } from '../support/world/long-snapshot.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// A worker polls twice a second, both lanes, and does its chores: 12 pages a second were seen.
const PAGES_A_SECOND = 200;
const WINDOW_MS = 3_000;

let posthorn: TestPosthorn;
let receiver: Receiver;
let closeSnapshot: () => Promise<void>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  receiver = await startReceiver();
  closeSnapshot = await openLongSnapshot(posthorn);
  await posthorn.worker.start();
});
afterAll(async () => {
  await closeSnapshot();
  await receiver.close();
  await posthorn.stop();
});

// Old: it read 90,000 pages a second, walking twice a second over everything that had been finished since the snapshot and over
// every subscription that was paused.
test('an idle worker reads next to nothing, however much was finished under an open snapshot and however many are paused', async () => {
  // The worker looks everywhere at its beginning and every 30 s: this window lies between two of those looks.
  await waitFor('three idle seconds', async () => {
    const [before, startedAt] = [await pagesRead(posthorn.deps.pool), performance.now()];
    await sleep(WINDOW_MS);
    const seconds = (performance.now() - startedAt) / 1_000;
    return ((await pagesRead(posthorn.deps.pool)) - before) / seconds < PAGES_A_SECOND;
  });
});

test('deliveries that waited for a resume are sent beside thousands that stay paused, and none of the paused ones', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
  const message = await publish(posthorn, channelId);
  // Longer than the worker looks back.
  await sleep(WINDOW_MS);
  expect(receiver.requests).toHaveLength(0);

  await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);

  await waitForDelivery(posthorn, message.id, 'delivered');
  const { rows } = await posthorn.deps.pool.query(
    `SELECT DISTINCT d.status, d.holder, d.carrier FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
     WHERE s.status = 'paused'`,
  );
  expect(rows).toEqual([{ status: 'pending', holder: null, carrier: null }]);
  expect(receiver.requests).toHaveLength(1);
});
