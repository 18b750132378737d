import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { reconcilerScheduleId, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  deliveryOf,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// An hour until the next try: whatever moves a delivery in these tests is the reconciler.
const SLOW = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000, backoffMultiplier: 1 };

let posthorn: TestPosthorn;
let passes = 0;
const receivers = createReceivers();

beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

/** A delivery that has failed once and waits an hour, and one of another subscription in the same state. */
async function waiting(): Promise<{ receiver: Receiver; messageId: string; delivery: DeliveryJson }> {
  const receiver = await receivers.start({ answers: [500, 200] });
  const channel = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId: channel.id, webhookUrl: receiver.url, retryPolicy: SLOW });
  const message = await publish(posthorn, channel.id);
  const delivery = await waitForDelivery(posthorn, message.id, 'retrying');
  await waitFor('Temporal to wait for the second try', async () => {
    const { raw } = await posthorn.temporal.workflow.getHandle(`delivery/${delivery.id}/1`).describe();
    return raw.pendingActivities?.[0]?.attempt === 2;
  });
  return { receiver, messageId: message.id, delivery };
}

/** One whole pass: the schedule would leave it out while another one runs. */
async function reconcile(): Promise<void> {
  passes += 1;
  const workflowId = `reconcile/${posthorn.taskQueue}/${passes}`;
  await posthorn.temporal.workflow.execute(WORKFLOW_TYPES.reconcileDeliveries, {
    workflowId,
    taskQueue: posthorn.taskQueue,
  });
}

/** As if this long had passed since the delivery was to be tried again. */
const makeOverdue = (deliveryId: string, seconds: number): Promise<unknown> =>
  posthorn.deps.pool.query(
    `UPDATE deliveries SET due_at = now() - make_interval(secs => $2), next_retry_at = now() - make_interval(secs => $2) WHERE id = $1`,
    [deliveryId, seconds],
  );

test('terminating a Temporal workflow makes its delivery a dead letter with the reason cancelled; others stay as they are', async () => {
  const terminated = await waiting();
  const untouched = await waiting();
  await posthorn.temporal.workflow.getHandle(`delivery/${terminated.delivery.id}/1`).terminate('the shop\nis closed');

  await waitFor('the reconciler to see it', async () => {
    await posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue)).trigger();
    return (await deliveryOf(posthorn, terminated.messageId))?.status === 'failed';
  });

  expect(await deliveryOf(posthorn, terminated.messageId)).toMatchObject({ reason: 'cancelled', attempts: 1 });
  const told = await posthorn.request<{ data: object[] }>('GET', '/v1/audit?action=delivery.cancelled');
  expect(told.body.data).toMatchObject([{ actor: { kind: 'temporal' }, target: { id: terminated.delivery.id } }]);
  const letters = await posthorn.request<PageJson<{ deliveryId: string }>>('GET', '/v1/dlq');
  expect(letters.body.data).toMatchObject([
    {
      deliveryId: terminated.delivery.id,
      reason: 'cancelled',
      status: 'open',
      // The words of the person were in Temporal's history alone.
      lastError: {
        class: 'status',
        status: 500,
        message: 'its Temporal workflow was terminated: the shop is closed; the last try: answered 500',
      },
    },
  ]);
  expect(await deliveryOf(posthorn, untouched.messageId)).toEqual(untouched.delivery);
});

test('an overdue delivery whose Temporal workflow is unknown goes on in its next round with what its policy has left', async () => {
  const { receiver, messageId, delivery } = await waiting();
  await posthorn.temporal.workflow.getHandle(`delivery/${delivery.id}/1`).terminate('the store is lost');
  await posthorn.deps.pool.query('UPDATE deliveries SET carrier = $2 WHERE id = $1', [
    delivery.id,
    `delivery/${delivery.id}/99`,
  ]);
  // Terminated workflows are looked for by id and round: this one's round is over.
  await posthorn.deps.pool.query('UPDATE deliveries SET round = 99 WHERE id = $1', [delivery.id]);
  await makeOverdue(delivery.id, 61);

  await reconcile();

  expect(await waitForDelivery(posthorn, messageId, 'delivered')).toMatchObject({ attempts: 2 });
  expect(receiver.requests).toHaveLength(2);
});

