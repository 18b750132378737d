import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { timeOfId } from '../../src/kernel/values/ids.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { messageCalls, type MessageJson, type Refusal, scheduledCalls } from '../support/make/message-calls.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { insertOverdue, makeDue } from '../support/world/scheduled.ts';
import { openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('scheduled', () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const message = { eventType: 'order.created', payload: { n: 1 } };
  const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

  let channelId: string;

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });

  const {
    path,
    send,
    sendBatch,
    list: listPublished,
  } = messageCalls(
    () => posthorn,
    () => channelId,
  );
  const { get, listScheduled, publishDue } = scheduledCalls(
    () => posthorn,
    () => channelId,
  );

  async function expectRefused(
    answering: () => Promise<Answer<Refusal>>,
    status: number,
    field: string | undefined,
  ): Promise<void> {
    const before = await tableContents(posthorn.deps.pool);
    const { status: answered, body } = await answering();
    expect([answered, body.error.details?.field]).toEqual([status, field]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  test('a message with deliverAt is accepted, shown by its address and the list of what waits, and published to nobody yet', async () => {
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const deliverAt = ahead(HOUR_MS);

    const { status, body } = await send({ ...message, metadata: { source: 'till' }, deliverAt });

    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      channelId,
      ...message,
      metadata: { source: 'till' },
      publishedAt: deliverAt,
      deliverAt,
      deliveryStatus: 'scheduled',
    });
    expect(timeOfId('message', body.id)?.toISOString()).toBe(deliverAt);
    expect((await get(body.id)).body).toEqual(body);
    expect(await listScheduled()).toEqual([body]);
    expect(await listPublished()).toEqual([]);
    expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(0);
  });

  test('a delay counts from now on, to the millisecond', async () => {
    const [before, { body }, after] = [Date.now(), await send({ ...message, delay: DAY_MS }), Date.now()];
    const at = Date.parse(body.deliverAt ?? '');
    expect(at).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(at).toBeLessThanOrEqual(after + DAY_MS);
  });

  test('at its time it goes to those who subscribe then, under its id and with that time', async () => {
    const { body: accepted } = await send({ ...message, deliverAt: ahead(HOUR_MS) });
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: 'https://example.com/in',
    });

    await publishDue();

    const { deliverAt: _, ...published } = accepted;
    expect((await get(accepted.id)).body).toEqual({ ...published, deliveryStatus: 'pending' });
    expect(await listPublished()).toEqual([{ ...published, deliveryStatus: 'pending' }]);
    expect(await listScheduled()).toEqual([]);
    const deliveries = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
    expect(deliveries).toMatchObject([{ messageId: accepted.id, subscriptionId }]);
  });

  test.each([
    ['both fields', { deliverAt: '2099-01-01T00:00:00Z', delay: 1 }, 'delay'],
    ['a delay of nothing', { delay: 0 }, 'delay'],
    ['a delay of more than 365 days', { delay: 365 * DAY_MS + 1 }, 'delay'],
    ['a delay beyond all numbers that are exact', { delay: 2 ** 53 }, 'delay'],
    ['a delay of half a millisecond', { delay: 1.5 }, 'delay'],
    ['a delay that is a text', { delay: '1000' }, 'delay'],
    ['a date that does not exist', { deliverAt: '2027-02-30T12:00:00Z' }, 'deliverAt'],
    ['a date without a time', { deliverAt: '2027-02-28' }, 'deliverAt'],
    ['a number as the date', { deliverAt: 1_800_000_000_000 }, 'deliverAt'],
    ['more than 365 days ahead', { deliverAt: '2099-01-01T00:00:00Z' }, 'deliverAt'],
    ['the past', { deliverAt: '2026-01-01T00:00:00Z' }, 'deliverAt'],
  ])('%s is refused, alone and in a batch with all that stands beside it', async (_, fields, field) => {
    await expectRefused(() => send({ ...message, ...fields }), 400, field);
    const batch = [message, { ...message, delay: HOUR_MS }, { ...message, ...fields }];
    await expectRefused(() => sendBatch(batch), 400, `messages[2].${field}`);
    const across = { messages: batch.map((each) => ({ ...each, channelId })) };
    await expectRefused(
      () => posthorn.request('POST', '/v1/messages/transactional', across),
      400,
      `messages[2].${field}`,
    );
  });

  test.each([365 * DAY_MS + 1, 2 ** 53, 1e300])('a delay of %d is refused with the longest there is', async (delay) => {
    const { body } = await send<{ error: { details: unknown } }>({ ...message, delay });
    expect(body.error.details).toEqual({ field: 'delay', reason: 'must be at most 31536000000' });
  });

  test('a deliverAt that has just passed is published at once, with the time of now', async () => {
    const { body } = await send({ ...message, deliverAt: ahead(-60_000) });
    expect(body.deliveryStatus).toBe('unrouted');
    expect(Object.keys(body)).not.toContain('deliverAt');
    expect(await listPublished()).toEqual([body]);
  });

  test('a batch publishes what has no time of its own and keeps the rest, in its order', async () => {
    const deliverAt = ahead(HOUR_MS);
    const batch = [
      { ...message, deliverAt },
      message,
      { ...message, deliverAt },
      { ...message, delay: DAY_MS },
      { ...message, deliverAt },
    ];
    const { status, body } = await sendBatch(batch);
    expect([status, body.count, body.status]).toEqual([202, 5, 'accepted']);
    const [first, second, third, fourth, fifth] = body.ids;
    expect((await listPublished()).map(({ id }) => id)).toEqual([second]);
    expect((await listScheduled()).map(({ id }) => id)).toEqual([first, third, fifth, fourth]);
  });

  test('messages to several channels are accepted for all of them or for none', async () => {
    const { id: other } = await createChannel(posthorn);
    await posthorn.request('PATCH', `/v1/channels/${other}`, { status: 'paused' });
    const across = {
      messages: [
        { ...message, channelId },
        { ...message, channelId, delay: HOUR_MS },
        { ...message, channelId: other, delay: HOUR_MS },
      ],
    };
    await expectRefused(() => posthorn.request('POST', '/v1/messages/batch', across), 409, 'messages[2].channelId');
    await posthorn.request('PATCH', `/v1/channels/${other}`, { status: 'active' });
    expect((await posthorn.request('POST', '/v1/messages/batch', across)).status).toBe(202);
    expect([(await listPublished()).length, (await listScheduled()).length]).toEqual([1, 1]);
    channelId = other;
    expect([(await listPublished()).length, (await listScheduled()).length]).toEqual([0, 1]);
  });

  test('a channel that is not active, missing, foreign or the system channel takes nothing for later', async () => {
    const scheduled = { ...message, delay: HOUR_MS };
    const foreign = (): Promise<Answer<Refusal>> =>
      posthorn.request('POST', path(), scheduled, { key: posthorn.keys.test });
    await expectRefused(foreign, 404, undefined);
    const system = await posthorn.deps.db.channel.findFirstOrThrow({ where: { kind: 'system' } });
    const keys = [posthorn.keys.live, posthorn.keys.test];
    const answers = await Promise.all(
      keys.map((key) => posthorn.request('POST', `/v1/channels/${system.id}/messages`, scheduled, { key })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 409]));
    for (const status of ['paused', 'archived']) {
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status });
      await expectRefused(() => send(scheduled), 409, undefined);
    }
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    await expectRefused(() => send(scheduled), 404, undefined);
  });

  test('a payload is checked when it is accepted, and not again when the schema has changed at its time', async () => {
    const schema = (type: string) => ({ schema: { type: 'object', properties: { n: { type } } } });
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, schema('string'));
    await expectRefused(() => send({ ...message, delay: HOUR_MS }), 400, 'payload.n');
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, schema('integer'));
    const { body } = await send({ ...message, delay: HOUR_MS });
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, schema('string'));
    await publishDue();
    expect((await get(body.id)).body.deliveryStatus).toBe('unrouted');
  });

  test('the same Idempotency-Key gets the same answer, and one message waits', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const body = { ...message, delay: HOUR_MS };
    const first = await posthorn.request<MessageJson>('POST', path(), body, { headers });
    const again = await posthorn.request<MessageJson>('POST', path(), body, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await listScheduled()).toEqual([first.body]);
  });

  test("a publisher's id stands for the message that waits, and for it when it is published; with another time it is CONFLICT", async () => {
    const body = { ...message, id: 'order-1', delay: HOUR_MS };
    const first = await send(body);
    expect((await send(body)).body).toEqual(first.body);
    for (const change of [
      { delay: HOUR_MS + 1 },
      { delay: undefined },
      { delay: undefined, deliverAt: ahead(HOUR_MS) },
    ])
      await expectRefused(() => send({ ...body, ...change }), 409, 'id');
    await publishDue();
    expect((await send(body)).body).toEqual((await get(first.body.id)).body);
    expect([(await listPublished()).length, (await listScheduled()).length]).toEqual([1, 0]);
  });

  test('scheduled messages are listed soonest first, in pages whose cursor belongs to their filter', async () => {
    const delays = [5, 1, 4, 2, 3].map((hours) => ({ ...message, delay: hours * HOUR_MS }));
    const { ids } = (await sendBatch(delays)).body;
    const soonest = [1, 3, 4, 2, 0].map((index) => ids[index]);
    const list = `/v1/channels/${channelId}/scheduled`;
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page: Answer<PageJson<MessageJson>> = await posthorn.request('GET', `${list}?limit=2${cursor}`);
      seen.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.pagination.cursor && `&cursor=${page.body.pagination.cursor}`;
      if (cursor !== undefined)
        expect((await posthorn.request('GET', `${list}?status=cancelled${cursor}`)).status).toBe(400);
    }
    expect(seen).toEqual(soonest);
    expect((await posthorn.request('GET', `${list}?status=published`)).status).toBe(400);
    expect((await posthorn.request('GET', list, undefined, { key: posthorn.keys.test })).status).toBe(404);
  });
});

