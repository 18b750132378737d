import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createCircuitScene, PATIENT } from '../support/make/circuit-scene.ts';
import { deliveryOf, publish, publishBatch, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { serviceEvents } from '../support/make/system-channel.ts';
import { waitFor } from '../support/check/wait-for.ts';

describe.each(['off', '0'])('with the burst threshold %s', (threshold) => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  });
  afterAll(() => posthorn.stop());
  const scene = createCircuitScene(() => posthorn);
  const { subscribed, opened, subscription, untilCircuit, keepOpen, endOpenTime, deliveriesOf } = scene;
  afterEach(scene.endReceivers);

  test('a dead endpoint opens its circuit after 20 failures; what comes then waits, untried, and others are served', async () => {
    const dead = await subscribed([500]);
    const alive = await subscribed([200]);
    await publishBatch(posthorn, dead.channelId, 60);

    const { circuit } = await untilCircuit(dead.subscriptionId, 'open');

    expect(Date.parse(circuit.nextProbeAt ?? '') - Date.parse(circuit.openedAt ?? '')).toBe(30_000);
    const { nextProbeAt } = await keepOpen(dead.subscriptionId);
    const later = await publish(posthorn, dead.channelId);
    const other = await publish(posthorn, alive.channelId);
    await waitForDelivery(posthorn, other.id, 'delivered');
    const waiting = await deliveryOf(posthorn, later.id);
    expect(waiting).toMatchObject({ status: 'pending', attempts: 0, nextRetryAt: nextProbeAt });
    // Up to twenty were under way when the twentieth failed.
    await waitFor('each request to be recorded', async () => {
      const tried = (await deliveriesOf(dead.subscriptionId)).reduce((sum, delivery) => sum + delivery.attempts, 0);
      return tried === dead.receiver.requests.length;
    });
    expect(dead.receiver.requests.length).toBeLessThanOrEqual(40);
    expect((await subscription(alive.subscriptionId)).circuit).toEqual({ state: 'closed' });
    const told = await serviceEvents(posthorn, 'circuit.opened');
    expect(told.filter(({ subscriptionId }) => subscriptionId === dead.subscriptionId)).toEqual([
      { subscriptionId: dead.subscriptionId, channelId: dead.channelId, ...circuit, state: undefined },
    ]);
  });

  test('after the open time one delivery is the probe; it fails, and everything waits for the next one', async () => {
    const dead = await opened();
    await publishBatch(posthorn, dead.channelId, 10);
    const before = dead.receiver.requests.length;
    const endedAt = Date.now();

    await endOpenTime(dead.subscriptionId);

    await waitFor('the probe', () => dead.receiver.requests.length > before);
    await waitFor('the circuit to open again', async () => {
      const found = (await subscription(dead.subscriptionId)).circuit;
      return found.state === 'open' && Date.parse(found.openedAt ?? '') >= endedAt;
    });
    const reopened = await keepOpen(dead.subscriptionId);
    const marker = await subscribed([200]);
    const message = await publish(posthorn, marker.channelId);
    await waitForDelivery(posthorn, message.id, 'delivered');
    expect(dead.receiver.requests).toHaveLength(before + 1);
    const waiting = (await deliveriesOf(dead.subscriptionId)).filter(({ status }) => status === 'pending');
    expect(new Set(waiting.map(({ nextRetryAt }) => nextRetryAt))).toEqual(new Set([reopened.nextProbeAt]));
    const told = await serviceEvents(posthorn, 'circuit.opened');
    expect(told.filter(({ subscriptionId }) => subscriptionId === dead.subscriptionId)).toHaveLength(1);
  });

  test('a probe that is delivered closes it, and what has waited follows at once', async () => {
    const dead = await opened();
    const waited = await publishBatch(posthorn, dead.channelId, 30);
    dead.receiver.answerWith([200]);

    await endOpenTime(dead.subscriptionId);

    for (const id of waited) expect(await waitForDelivery(posthorn, id, 'delivered')).toMatchObject({ attempts: 1 });
    expect((await subscription(dead.subscriptionId)).circuit).toEqual({ state: 'closed' });
    const told = await serviceEvents(posthorn, 'circuit.closed');
    expect(told.filter(({ subscriptionId }) => subscriptionId === dead.subscriptionId)).toMatchObject([
      { channelId: dead.channelId, closedAt: expect.any(String) },
    ]);
    expect(
      dead.receiver.requests.filter((request) => waited.includes(String(request.headers['webhook-id']))),
    ).toHaveLength(30);
  });

  test('a retry that meets the circuit open is held until the probe and uses up nothing', async () => {
    const dead = await subscribed([500], { retryPolicy: { ...PATIENT, initialDelay: 1_500, maxDelay: 1_500 } });
    await publishBatch(posthorn, dead.channelId, 22);
    await untilCircuit(dead.subscriptionId, 'open');
    const atOpening = dead.receiver.requests.length;
    const openedBy = Date.now();
    const { nextProbeAt } = await keepOpen(dead.subscriptionId);

    const held = await waitFor('retries to be held', async () => {
      const found = await deliveriesOf(dead.subscriptionId);
      const isHeld = found.every((delivery) => delivery.nextRetryAt === nextProbeAt);
      const { rowCount } = await posthorn.deps.pool.query(
        'SELECT FROM deliveries WHERE subscription_id = $1 AND (holder IS NOT NULL OR carrier IS NOT NULL)',
        [dead.subscriptionId],
      );
      return isHeld && rowCount === 0 && Date.now() > openedBy + 2_500 && found;
    });

    // The last tries were those under way when it opened.
    expect(dead.receiver.requests.length).toBeLessThanOrEqual(atOpening + 10);
    expect(held.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(dead.receiver.requests.length);
    dead.receiver.answerWith([200]);
    await endOpenTime(dead.subscriptionId);
    await waitFor('all delivered', async () => {
      const found = await deliveriesOf(dead.subscriptionId);
      return found.every(({ status }) => status === 'delivered');
    });
  });

  test('an open circuit survives a restart of the worker', async () => {
    const dead = await opened();
    const before = dead.receiver.requests.length;
    await posthorn.worker.stop();
    await posthorn.worker.start();

    const message = await publish(posthorn, dead.channelId);

    const marker = await subscribed([200]);
    const other = await publish(posthorn, marker.channelId);
    await waitForDelivery(posthorn, other.id, 'delivered');
    expect((await subscription(dead.subscriptionId)).circuit.state).toBe('open');
    expect(dead.receiver.requests).toHaveLength(before);
    dead.receiver.answerWith([200]);
    await endOpenTime(dead.subscriptionId);
    await waitForDelivery(posthorn, message.id, 'delivered');
  });

  test('another webhookUrl closes it: what failed there says nothing of here', async () => {
    const dead = await opened();
    const message = await publish(posthorn, dead.channelId);
    const { receiver } = await subscribed([200]);

    await posthorn.request('PATCH', `/v1/subscriptions/${dead.subscriptionId}`, { webhookUrl: receiver.url });

    await waitForDelivery(posthorn, message.id, 'delivered');
    expect((await subscription(dead.subscriptionId)).circuit).toEqual({ state: 'closed' });
  });
});
