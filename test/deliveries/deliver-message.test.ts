import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type DeliveryScene, SCENE_POLICY, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Temporal's view of a delivery that has a workflow from its first try on: outside of bursts.

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await setDeliveryScene('off');
});
afterEach(() => scene.endReceivers());
afterAll(() => scene.end());

// A change between two tries has this long, however slow the machine is.
const ROOMY = { ...SCENE_POLICY, initialDelay: 5_000 };

test('while a delivery waits, Temporal shows the attempt, the last failure and the next time that the record shows', async () => {
  const { channelId } = await scene.subscribed([500], {
    retryPolicy: { ...SCENE_POLICY, initialDelay: 3_600_000, maxDelay: 3_600_000 },
  });

  const message = await publish(scene.posthorn, channelId);

  const delivery = await waitForDelivery(scene.posthorn, message.id, 'retrying');
  const pending = await waitFor('a pending activity that has failed once', async () => {
    const { raw } = await scene.posthorn.temporal.workflow.getHandle(`delivery/${delivery.id}/1`).describe();
    const activity = raw.pendingActivities?.[0];
    return activity?.lastFailure?.message !== undefined && activity;
  });
  expect(pending.lastFailure?.message).toBe('answered 500');
  expect(pending.attempt).toBe(2);
  const next = Number(pending.scheduledTime?.seconds) * 1000 + Number(pending.scheduledTime?.nanos) / 1e6;
  // Up to 30 s of the hour may lie between: Temporal counts from when it hears of the failure.
  expect(Math.abs(next - Date.parse(delivery.nextRetryAt ?? ''))).toBeLessThan(30_000);
});

test('paused between two tries: the next try is held, uses up nothing, and resuming after the delay sends it at once', async () => {
  const { receiver, channelId, subscriptionId } = await scene.subscribed([500, 200], { retryPolicy: ROOMY });
  const message = await publish(scene.posthorn, channelId);
  const retrying = await waitForDelivery(scene.posthorn, message.id, 'retrying');

  await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
  expect(await scene.waitForWorkflow(retrying.id, 1, 'COMPLETED')).toBe('COMPLETED');
  const held = await deliveryOf(scene.posthorn, message.id);
  expect(held).toMatchObject({ status: 'pending', attempts: 1 });
  expect(held).not.toHaveProperty('nextRetryAt');
  expect(receiver.requests).toHaveLength(1);

  await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
  expect(await waitForDelivery(scene.posthorn, message.id, 'delivered')).toMatchObject({ attempts: 2 });
  expect(receiver.requests).toHaveLength(2);
  expect(await scene.workflowStatus(retrying.id, 2)).toBeDefined();
});

test('a delivery held after k tries has just the rest of its policy left', async () => {
  const retryPolicy = { ...ROOMY, maxDelay: 5_000 };
  const { receiver, channelId, subscriptionId } = await scene.subscribed([500], { retryPolicy });
  const message = await publish(scene.posthorn, channelId);
  const retrying = await waitForDelivery(scene.posthorn, message.id, 'retrying');
  await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
  await scene.waitForWorkflow(retrying.id, 1, 'COMPLETED');

  await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);

  expect(await waitForDelivery(scene.posthorn, message.id, 'failed')).toMatchObject({ attempts: 3 });
  expect(receiver.requests).toHaveLength(3);
  const [, second = 0, third = 0] = receiver.requests.map((request) => request.at);
  expect(third - second).toBeGreaterThanOrEqual(5_000);
});

test('cancelling the Temporal workflow makes the delivery a dead letter with that reason and the words of the person', async () => {
  const { channelId, subscriptionId } = await scene.subscribed([500], {
    retryPolicy: { ...SCENE_POLICY, initialDelay: 60_000 },
  });
  const message = await publish(scene.posthorn, channelId);
  const delivery = await waitForDelivery(scene.posthorn, message.id, 'retrying');

  const { temporal } = scene.posthorn;
  // The SDK's handle takes no reason, Temporal's API does.
  await temporal.workflowService.requestCancelWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId: `delivery/${delivery.id}/1` },
    reason: 'the shop is closed',
  });

  expect(await waitForDelivery(scene.posthorn, message.id, 'failed')).toMatchObject({
    attempts: 1,
    reason: 'cancelled',
  });
  const words = 'cancelled in Temporal: the shop is closed; the last try: answered 500';
  expect(await scene.deadLettersOf(subscriptionId)).toMatchObject([
    { reason: 'cancelled', status: 'open', lastError: { class: 'status', status: 500, message: words } },
  ]);
  expect(await scene.waitForWorkflow(delivery.id, 1, 'CANCELLED')).toBe('CANCELLED');
});

test('retrying a delivery that waits for its next try sends it at once in its next round, and the old workflow sends nothing more', async () => {
  const { receiver, channelId } = await scene.subscribed([500, 200], {
    retryPolicy: { ...SCENE_POLICY, initialDelay: 10_000 },
  });
  const message = await publish(scene.posthorn, channelId);
  const delivery = await waitForDelivery(scene.posthorn, message.id, 'retrying');

  expect((await scene.posthorn.request('POST', `/v1/deliveries/${delivery.id}/retry`)).status).toBe(202);

  expect(await waitForDelivery(scene.posthorn, message.id, 'delivered')).toMatchObject({ attempts: 2 });
  expect((await scene.attemptsOf(delivery.id))[0]).toMatchObject({
    number: 2,
    temporalWorkflowId: `delivery/${delivery.id}/2`,
  });
  expect(receiver.requests[1]?.at).toBeLessThan(Date.parse(delivery.nextRetryAt ?? ''));
  expect(await scene.waitForWorkflow(delivery.id, 1, 'COMPLETED')).toBe('COMPLETED');
  expect(receiver.requests).toHaveLength(2);
});

test('deleting a subscription ends its unfinished deliveries without a dead letter, and nothing more is sent', async () => {
  const { receiver, channelId, subscriptionId } = await scene.subscribed([500], { retryPolicy: ROOMY });
  const message = await publish(scene.posthorn, channelId);
  const delivery = await waitForDelivery(scene.posthorn, message.id, 'retrying');

  expect((await scene.posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`)).status).toBe(204);

  expect(await deliveryOf(scene.posthorn, message.id)).toMatchObject({
    status: 'failed',
    reason: 'subscription_deleted',
  });
  expect(await scene.waitForWorkflow(delivery.id, 1, 'COMPLETED')).toBe('COMPLETED');
  expect(receiver.requests).toHaveLength(1);
  expect(await scene.deadLettersOf(subscriptionId)).toEqual([]);
});