describe('cancel', () => {
  const HOUR_MS = 3_600_000;
  const message = { eventType: 'order.created', payload: { n: 1 } };

  let channelId: string;

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });

  const {
    path,
    send,
    list: listPublished,
  } = messageCalls(
    () => posthorn,
    () => channelId,
  );
  const { get, cancel, listScheduled, publishDue } = scheduledCalls(
    () => posthorn,
    () => channelId,
  );

  test('a cancelled message stays to be seen, is not published, and cancelling it again answers the same', async () => {
    const { body: accepted } = await send({ ...message, delay: HOUR_MS });

    const first = await cancel(accepted.id);

    const { payload, ...rest } = accepted as MessageJson & { payload: unknown };
    const cancelled = {
      ...rest,
      deliveryStatus: 'cancelled',
      cancelReason: 'requested',
      cancelledAt: expect.stringMatching(/Z$/),
    };
    expect([first.status, first.body]).toEqual([200, cancelled]);
    expect(await cancel(accepted.id)).toMatchObject({ status: 200, body: first.body });
    expect((await get(accepted.id)).body).toEqual({ ...cancelled, payload });
    expect(await listScheduled()).toEqual([]);
    expect(await listScheduled('?status=cancelled')).toEqual([{ ...cancelled, payload }]);
    await publishDue();
    expect(await listPublished()).toEqual([]);
  });

  test('a published, foreign or missing message cannot be cancelled', async () => {
    const { body: atOnce } = await send(message);
    expect(await cancel(atOnce.id)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    const { body: later } = await send({ ...message, delay: HOUR_MS });
    const foreign = await posthorn.request('POST', `/v1/messages/${later.id}/cancel`, undefined, {
      key: posthorn.keys.test,
    });
    expect([foreign.status, (await get(later.id)).body.deliveryStatus]).toEqual([404, 'scheduled']);
    await publishDue();
    expect((await cancel(later.id)).status).toBe(409);
    expect((await cancel(posthorn.deps.newId('message', new Date()))).status).toBe(404);
  });

  test('DELETE erases what waits from every table and cancels it; once it is published, from its kept answer as well', async () => {
    const personal = { ...message, payload: { name: 'Elfriede' }, metadata: { contact: 'Elfriede' }, delay: HOUR_MS };
    const sendPersonal = (): Promise<Answer<MessageJson>> =>
      posthorn.request('POST', path(), personal, { headers: { 'idempotency-key': newIdempotencyKey() } });
    const erase = async (id: string): Promise<number> =>
      (await posthorn.request('DELETE', `/v1/messages/${id}`)).status;
    const held = (): Promise<string[]> => tablesThatHold(posthorn.deps.pool, 'Elfriede');

    const { body: waiting } = await sendPersonal();
    expect((await held()).toSorted()).toEqual(['idempotency_keys', 'scheduled_messages']);
    expect([await erase(waiting.id), await held()]).toEqual([204, []]);
    const { body: shown } = await get(waiting.id);
    expect(shown).not.toHaveProperty('payload');
    expect(shown).toMatchObject({ deliveryStatus: 'cancelled', cancelReason: 'erased' });
    expect([await erase(waiting.id), (await get(waiting.id)).body]).toEqual([204, shown]);

    const { body: published } = await sendPersonal();
    await publishDue();
    expect((await held()).toSorted()).toEqual(['idempotency_keys', 'messages']);
    expect([await erase(published.id), await held()]).toEqual([204, []]);
    expect((await get(published.id)).body).not.toHaveProperty('payload');
    expect((await get(published.id)).body).toMatchObject({ deliveryStatus: 'unrouted' });

    const { body: cancelled } = await sendPersonal();
    await cancel(cancelled.id);
    expect([await erase(cancelled.id), await held()]).toEqual([204, []]);
    expect((await get(cancelled.id)).body).toMatchObject({ deliveryStatus: 'cancelled', cancelReason: 'requested' });
  });

  test('deleting a channel cancels what waits in it, and its list stays readable', async () => {
    const { body } = await send({ ...message, delay: HOUR_MS });
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    expect(await listScheduled()).toEqual([]);
    expect(await listScheduled('?status=cancelled')).toMatchObject([{ id: body.id, cancelReason: 'channel_deleted' }]);
    expect((await cancel(body.id)).body).toMatchObject({ cancelReason: 'channel_deleted' });
  });
});

