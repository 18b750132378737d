import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/process/routes.ts';
import { HOPS_HEADER, MAX_HOPS } from '../../src/kernel/values/http.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { waitForDelivery } from '../support/make/factories.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

/**
 * Loops that no address tells: through a proxy, or another installation. Old mechanism: a delivery had nothing by which the
 * API could tell that a publish was its consequence, so a receiver that published what it got went round without end.
 */
const MESSAGE = { eventType: 'order.created', payload: { n: 1 } };

type Refusal = { error: { code: string; message: string; details: { field: string; reason: string } } };

const marksOf = ({ requests }: Receiver): unknown[] => requests.map(({ headers }) => headers[HOPS_HEADER]);

// off: what was just published is tried with what the publish has read. 0: it is drained, and read again where that was too long ago.
describe.each(['off', '0'])('with DELIVERY_BURST_THRESHOLD %s', (threshold) => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene(threshold);
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  const post = <T = { id: string; ids?: string[] }>(path: string, body: unknown, hops?: string) =>
    scene.posthorn.request<T>('POST', path, body, { ...(hops !== undefined && { headers: { [HOPS_HEADER]: hops } }) });

  test('a receiver that publishes what it gets, and passes the mark on, goes round five times', async () => {
    const { receiver, channelId } = await scene.subscribed([200]);
    const path = `/v1/channels/${channelId}/messages`;
    const answers: { status: number; body: unknown }[] = [];
    receiver.answerWith(({ headers }) => (response) => {
      void post(path, MESSAGE, String(headers[HOPS_HEADER])).then((answer) => {
        answers.push(answer);
        response.end();
      });
    });
    expect((await post(path, MESSAGE)).status).toBe(202);
    await waitFor('the end of the loop', () => answers.some(({ status }) => status !== 202));
    expect(marksOf(receiver)).toEqual(['1', '2', '3', '4', '5']);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 400]);
    const reason = `must be less than ${MAX_HOPS}, but is ${MAX_HOPS}: longer chains of deliveries are rejected because they may be loops`;
    expect(answers.at(-1)?.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: HOPS_HEADER, reason } },
    });
    // Nothing is left that could go on.
    await waitFor('all to be delivered', async () => {
      const open = await scene.posthorn.deps.db.delivery.count({ where: { channelId, dueAt: { not: null } } });
      return open === 0;
    });
    expect(await scene.posthorn.deps.db.message.count({ where: { channelId } })).toBe(5);
  });

  test('every way of publishing carries the mark on, and a retry and a replay have the same', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([503, 200]);
    const ways: [string, object][] = [
      [`/v1/channels/${channelId}/messages`, MESSAGE],
      [`/v1/channels/${channelId}/messages`, { ...MESSAGE, delay: 1 }],
      [`/v1/channels/${channelId}/messages/batch`, { messages: [MESSAGE] }],
      ['/v1/messages/batch', { messages: [{ ...MESSAGE, channelId }] }],
      ['/v1/messages/transactional', { messages: [{ ...MESSAGE, channelId }] }],
      [`/v1/subscriptions/${subscriptionId}/test`, {}],
    ];
    for (const [path, body] of ways) {
      receiver.answerWith([503, 200]);
      receiver.requests.length = 0;
      const answer = await post(path, body, '2');
      expect([path, answer.status]).toEqual([path, 202]);
      const id = answer.body.ids?.[0] ?? answer.body.id;
      const delivery = await waitForDelivery(scene.posthorn, id, 'delivered');
      expect((await post(`/v1/deliveries/${delivery.id}/retry`, undefined)).status).toBe(202);
      await waitFor('the delivery that was asked for', () => receiver.requests.length === 3);
      expect(marksOf(receiver)).toEqual(['3', '3', '3']);
      await waitForDelivery(scene.posthorn, id, 'delivered');
    }
    receiver.requests.length = 0;
    const replay = await post(`/v1/subscriptions/${subscriptionId}/replay`, { since: '2020-01-01T00:00:00Z' });
    expect(replay.status).toBe(202);
    // Test messages are not replayed.
    await waitFor('the replay', () => receiver.requests.length === ways.length - 1, 60_000);
    expect(new Set(marksOf(receiver))).toEqual(new Set(['3']));
  }, 150_000);
});

