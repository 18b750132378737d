import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { replayWorkflowId } from '../../src/kernel/contract/replays.ts';
import { type Progress, runBatch } from '../../src/delivery/replays/batches.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { endAsDeadLetter, insertAttempt } from '../support/make/seed.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('deliveries', () => {
  type RetryJson = {
    id: string;
    status: string;
    matched: number;
    isExact: boolean;
    retried: number;
    failed: number;
    filter: Record<string, unknown>;
    oldest?: { id: string; status: string; eventType?: string; createdAt: string }[];
    finishedAt?: string;
  };

  let posthorn: TestPosthorn;
  const receivers = createReceivers();
  beforeAll(async () => {
    posthorn = await startPosthorn();
  });
  afterAll(async () => {
    await receivers.end();
    await posthorn.stop();
  });

  const retryAll = (body: unknown) => posthorn.request<RetryJson>('POST', '/v1/deliveries/retry', body);
  const sql = (text: string, values: unknown[] = []) => posthorn.deps.pool.query(text, values);
  const deliveriesOf = async (filter: string): Promise<DeliveryJson[]> =>
    (await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?limit=100&${filter}`)).body.data;

  test('deliveries that wait hours for their next attempt are sent at once, and nothing else is', async () => {
    const receiver = await receivers.start({ answers: [503] });
    const { id: channelId } = await createChannel(posthorn);
    const hours = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000 };
    const target = { channelId, webhookUrl: receiver.url, retryPolicy: hours };
    const [wanted, other] = [await createSubscription(posthorn, target), await createSubscription(posthorn, target)];
    const messages = [await publish(posthorn, channelId), await publish(posthorn, channelId)];
    const isRetrying = async (): Promise<DeliveryJson[] | false> => {
      const all = await deliveriesOf(`channelId=${channelId}&status=retrying`);
      return all.length === 4 && all;
    };
    await waitFor('four deliveries to wait for their next try', isRetrying);
    receiver.answerWith([200]);

    const asked = { subscriptionId: wanted.id, status: 'retrying' };
    const { status, body: counted } = await retryAll({ ...asked, dryRun: true });
    expect(status).toBe(202);
    expect(counted).toMatchObject({ status: 'preview', matched: 2, isExact: true, retried: 0, failed: 0 });
    expect(counted.oldest?.map((each) => [each.status, each.eventType])).toEqual([
      ['retrying', 'order.created'],
      ['retrying', 'order.created'],
    ]);
    expect(await isRetrying()).toHaveLength(4);
    const { body: retry } = await retryAll(asked);
    expect(retry).toMatchObject({ matched: 2, isExact: true, filter: asked });

    const ended = await waitFor('the retry to end', async () => {
      const { body } = await posthorn.request<RetryJson>('GET', `/v1/deliveries/retry/${retry.id}`);
      return body.finishedAt !== undefined && body;
    });
    expect(ended).toMatchObject({ status: 'completed', matched: 2, retried: 2, failed: 0 });
    for (const { id } of messages) {
      const arrived = await waitFor(`${id} to arrive`, async () => {
        const [delivery] = await deliveriesOf(`messageId=${id}&subscriptionId=${wanted.id}`);
        return delivery?.status === 'delivered' && delivery;
      });
      expect(arrived).toMatchObject({ attempts: 2, policyAttempts: 1 });
    }
    const left = await deliveriesOf(`subscriptionId=${other.id}`);
    expect(left.map((each) => [each.status, each.attempts])).toEqual([
      ['retrying', 1],
      ['retrying', 1],
    ]);
    const { body: listed } = await posthorn.request<PageJson<RetryJson>>(
      'GET',
      '/v1/deliveries/retry?status=completed',
    );
    expect(listed.data[0]).toMatchObject({ ...ended, outcome: { succeeded: 2, underWay: 0, failed: 0 } });
  });

  describe('by batches', () => {
    let channelId: string;
    let environmentId: string;
    beforeAll(async () => {
      // Batches are made by the cases.
      await posthorn.worker.stop();
      ({ id: channelId } = await createChannel(posthorn));
      ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    });

    const subscribed = async (): Promise<string> =>
      (await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id;
    const batch = (id: string): Promise<Progress> =>
      runBatch(posthorn.deps, {
        kind: 'retryDeliveries',
        id,
        carrier: replayWorkflowId({ kind: 'retryDeliveries', id }),
        now: new Date(),
      });
    /** All of its batches. */
    const untilFinished = async (id: string): Promise<Record<string, number>> => {
      for (let batches = 0; batches < 20; batches += 1) {
        const { isFinished, counts } = await batch(id);
        if (isFinished) return counts;
      }
      throw new Error(`${id} does not end`);
    };

    /** A subscription with one delivery in each state, by name. The one of `held` waits for a fault of ours to be over. */
    async function inEachState() {
      const subscriptionId = await subscribed();
      const one = async (columns: string): Promise<string> => {
        const { id: messageId } = await publish(posthorn, channelId);
        const { id = '' } = (await deliveriesOf(`messageId=${messageId}&subscriptionId=${subscriptionId}`))[0] ?? {};
        if (columns !== '') await sql(`UPDATE deliveries SET ${columns} WHERE id = $1`, [id]);
        return id;
      };
      const ended = 'due_at = NULL, attempts = 1, policy_attempts = 1, response_status =';
      const ids = {
        waiting: await one(''),
        held: await one(`held_reason = 'internal', held_since = now(), due_at = now() + interval '1 hour'`),
        retrying: await one(`status = 'retrying', attempts = 1, policy_attempts = 1, due_at = now() + interval '1 hour',
        next_retry_at = now() + interval '1 hour', response_status = 503, response_latency_ms = 9000`),
        failed: await one(`status = 'failed', failure_reason = 'exhausted', ${ended} 404`),
        delivered: await one(`status = 'delivered', ${ended} 200, response_latency_ms = 8000`),
      };
      for (const id of [ids.retrying, ids.failed]) await insertAttempt(posthorn, id, 1);
      return { subscriptionId, ids };
    }
    type Name = keyof Awaited<ReturnType<typeof inEachState>>['ids'];

    test.each<[object, Name[]]>([
      [{}, ['held', 'retrying', 'failed']],
      [{ status: 'pending' }, ['held']],
      [{ status: 'retrying' }, ['retrying']],
      [{ status: 'failed' }, ['failed']],
      [{ status: 'delivered' }, ['delivered']],
      [{ status: ['retrying', 'failed'] }, ['retrying', 'failed']],
      [{ status: ['delivered', 'pending'] }, ['held', 'delivered']],
      [{ errorClass: 'internal' }, ['held']],
      [{ errorClass: 'status' }, ['retrying', 'failed']],
      [{ errorStatus: 503 }, ['retrying']],
      [{ errorStatus: '4xx' }, ['failed']],
      [{ minLatencyMs: 5_000 }, ['retrying']],
      [{ minLatencyMs: 5_000, status: 'delivered' }, ['delivered']],
      [{ held: true }, ['held']],
      [{ held: false }, ['retrying', 'failed']],
      [{ held: true, status: 'failed' }, []],
      [{ eventType: 'order.*' }, ['held', 'retrying', 'failed']],
      [{ eventType: 'refund.*' }, []],
      [{ until: '2020-01-01T00:00:00Z' }, []],
    ])('%j counts and retries %j, and leaves the others alone', async (filter, names) => {
      const { subscriptionId, ids } = await inEachState();
      const asked = { subscriptionId, ...filter };
      const { body: counted } = await retryAll({ ...asked, dryRun: true });
      expect(counted).toMatchObject({ matched: names.length, isExact: true });
      expect(counted.oldest?.map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
      const { body: retry } = await retryAll(asked);
      expect(await untilFinished(retry.id)).toEqual({ matched: names.length, retried: names.length, failed: 0 });
      const rows = await posthorn.deps.db.delivery.findMany({ where: { subscriptionId }, orderBy: { id: 'asc' } });
      const again = rows.filter(
        ({ round, status, heldReason }) => round === 2 && status === 'pending' && heldReason === null,
      );
      expect(again.map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
      expect(rows.filter(({ round }) => round !== 1)).toHaveLength(names.length);
    });

    test('a failed delivery closes its dead letter in the name of the caller', async () => {
      const { ids } = await inEachState();
      const letterId = await endAsDeadLetter(posthorn, ids.waiting);
      const { messageId } = await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.waiting } });
      const { body: retry } = await retryAll({ messageId, errorStatus: '500-503' });
      expect(await untilFinished(retry.id)).toMatchObject({ retried: 1, failed: 0 });
      const letter = await posthorn.deps.db.deadLetter.findUniqueOrThrow({ where: { id: letterId } });
      expect(letter).toMatchObject({ status: 'replayed', replayedBy: expect.stringMatching(/^key_/) });
    });

    test('a failed delivery whose dead letter was discarded is left alone, until it fails again', async () => {
      const { subscriptionId, ids } = await inEachState();
      const letterId = await endAsDeadLetter(posthorn, ids.waiting);
      const asked = { subscriptionId, status: 'failed', dryRun: true };
      expect((await retryAll(asked)).body).toMatchObject({ matched: 2 });
      expect((await posthorn.request('DELETE', `/v1/dlq/${letterId}`)).status).toBe(204);
      expect((await retryAll(asked)).body).toMatchObject({ matched: 1, oldest: [{ id: ids.failed }] });
      await sql('UPDATE deliveries SET round = round + 1 WHERE id = $1', [ids.waiting]);
      expect((await retryAll(asked)).body).toMatchObject({ matched: 2 });
    });

    test('a delivery of a deleted subscription does not match, and one of an erased message is counted as failed', async () => {
      const gone = await inEachState();
      await posthorn.request('DELETE', `/v1/subscriptions/${gone.subscriptionId}`);
      expect((await retryAll({ subscriptionId: gone.subscriptionId, dryRun: true })).body).toMatchObject({
        matched: 0,
      });

      const { subscriptionId, ids } = await inEachState();
      const { messageId } = await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.failed } });
      expect((await posthorn.request('DELETE', `/v1/messages/${messageId}`)).status).toBe(204);
      const { body: retry } = await retryAll({ subscriptionId });
      expect(await untilFinished(retry.id)).toEqual({ matched: 3, retried: 2, failed: 1 });
      expect(await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.failed } })).toMatchObject({
        status: 'failed',
        round: 1,
      });
    });

    test('a delivery created after the request is left alone, and one that is delivered meanwhile is not sent again', async () => {
      const { subscriptionId, ids } = await inEachState();
      const { body: retry } = await retryAll({ subscriptionId, status: 'retrying' });
      const later = await publish(posthorn, channelId);
      await sql(`UPDATE deliveries SET status = 'retrying', policy_attempts = 1 WHERE message_id = $1`, [later.id]);
      await sql(`UPDATE deliveries SET status = 'delivered', due_at = NULL WHERE id = $1`, [ids.retrying]);
      expect(await untilFinished(retry.id)).toEqual({ matched: 1, retried: 0, failed: 0 });
      expect(await posthorn.deps.db.delivery.count({ where: { subscriptionId, round: 2 } })).toBe(0);
    });

    test('a batch reads a limited number of rows, and the next one continues after them', async () => {
      const subscriptionId = await subscribed();
      const to = [subscriptionId, subscriptionId] as const;
      const place = { environmentId, channelId };
      await insertListed(posthorn.deps.pool, place, { eventType: 'many.others', status: 'failed', count: 5_300, to });
      await insertListed(posthorn.deps.pool, place, { eventType: 'one.wanted', status: 'failed', count: 1, to });
      const { body: retry } = await retryAll({ subscriptionId, eventType: 'one.wanted' });
      expect(retry).toMatchObject({ matched: 1, isExact: true });
      expect(await batch(retry.id)).toEqual({
        isFinished: false,
        waitMs: 0,
        counts: { matched: 1, retried: 0, failed: 0 },
      });
      expect(await batch(retry.id)).toMatchObject({ isFinished: true, counts: { matched: 1, retried: 1, failed: 0 } });
    });

    test('the count grows if there are more than were counted', async () => {
      const { subscriptionId } = await inEachState();
      const { body: retry } = await retryAll({ subscriptionId });
      await sql('UPDATE bulk_retries SET matched = 1, is_exact = false WHERE id = $1', [retry.id]);
      expect(await untilFinished(retry.id)).toEqual({ matched: 3, retried: 3, failed: 0 });
    });

    test.each([
      [{ chanelId: 'chn_1' }, 'chanelId'],
      [{ channelId: 'chn_00000000000000000000000000' }, 'channelId'],
      [{ subscriptionId: 'sub_00000000000000000000000000' }, 'subscriptionId'],
      [{ messageId: 'none' }, 'messageId'],
      [{ messageId: 'msg_\u0000' }, 'messageId'],
      [{ eventType: 'order.\u0000' }, 'eventType'],
      [{ eventType: 'order.\ud800' }, 'eventType'],
      [{ status: 'open' }, 'status'],
      [{ errorStatus: 700 }, 'errorStatus'],
      [{ errorStatus: '9xx' }, 'errorStatus'],
      [{ minLatencyMs: 999 }, 'minLatencyMs'],
      [{ held: 'true' }, 'held'],
      [{ since: 'yesterday' }, 'since'],
      [{ ratePerSecond: 0 }, 'ratePerSecond'],
    ])('%j is refused, so that it does not retry everything', async (body, field) => {
      const before = await posthorn.deps.db.bulkRetry.count();
      expect(await retryAll(body)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST', details: { field } } },
      });
      expect(await posthorn.deps.db.bulkRetry.count()).toBe(before);
    });

    test.each([700, 503.5, '9xx'])('an invalid status is refused with the valid ones: %j', async (errorStatus) => {
      const reason = 'must be a number from 100 to 599, a range such as "500-503", or a class such as "5xx"';
      expect(await retryAll({ errorStatus })).toMatchObject({ body: { error: { details: { reason } } } });
    });

    test('a request without a body is refused', async () => {
      expect((await retryAll(undefined)).status).toBe(400);
    });

    test('a cancelled one retries nothing more, and cancelling a finished one is a conflict', async () => {
      const { subscriptionId } = await inEachState();
      const { body: retry } = await retryAll({ subscriptionId });
      const cancel = () => posthorn.request<RetryJson>('POST', `/v1/deliveries/retry/${retry.id}/cancel`);
      expect(await cancel()).toMatchObject({ status: 202, body: { status: 'cancelled', retried: 0 } });
      expect(await batch(retry.id)).toMatchObject({ isFinished: true });
      expect(await posthorn.deps.db.delivery.count({ where: { subscriptionId, round: 2 } })).toBe(0);
      const { body: other } = await retryAll({ subscriptionId });
      await untilFinished(other.id);
      expect((await posthorn.request('POST', `/v1/deliveries/retry/${other.id}/cancel`)).status).toBe(409);
    });
  });
});

describe('one message', () => {
  type ErrorJson = { code: string; message: string; details: { field: string; reason: string } };
  type LetterJson = { status: string; deliveryId: string; replayedBy?: string };

  const receivers = createReceivers();
  afterEach(receivers.end);

  const replay = (messageId: string, subscriptionId: string) =>
    posthorn.request<DeliveryJson & { error?: ErrorJson }>('POST', `/v1/messages/${messageId}/replay`, {
      subscriptionId,
    });

  const deliveriesOf = async (messageId: string): Promise<DeliveryJson[]> =>
    (await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?messageId=${messageId}`)).body.data;

  const delivered = (id: string): Promise<DeliveryJson> =>
    waitFor(`${id} to be delivered`, async () => {
      const { body } = await posthorn.request<DeliveryJson>('GET', `/v1/deliveries/${id}`);
      return body.status === 'delivered' && body;
    });

  /** A channel with one subscription. */
  async function subscribed(answers: number[] = [200], fields: Record<string, unknown> = {}) {
    const receiver = await receivers.start({ answers });
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, ...fields });
    return { receiver, channelId, id };
  }

  const refusal = ({ status, body }: Awaited<ReturnType<typeof replay>>) => [
    status,
    body.error?.code,
    body.error?.details.field,
  ];

  test.each([
    ['was not there then', {}],
    ['leaves it out by its filter', { filter: 'payload.n == 2' }],
    ['leaves it out by its event types', { eventTypes: ['bill.*'] }],
  ])('a message goes to a subscription that %s, and to no other', async (_, fields) => {
    const { receiver: first, channelId } = await subscribed();
    const message = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, message.id, 'delivered');
    const late = await receivers.start({ answers: [200] });
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: late.url, ...fields });

    const asked = await replay(message.id, id);

    expect([asked.status, asked.body]).toMatchObject([
      202,
      { messageId: message.id, subscriptionId: id, eventType: 'order.created', attempts: 0 },
    ]);
    expect(await delivered(asked.body.id)).toMatchObject({ attempts: 1 });
    expect([first.countOf(message.id), late.countOf(message.id)]).toEqual([1, 1]);
    expect(late.requests[0]?.body).toBe(first.requests[0]?.body);
    const { body } = await posthorn.request('GET', `/v1/messages/${message.id}`);
    expect(body).toMatchObject({ deliveryStatus: 'delivered' });
  });

  test('a delivered message is sent again with its existing delivery', async () => {
    const { receiver, channelId, id } = await subscribed();
    const message = await publish(posthorn, channelId);
    const { id: deliveryId } = await waitForDelivery(posthorn, message.id, 'delivered');

    const asked = await replay(message.id, id);

    expect([asked.status, asked.body.id, asked.body.policyAttempts]).toEqual([202, deliveryId, 0]);
    await waitFor('its second arrival', () => receiver.countOf(message.id) === 2);
    expect(await delivered(deliveryId)).toMatchObject({ attempts: 2, policyAttempts: 1 });
    expect(await deliveriesOf(message.id)).toHaveLength(1);
  });

  test('the dead letter of a failed one is closed in the name of the caller', async () => {
    const { channelId, id } = await subscribed([500, 200], { retryPolicy: { maxRetries: 0 } });
    const message = await publish(posthorn, channelId);
    const { id: deliveryId } = await waitForDelivery(posthorn, message.id, 'failed');

    expect((await replay(message.id, id)).status).toBe(202);

    await delivered(deliveryId);
    const letters = await posthorn.request<PageJson<LetterJson>>('GET', `/v1/dlq?subscriptionId=${id}`);
    expect(letters.body.data).toMatchObject([
      { deliveryId, status: 'replayed', replayedBy: expect.stringMatching(/^key_/) },
    ]);
  });

  test('a message to a paused subscription waits for the resume; a delivery in progress is reported and left alone', async () => {
    const { channelId } = await subscribed();
    const message = await publish(posthorn, channelId);
    const receiver = await receivers.start({ answers: [200] });
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, status: 'paused' });

    // Two at once make one delivery.
    const asked = await Promise.all([replay(message.id, id), replay(message.id, id)]);
    const [made, refused] = asked.toSorted((one, other) => one.status - other.status);
    if (made === undefined || refused === undefined) throw new Error('two answers were asked for');

    expect([made.status, made.body]).toMatchObject([202, { status: 'pending', held: { reason: 'paused' } }]);
    for (const later of [refused, await replay(message.id, id)]) {
      expect(refusal(later)).toEqual([409, 'CONFLICT', 'subscriptionId']);
      expect(later.body.error?.details.reason).toContain(made.body.id);
    }
    expect((await deliveriesOf(message.id)).filter(({ subscriptionId }) => subscriptionId === id)).toHaveLength(1);
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
    expect(await delivered(made.body.id)).toMatchObject({ attempts: 1 });
    expect(receiver.countOf(message.id)).toBe(1);
  });

  test('a subscription that is of another channel, deleted or unknown is refused with the field', async () => {
    const { channelId } = await subscribed();
    const message = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, message.id, 'delivered');
    const { id: elsewhere } = await subscribed();
    const gone = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    await posthorn.request('DELETE', `/v1/subscriptions/${gone.id}`);

    for (const id of [elsewhere, gone.id, `sub_01m${'0'.repeat(23)}`, 'x', ''])
      expect([id, refusal(await replay(message.id, id))]).toEqual([id, [400, 'INVALID_REQUEST', 'subscriptionId']]);
    expect(await deliveriesOf(message.id)).toHaveLength(1);
  });

  test('a test message goes only to its own subscription', async () => {
    const { receiver, channelId, id } = await subscribed();
    const other = await receivers.start({ answers: [200] });
    const { id: otherId } = await createSubscription(posthorn, { channelId, webhookUrl: other.url });
    const sent = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${id}/test`, {});
    const { id: deliveryId } = await waitForDelivery(posthorn, sent.body.id, 'delivered');

    expect(refusal(await replay(sent.body.id, otherId))).toEqual([400, 'INVALID_REQUEST', 'subscriptionId']);
    expect(await replay(sent.body.id, id)).toMatchObject({ status: 202, body: { id: deliveryId } });

    await waitFor('its second arrival', () => receiver.countOf(sent.body.id) === 2);
    expect(other.requests).toEqual([]);
  });

  test('a message that is erased, not published, cancelled or missing is refused', async () => {
    const { channelId, id } = await subscribed();
    const erased = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, erased.id, 'delivered');
    await posthorn.request('DELETE', `/v1/messages/${erased.id}`);
    const waiting = await publish(posthorn, channelId, { delay: 3_600_000 });
    const cancelled = await publish(posthorn, channelId, { delay: 3_600_000 });
    await posthorn.request('POST', `/v1/messages/${cancelled.id}/cancel`);

    for (const message of [erased, waiting, cancelled])
      expect(refusal(await replay(message.id, id))).toEqual([409, 'CONFLICT', 'messageId']);
    expect((await replay(`msg_01m${'0'.repeat(23)}`, id)).status).toBe(404);
    const deliveries = await Promise.all([erased, waiting, cancelled].map((message) => deliveriesOf(message.id)));
    expect(deliveries.map((rows) => rows.map(({ attempts }) => attempts))).toEqual([[1], [], []]);
  });
});

describe('outcomes', () => {
  type Outcome = { succeeded: number; underWay: number; failed: number; isExact: boolean };
  type ReplayJson = { id: string; status: string; outcome: Outcome };

  const receivers = createReceivers();
  afterAll(async () => {
    await receivers.end();
  });

  const NOTHING = { succeeded: 0, underWay: 0, failed: 0, isExact: true };

  const ask = async (path: string, body: unknown): Promise<ReplayJson> => {
    const { status, body: replay } = await posthorn.request<ReplayJson>('POST', path, body);
    expect(status).toBe(202);
    expect(replay.outcome).toEqual(NOTHING);
    return replay;
  };
  const outcomeOf = async (path: string): Promise<Outcome> =>
    (await posthorn.request<ReplayJson>('GET', path)).body.outcome;
  const untilOutcome = (path: string, wanted: Partial<Outcome>): Promise<unknown> =>
    waitFor(`${path} to have ${JSON.stringify(wanted)}`, async () => {
      const outcome = await outcomeOf(path);
      return JSON.stringify(outcome) === JSON.stringify({ ...NOTHING, ...wanted });
    });
  const listed = async (query: string): Promise<DeliveryJson[]> =>
    (await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?limit=100&${query}`)).body.data;

  const ONCE = { maxRetries: 0 };
  const HOURS = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000 };

  // Regression: a bulk retry was "completed" once it had asked for all, whatever came of them.
  test('a bulk retry and a replay report the outcome of their deliveries, which can be listed by it', async () => {
    const mended = await receivers.start({ answers: [503] });
    const broken = await receivers.start({ answers: [503] });
    const { id: channelId } = await createChannel(posthorn);
    const subscribe = async (webhookUrl: string): Promise<string> =>
      (await createSubscription(posthorn, { channelId, webhookUrl, retryPolicy: ONCE })).id;
    const [well, ill, slow] = [await subscribe(mended.url), await subscribe(broken.url), await subscribe(broken.url)];
    await publish(posthorn, channelId);
    await waitFor(
      'three failed deliveries',
      async () => (await listed(`channelId=${channelId}&status=failed`)).length === 3,
    );
    mended.answerWith([200]);
    await posthorn.request('PATCH', `/v1/subscriptions/${slow}`, { retryPolicy: HOURS });

    const retry = await ask('/v1/deliveries/retry', { channelId, status: 'failed' });
    const path = `/v1/deliveries/retry/${retry.id}`;
    await untilOutcome(path, { succeeded: 1, underWay: 1, failed: 1 });
    const of = async (query: string): Promise<string[]> =>
      (await listed(`replayId=${retry.id}&${query}`)).map(({ subscriptionId }) => subscriptionId);
    await waitFor('the slow one to wait for its next try', async () => (await of('status=retrying')).length === 1);
    expect(await of('status=delivered')).toEqual([well]);
    expect(await of('status=failed')).toEqual([ill]);
    expect(await of('status=pending,retrying')).toEqual([slow]);
    expect((await of('')).toSorted()).toEqual([well, ill, slow].toSorted());
    expect(await of(`subscriptionId=${ill}&status=pending,failed`)).toEqual([ill]);
    expect((await of('errorStatus=503')).toSorted()).toEqual([ill, slow].toSorted());
    expect(await of('held=true')).toEqual([]);
    const { body: page } = await posthorn.request<PageJson<ReplayJson>>('GET', '/v1/deliveries/retry');
    expect(page.data[0]).toMatchObject({ id: retry.id, outcome: { succeeded: 1, underWay: 1, failed: 1 } });

    // Deliveries that failed again, and no others, are retried by naming the retry. They count for the later one from then on.
    broken.answerWith([200]);
    const again = await ask('/v1/deliveries/retry', { replayId: retry.id, status: 'failed' });
    await untilOutcome(`/v1/deliveries/retry/${again.id}`, { succeeded: 1 });
    expect(await outcomeOf(path)).toEqual({ ...NOTHING, succeeded: 1, underWay: 1 });
    expect((await listed(`replayId=${again.id}`)).map(({ subscriptionId }) => subscriptionId)).toEqual([ill]);

    for (const replayId of ['nothing', posthorn.deps.newId('bulkRetry'), channelId]) {
      const { status, body } = await posthorn.request('POST', '/v1/deliveries/retry', { replayId, dryRun: true });
      expect([status, body]).toMatchObject([400, { error: { details: { field: 'replayId' } } }]);
    }

    const since = new Date(Date.now() - 600_000).toISOString();
    const replay = await ask(`/v1/subscriptions/${well}/replay`, { since });
    await untilOutcome(`/v1/replays/${replay.id}`, { succeeded: 1 });
    expect((await listed(`replayId=${replay.id}`)).map(({ subscriptionId }) => subscriptionId)).toEqual([well]);
    // A delivery that was never made is of the replay that makes it.
    const late = await subscribe(mended.url);
    const missing = await ask(`/v1/subscriptions/${late}/replay`, { since, onlyMissing: true });
    await untilOutcome(`/v1/replays/${missing.id}`, { succeeded: 1 });
    expect((await listed(`replayId=${missing.id}`)).map(({ subscriptionId }) => subscriptionId)).toEqual([late]);
  });

  test('a replay of dead letters reports the outcome of deliveries and of runs', async () => {
    const receiver = await receivers.start({ answers: [503] });
    const { id: channelId } = await createChannel(posthorn);
    const target = { channelId, webhookUrl: receiver.url, retryPolicy: ONCE };
    const { id: subscriptionId } = await createSubscription(posthorn, target);
    const calls = workflowCalls(posthorn);
    const push = { id: 'push', type: 'action', config: { action: 'http', url: receiver.url, retryPolicy: ONCE } };
    const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [push]);
    await publish(posthorn, channelId);
    const open = async (): Promise<number> =>
      (await posthorn.request<PageJson<object>>('GET', `/v1/dlq?status=open&channelId=${channelId}`)).body.data.length;
    await waitFor('a dead letter of each kind', async () => (await open()) === 2);

    const failing = await ask('/v1/dlq/replay', { channelId });
    await untilOutcome(`/v1/dlq/replay/${failing.id}`, { failed: 2 });
    receiver.answerWith([200]);
    const mending = await ask('/v1/dlq/replay', { channelId });
    await untilOutcome(`/v1/dlq/replay/${mending.id}`, { succeeded: 2 });
    expect(await outcomeOf(`/v1/dlq/replay/${failing.id}`)).toEqual(NOTHING);
    expect((await listed(`replayId=${mending.id}`)).map((each) => each.subscriptionId)).toEqual([subscriptionId]);
    const run = await posthorn.deps.db.run.findFirstOrThrow({ where: { workflowId } });
    expect(run).toMatchObject({ status: 'completed', replayId: mending.id });
  });

  test('more than can be counted are reported as more', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const target = { channelId, webhookUrl: 'https://example.com/in', status: 'paused' };
    const { id: subscriptionId } = await createSubscription(posthorn, target);
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const retry = await ask('/v1/deliveries/retry', { subscriptionId });
    await posthorn.deps.pool.query(
      `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, 1001) RETURNING id
     )
     INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries, initial_delay,
       max_delay, backoff_multiplier, replay_id)
     SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'delivered', 0, 0, 0, 1, $4 FROM message`,
      [environmentId, channelId, subscriptionId, retry.id],
    );
    expect(await outcomeOf(`/v1/deliveries/retry/${retry.id}`)).toEqual({ ...NOTHING, succeeded: 1_001 });
    const { body } = await posthorn.request<PageJson<ReplayJson>>('GET', '/v1/deliveries/retry');
    expect(body.data[0]?.outcome).toEqual({ ...NOTHING, succeeded: 1_000, isExact: false });
  });
});