describe('deliveries', () => {
  const HOUR_MS = 3_600_000;

  let posthorn: TestPosthorn;
  const receivers: Receiver[] = [];
  beforeAll(async () => {
    posthorn = await startPosthorn();
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });
  afterAll(() => posthorn.stop());

  async function subscribed(): Promise<{ channelId: string; receiver: Receiver }> {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    return { channelId, receiver };
  }

  const statusOf = async (id: string): Promise<unknown> =>
    (await posthorn.request('GET', `/v1/messages/${id}`)).body['deliveryStatus'];

  test('a message arrives at its time, not before, with that time, its trace and the id that it was accepted under', async () => {
    const { channelId, receiver } = await subscribed();
    const reader = await openStream({
      url: `${posthorn.url}/v1/channels/${channelId}/stream`,
      key: posthorn.keys.live,
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { body: accepted } = await posthorn.request<{ id: string; deliverAt: string; deliveryStatus: string }>(
      'POST',
      `/v1/channels/${channelId}/messages`,
      { eventType: 'order.reminded', payload: { n: 1 }, delay: 1_500 },
      { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'shop=1' } },
    );
    expect(accepted.deliveryStatus).toBe('scheduled');

    await waitForDelivery(posthorn, accepted.id, 'delivered');

    const [request] = receiver.requests;
    expect(request?.at).toBeGreaterThanOrEqual(Date.parse(accepted.deliverAt));
    expect(request?.headers).toMatchObject({ 'webhook-id': accepted.id, tracestate: 'shop=1' });
    expect(request?.headers['traceparent']).toContain(traceId);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      id: accepted.id,
      timestamp: accepted.deliverAt,
      data: { n: 1 },
    });
    const [event] = await reader.waitForEvents(1);
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ id: accepted.id, publishedAt: accepted.deliverAt });
    reader.close();
    expect([receiver.countOf(accepted.id), await statusOf(accepted.id)]).toEqual([1, 'delivered']);
  });

  test('a message cancelled before its time does not arrive, and one that is due after it does', async () => {
    const { channelId, receiver } = await subscribed();
    const cancelled = await publish(posthorn, channelId, { delay: HOUR_MS });
    await posthorn.request('POST', `/v1/messages/${cancelled.id}/cancel`);
    const later = await publish(posthorn, channelId, { delay: HOUR_MS });
    await makeDue(posthorn.deps.pool, channelId);

    await waitForDelivery(posthorn, later.id, 'delivered');

    expect([receiver.countOf(cancelled.id), await statusOf(cancelled.id)]).toEqual([0, 'cancelled']);
  });

  test('a message that a filter lets through arrives, and so does what is due in another channel', async () => {
    const { channelId, receiver } = await subscribed();
    const filtered = await startReceiver();
    receivers.push(filtered);
    const { id: filteredChannelId } = await createChannel(posthorn);
    const filter = 'payload.a.filter(x, x > 5).size() == 400';
    await createSubscription(posthorn, { channelId: filteredChannelId, webhookUrl: filtered.url, filter });
    const payload = JSON.stringify({ a: Array.from({ length: 1_000 }, (_, n) => n % 10) });

    const wanted = await insertOverdue(posthorn, filteredChannelId, { agoMs: 60_000, count: 3, payload });
    const [plain = ''] = await insertOverdue(posthorn, channelId, { agoMs: 60_000 });

    for (const id of [plain, ...wanted]) await waitForDelivery(posthorn, id, 'delivered');
    expect([receiver.countOf(plain), ...wanted.map((id) => filtered.countOf(id))]).toEqual([1, 1, 1, 1]);
  });

  test('a message whose channel is paused at its time arrives once the channel is active again', async () => {
    const { channelId, receiver } = await subscribed();
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    const [id = ''] = await insertOverdue(posthorn, channelId, { agoMs: 60_000 });
    await waitFor('the worker to have looked at it', async () => {
      const row = await posthorn.deps.db.scheduledMessage.findUniqueOrThrow({ where: { id } });
      return row.dueAt === null;
    });
    expect([receiver.countOf(id), await statusOf(id)]).toEqual([0, 'scheduled']);

    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });

    await waitForDelivery(posthorn, id, 'delivered');
    expect(receiver.countOf(id)).toBe(1);
  });

  test('messages that became due while no worker was there arrive with the next one, once, in the order of their times', async () => {
    const { channelId, receiver } = await subscribed();
    await posthorn.worker.stop();
    const [first = ''] = await insertOverdue(posthorn, channelId, { agoMs: 600_000 });
    const [second = ''] = await insertOverdue(posthorn, channelId, { agoMs: 300_000 });
    const atOnce = await publish(posthorn, channelId);

    await posthorn.worker.start();

    for (const id of [first, second, atOnce.id]) await waitForDelivery(posthorn, id, 'delivered');
    expect([first, second, atOnce.id].map((id) => receiver.countOf(id))).toEqual([1, 1, 1]);
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', `/v1/channels/${channelId}/messages`);
    expect(body.data.map(({ id }) => id)).toEqual([atOnce.id, second, first]);
  });

  test('a replay of that time sends a message that was published late again, and one that follows it misses nothing', async () => {
    const { channelId, receiver } = await subscribed();
    const [late = ''] = await insertOverdue(posthorn, channelId, { agoMs: 600_000 });
    await waitForDelivery(posthorn, late, 'delivered');
    const follower = await startReceiver();
    receivers.push(follower);
    await createSubscription(posthorn, {
      channelId,
      webhookUrl: follower.url,
      startFrom: new Date(Date.now() - HOUR_MS).toISOString(),
    });
    const [later = ''] = await insertOverdue(posthorn, channelId, { agoMs: 500_000 });
    await waitFor('both at the follower', () => follower.countOf(late) === 1 && follower.countOf(later) === 1);
    await waitFor('the later one at the first', () => receiver.countOf(later) === 1);
    expect(receiver.countOf(late)).toBe(1);
  });
});
