import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryScene, type DeadLetterJson, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { deliveryOf, publish, publishBatch, type PageJson, waitForDelivery } from '../support/make/factories.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';

/** Data of a person: in payload, metadata and everything that a receiver answers. */
const SECRET = 'Elfriede';
const PERSONAL = { payload: { name: SECRET }, metadata: { contact: `${SECRET}@example.com` } };
const answerWith =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'x-greeting': SECRET }).end(`Hello ${SECRET}`);
  };
const HOUR = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000, backoffMultiplier: 1 };

// One Temporal workflow each, and all of them in a drain.
describe.each(['off', '0'])('with the burst threshold %s', (threshold) => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene(threshold);
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  const erase = async (messageId: string): Promise<number> =>
    (await scene.posthorn.request('DELETE', `/v1/messages/${messageId}`)).status;
  const erasedAtOf = async (messageId: string): Promise<unknown> =>
    (await scene.posthorn.request('GET', `/v1/messages/${messageId}`)).body['erasedAt'];
  const held = (): Promise<string[]> => tablesThatHold(scene.posthorn.deps.pool, SECRET);

  test('a delivered message is erased from every table; the fact that it existed and was delivered stays', async () => {
    const { channelId } = await scene.subscribed([answerWith(200)]);
    const path = `/v1/channels/${channelId}/messages`;
    // With a key under which the answer might be kept, payload and all.
    const { body: message } = await scene.posthorn.request<{ id: string; publishedAt: string }>(
      'POST',
      path,
      { eventType: 'order.created', ...PERSONAL },
      { headers: { 'idempotency-key': randomUUID() } },
    );
    const { id: deliveryId } = await waitForDelivery(scene.posthorn, message.id, 'delivered');
    expect(await held()).toEqual(expect.arrayContaining(['attempts', 'deliveries', 'messages']));

    expect(await erase(message.id)).toBe(204);

    expect(await held()).toEqual([]);
    const { body: shown } = await scene.posthorn.request('GET', `/v1/messages/${message.id}`);
    expect(shown).toEqual({
      id: message.id,
      channelId,
      eventType: 'order.created',
      publishedAt: message.publishedAt,
      erasedAt: expect.stringMatching(/Z$/),
      deliveryStatus: 'delivered',
    });
    expect((await scene.posthorn.request<PageJson<unknown>>('GET', path)).body.data).toEqual([shown]);
    expect(await deliveryOf(scene.posthorn, message.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      response: { status: 200, body: '' },
    });
    expect(await scene.attemptsOf(deliveryId)).toMatchObject([
      { number: 1, outcome: 'delivered', response: { status: 200, body: '', headers: {} } },
    ]);
    expect((await scene.posthorn.request('POST', `/v1/deliveries/${deliveryId}/retry`)).status).toBe(409);
  });

  test('erasing again is 204 and changes nothing', async () => {
    const { channelId } = await scene.subscribed([200]);
    const { id } = await publish(scene.posthorn, channelId, PERSONAL);
    await waitForDelivery(scene.posthorn, id, 'delivered');
    await erase(id);
    const before = (await tableContents(scene.posthorn.deps.pool))['messages'];

    expect(await erase(id)).toBe(204);

    expect((await tableContents(scene.posthorn.deps.pool))['messages']).toEqual(before);
  });

  test('a delivery that waits for its first attempt is not sent any more: it has failed as erased, without a dead letter', async () => {
    const { channelId, subscriptionId, receiver } = await scene.subscribed([200]);
    await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
    const { id } = await publish(scene.posthorn, channelId, PERSONAL);
    const other = await publish(scene.posthorn, channelId);

    expect(await erase(id)).toBe(204);
    await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
    await waitForDelivery(scene.posthorn, other.id, 'delivered');

    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([other.id]);
    const delivery = await deliveryOf(scene.posthorn, id);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'erased', attempts: 0 });
    expect(await scene.deadLettersOf(subscriptionId)).toEqual([]);
    expect((await scene.posthorn.request('POST', `/v1/deliveries/${delivery?.id}/retry`)).status).toBe(409);
    expect(await held()).toEqual([]);
  });

  test('a delivery that waits for a retry is not sent any more, and its Temporal workflow ends without a failure', async () => {
    // Time enough to erase it before its retry.
    const retryPolicy = { maxRetries: 2, initialDelay: 5_000, maxDelay: 5_000 };
    const { channelId, receiver, subscriptionId } = await scene.subscribed([answerWith(500), 500], { retryPolicy });
    const { id } = await publish(scene.posthorn, channelId, PERSONAL);
    const { id: deliveryId } = await waitForDelivery(scene.posthorn, id, 'retrying');

    expect(await erase(id)).toBe(204);

    const delivery = await deliveryOf(scene.posthorn, id);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'erased' });
    expect(delivery).not.toHaveProperty('nextRetryAt');
    if (threshold === 'off') await scene.waitForWorkflow(deliveryId, 1, 'COMPLETED');
    // One with the same delays, published later, is tried again: the erased one's time has come before.
    const { id: later } = await publish(scene.posthorn, channelId);
    await waitFor('a retry', () => receiver.countOf(later) === 2);
    expect(receiver.countOf(id)).toBe(1);
    expect((await scene.deadLettersOf(subscriptionId)).filter((letter) => letter.deliveryId === deliveryId)).toEqual(
      [],
    );
    expect(await held()).toEqual([]);
  });

  test('its open dead letter is discarded and cannot be replayed, one by one or in bulk', async () => {
    const retryPolicy = { ...HOUR, maxRetries: 0 };
    const { channelId, receiver, subscriptionId } = await scene.subscribed([answerWith(500)], { retryPolicy });
    const { id } = await publish(scene.posthorn, channelId, PERSONAL);
    const { id: deliveryId } = await waitForDelivery(scene.posthorn, id, 'failed');
    const [open] = await scene.deadLettersOf(subscriptionId);
    expect(open).toMatchObject({ status: 'open' });

    expect(await erase(id)).toBe(204);

    const { body } = await scene.posthorn.request<DeadLetterJson>('GET', `/v1/dlq/${open?.id}`);
    expect(body).toEqual({ ...open, status: 'discarded' });
    expect((await scene.posthorn.request('POST', `/v1/dlq/${open?.id}/replay`)).status).toBe(409);
    expect((await scene.posthorn.request('POST', `/v1/deliveries/${deliveryId}/retry`)).status).toBe(409);
    const bulk = await scene.posthorn.request('POST', '/v1/dlq/replay', { channelId, dryRun: true });
    expect(bulk.body).toMatchObject({ matched: 0 });
    expect(await deliveryOf(scene.posthorn, id)).toMatchObject({ status: 'failed', reason: 'exhausted' });
    expect(receiver.requests).toHaveLength(1);
    expect(await held()).toEqual([]);
  });

  test.each([200, 500])(
    'a request in flight while its message is erased stores no personal data, whatever the response is (%d)',
    async (status) => {
      let answer: (() => void) | undefined;
      const { channelId, subscriptionId } = await scene.subscribed([
        (response) => (answer = () => answerWith(status)(response)),
      ]);
      const { id } = await publish(scene.posthorn, channelId, PERSONAL);
      await waitFor('the request', () => answer !== undefined);

      expect(await erase(id)).toBe(204);
      expect(await held()).toEqual([]);
      answer?.();

      const delivery = await waitFor('the late result', async () => {
        const found = await deliveryOf(scene.posthorn, id);
        return found?.attempts === 1 && found;
      });
      expect(delivery).toMatchObject({ status: 'failed', reason: 'erased', response: { status, body: '' } });
      expect(await scene.attemptsOf(delivery.id)).toMatchObject([
        { outcome: status === 200 ? 'delivered' : 'failed', response: { status, body: '', headers: {} } },
      ]);
      expect(await scene.deadLettersOf(subscriptionId)).toEqual([]);
      expect(await held()).toEqual([]);
    },
  );

  test('no request starts after the 204, however much of it a worker had read already', async () => {
    // All sixty would take 9 s.
    const slow = (response: ServerResponse): void => void setTimeout(() => response.writeHead(200).end(), 300);
    const { channelId, receiver } = await scene.subscribed([slow], { maxConcurrency: 2 });
    const ids = await publishBatch(scene.posthorn, channelId, 60);
    await waitFor('some requests', () => receiver.requests.length >= 4);

    const erased = await Promise.all(
      ids.slice(10).map(async (id) => ({ id, status: await erase(id), at: Date.now() })),
    );

    const last = await publish(scene.posthorn, channelId);
    await waitForDelivery(scene.posthorn, last.id, 'delivered');
    expect(erased.filter(({ status }) => status !== 204)).toEqual([]);
    // By the sender's time: a request that was out already may be read by the receiver any time later.
    const begun = await waitFor('each request to be recorded', async () => {
      const { rows } = await scene.posthorn.deps.pool.query<{ id: string; at: Date }>(
        `SELECT d.message_id AS id, a.started_at AS at FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
         WHERE d.channel_id = $1`,
        [channelId],
      );
      return rows.length === receiver.requests.length && rows;
    });
    const endOf = new Map(erased.map(({ id, at }) => [id, at]));
    expect(begun.filter(({ id, at }) => at.getTime() > (endOf.get(id) ?? Number.POSITIVE_INFINITY))).toEqual([]);
    expect(receiver.requests.length).toBeLessThan(61);
  });

  test('an erasure waits for a delivery whose row is locked; if it stays locked, it is UNAVAILABLE and nothing is erased', async () => {
    const { channelId } = await scene.subscribed([200]);
    const { id } = await publish(scene.posthorn, channelId, PERSONAL);
    await waitForDelivery(scene.posthorn, id, 'delivered');

    const refused = await inTransaction(scene.posthorn.deps.pool, async (connection) => {
      await connection.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [id]);
      return scene.posthorn.request('DELETE', `/v1/messages/${id}`);
    });
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await erasedAtOf(id)).toBeUndefined();
    expect(await held()).toContain('messages');

    const later = await inTransaction(scene.posthorn.deps.pool, async (connection) => {
      await connection.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [id]);
      const answer = scene.posthorn.request('DELETE', `/v1/messages/${id}`);
      await waitFor('it to wait', async () => {
        const { rows } = await connection.query(`SELECT FROM pg_locks WHERE NOT granted AND database =
          (SELECT oid FROM pg_database WHERE datname = current_database()) OR NOT granted AND locktype = 'transactionid'`);
        return rows.length > 0;
      });
      return { answer };
    });
    expect((await later.answer).status).toBe(204);
    expect(await held()).toEqual([]);
  });
});
