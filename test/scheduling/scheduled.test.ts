import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { timeOfId } from '../../src/kernel/values/ids.ts';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { type MessageJson, messageCalls, type Refusal, scheduledCalls } from '../support/make/message-calls.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const message = { eventType: 'order.created', payload: { n: 1 } };
const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

let posthorn: TestPosthorn;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

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
  for (const change of [{ delay: HOUR_MS + 1 }, { delay: undefined }, { delay: undefined, deliverAt: ahead(HOUR_MS) }])
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