describe('a request with a mark', () => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene('off');
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  const send = <T>(method: string, path: string, hops: string, body?: unknown) =>
    scene.posthorn.request<T>(method, path, body, { headers: { [HOPS_HEADER]: hops } });

  const bodyOf = (path: string, channelId: string): object =>
    path.includes('batch') || path.includes('transactional')
      ? { messages: [{ ...MESSAGE, ...(path.startsWith('/v1/messages') && { channelId }) }] }
      : path.endsWith('/test')
        ? {}
        : MESSAGE;

  test('at the end of the longest chain, or beyond, publishes by no way, and nothing is stored', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
    // Another service's request has no mark of ours: an inbound webhook is no target of a subscription.
    const paths = routes.filter(({ isPublish, access }) => isPublish && access !== 'public').map(({ path }) => path);
    expect(paths).toHaveLength(5);
    for (const path of paths) {
      const real = path.replace(':channelId', channelId).replace(':subscriptionId', subscriptionId);
      for (const hops of [String(MAX_HOPS), '1, 7', '999999999']) {
        const { status, body } = await send<Refusal>('POST', real, hops, bodyOf(path, channelId));
        expect([path, status, body.error.code, body.error.details.field]).toEqual([
          path,
          400,
          'INVALID_REQUEST',
          HOPS_HEADER,
        ]);
      }
    }
    expect(await scene.posthorn.deps.db.message.count({ where: { channelId } })).toBe(0);
    expect(receiver.requests).toEqual([]);
  });

  test.each(['', 'x', '-1', '1.5', '1,,2'])('that is no number (%j) does not publish', async (hops) => {
    const { channelId } = await scene.subscribed([200]);
    const { status, body } = await send<Refusal>('POST', `/v1/channels/${channelId}/messages`, hops, MESSAGE);
    expect([status, body.error.details]).toEqual([
      400,
      { field: HOPS_HEADER, reason: 'must be a whole number, taken from the webhook request' },
    ]);
  });

  test('sends no stored message again, since that keeps its mark and would come round for ever', async () => {
    const { channelId, receiver, subscriptionId } = await scene.subscribed([200]);
    const redelivering = routes.filter(({ isRedelivery }) => isRedelivery).map(({ path }) => path);
    expect(redelivering.toSorted()).toEqual([
      '/v1/deliveries/:deliveryId/retry',
      '/v1/deliveries/retry',
      '/v1/dlq/:deadLetterId/replay',
      '/v1/dlq/replay',
      '/v1/inbound-requests/:requestId/accept',
      '/v1/messages/:messageId/replay',
      '/v1/subscriptions',
      '/v1/subscriptions/:subscriptionId/replay',
      '/v1/webhooks/:webhookId/sample',
    ]);
    for (const path of redelivering) {
      const real = path.replace(':subscriptionId', subscriptionId).replace(/:\w+/, 'x');
      const { status, body } = await send<Refusal>('POST', real, '1', { channelId, webhookUrl: receiver.url });
      expect([path, status, body.error.details.field]).toEqual([path, 400, HOPS_HEADER]);
    }
    const { status } = await send('POST', '/v1/subscriptions', '0', { channelId, webhookUrl: receiver.url });
    expect(status).toBe(201);
  });

  test('may do everything else', async () => {
    const { channelId, subscriptionId } = await scene.subscribed([200]);
    const path = `/v1/subscriptions/${subscriptionId}`;
    expect((await send('GET', path, '9')).status).toBe(200);
    expect((await send('PATCH', path, 'x', { name: 'renamed' })).status).toBe(200);
    expect((await send('POST', `${path}/pause`, '9')).status).toBe(200);
    expect((await send('POST', `/v1/channels/${channelId}/dry-run`, '9', MESSAGE)).status).toBe(200);
  });
});

test('a subscription cannot set the mark', async () => {
  const scene = await setDeliveryScene('off');
  try {
    for (const name of [HOPS_HEADER, 'Posthorn_Hops']) {
      await expect(scene.subscribed([200], { headers: { [name]: '0' } })).rejects.toThrow('400');
    }
  } finally {
    await scene.endReceivers();
    await scene.end();
  }
});