test('a delivery that is overdue by less than a minute, or whose Temporal workflow runs, is left alone', async () => {
  const running = await waiting();
  await makeOverdue(running.delivery.id, 61);
  const recent = await waiting();
  await posthorn.deps.pool.query('UPDATE deliveries SET carrier = $2 WHERE id = $1', [
    recent.delivery.id,
    'delivery/none/1',
  ]);
  await makeOverdue(recent.delivery.id, 5);
  const marker = await waiting();
  await posthorn.deps.pool.query('UPDATE deliveries SET carrier = $2 WHERE id = $1', [
    marker.delivery.id,
    'delivery/none/2',
  ]);
  await makeOverdue(marker.delivery.id, 3600);

  await reconcile();

  await waitForDelivery(posthorn, marker.messageId, 'delivered');
  expect(await deliveryOf(posthorn, running.messageId)).toMatchObject({ status: 'retrying', attempts: 1 });
  expect(await deliveryOf(posthorn, recent.messageId)).toMatchObject({ status: 'retrying', attempts: 1 });
});

test('deliveries that a dead worker had claimed and not started are started by a living one, in the same round', async () => {
  const receiver = await receivers.start();
  const channel = await createChannel(posthorn);
  const fields = { channelId: channel.id, webhookUrl: receiver.url };
  const subscription = await createSubscription(posthorn, fields);
  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/pause`);
  const message = await publish(posthorn, channel.id);
  await posthorn.deps.pool.query(
    `INSERT INTO incarnations (id, expires_at) VALUES ('inc_dead', now() - interval '1 second')`,
  );
  await posthorn.deps.pool.query(`UPDATE deliveries SET holder = 'inc_dead' WHERE message_id = $1`, [message.id]);

  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/resume`);

  const delivery = await waitForDelivery(posthorn, message.id, 'delivered');
  const { rows } = await posthorn.deps.pool.query('SELECT round, holder FROM deliveries WHERE id = $1', [delivery.id]);
  expect(rows).toEqual([{ round: 1, holder: null }]);
});

test('claims of a living worker are not taken from it', async () => {
  const receiver = await receivers.start();
  const channel = await createChannel(posthorn);
  const subscription = await createSubscription(posthorn, { channelId: channel.id, webhookUrl: receiver.url });
  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/pause`);
  const held = await publish(posthorn, channel.id);
  await posthorn.deps.pool.query(
    `INSERT INTO incarnations (id, expires_at) VALUES ('inc_alive', now() + interval '1 hour')`,
  );
  await posthorn.deps.pool.query(`UPDATE deliveries SET holder = 'inc_alive' WHERE message_id = $1`, [held.id]);
  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/resume`);

  const marker = await publish(posthorn, channel.id);

  await waitForDelivery(posthorn, marker.id, 'delivered');
  await reconcile();
  expect(await deliveryOf(posthorn, held.id)).toMatchObject({ status: 'pending', attempts: 0 });
});

test('a delivery that a publish gave to a subscription while it was deleted ends as such', async () => {
  const { messageId, delivery } = await waiting();
  await posthorn.deps.pool.query('UPDATE subscriptions SET deleted_at = now() WHERE id = $1', [
    delivery.subscriptionId,
  ]);

  await reconcile();

  expect(await waitForDelivery(posthorn, messageId, 'failed')).toMatchObject({ reason: 'subscription_deleted' });
});

test('when the schedule is missing, Temporal counts as new: it is made again and what was carried goes on', async () => {
  const { messageId, delivery } = await waiting();
  const schedule = posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue));
  await posthorn.temporal.workflow.getHandle(`delivery/${delivery.id}/1`).terminate('the store is lost');
  await posthorn.deps.pool.query(
    'UPDATE deliveries SET round = 50, due_at = now(), next_retry_at = now() WHERE id = $1',
    [delivery.id],
  );

  await schedule.delete();

  expect(await waitForDelivery(posthorn, messageId, 'delivered')).toMatchObject({ attempts: 2 });
  expect((await schedule.describe()).action).toMatchObject({ workflowType: 'reconcileDeliveries' });
});
