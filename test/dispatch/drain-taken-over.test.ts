import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { publish, waitForDelivery } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await setDeliveryScene('0');
});
afterEach(() => scene.endReceivers());
afterAll(() => scene.end());

/** Publishes a message; the Temporal workflow that has delivered it. */
const carrierOfNext = async (channelId: string): Promise<string> => {
  const { id: messageId } = await publish(scene.posthorn, channelId);
  const { id } = await waitForDelivery(scene.posthorn, messageId, 'delivered');
  return (await scene.attemptsOf(id))[0]?.carrier ?? '';
};

test('a drain that Temporal has given up ends beside the next one, which goes on sending', async () => {
  const { channelId } = await scene.subscribed([200]);
  const first = await carrierOfNext(channelId);
  expect(first).toMatch(/^drain\//);

  // As after a lost heartbeat, or with Temporal's whole store lost: the workflow is over, and its activity learns of it by its next
  // heartbeat, up to some seconds later.
  await scene.posthorn.temporal.workflow.getHandle(first).terminate();
  const second = await waitFor('the next drain', async () => {
    const carrier = await carrierOfNext(channelId);
    return carrier !== first && carrier;
  });

  // For longer than a heartbeat takes there and back.
  for (let n = 0; n < 25; n += 1) {
    const carrier = await carrierOfNext(channelId);
    expect(carrier).not.toBe(first);
    // A stall longer than a heartbeat's timeout begins another drain; the second never ends by itself.
    if (carrier !== second) {
      const { status } = await scene.posthorn.temporal.workflow.getHandle(second).describe();
      expect(status.name).not.toBe('COMPLETED');
    }
    await sleep(200);
  }
});
