import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { lowestIdAt } from '../../src/kernel/values/ids.ts';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type ReplayJson = {
  id: string;
  status: string;
  matched: number;
  replayed: number;
  upTo?: string;
  finishedAt?: string;
};

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

const receiving = (...answers: number[]): Promise<Receiver> =>
  receivers.start({ answers: answers.length === 0 ? [200] : answers });

const ask = (subscriptionId: string, body: unknown) =>
  posthorn.request<ReplayJson & { error?: { code: string; details: { field: string } } }>(
    'POST',
    `/v1/subscriptions/${subscriptionId}/replay`,
    body,
  );

const untilEnded = (id: string): Promise<ReplayJson> =>
  waitFor(`replay ${id} to end`, async () => {
    const { body } = await posthorn.request<ReplayJson>('GET', `/v1/replays/${id}`);
    return body.finishedAt !== undefined && body;
  });

const HOUR_MS = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** Messages of the past, as if published then: their ids carry that time. */
async function age(channelId: string, ids: readonly string[], hours: number): Promise<string[]> {
  const old: string[] = [];
  for (const id of ids) {
    const time = lowestIdAt('message', new Date(Date.now() - hours * HOUR_MS)).slice(0, 14);
    const aged = `${time}${id.slice(14)}`;
    await posthorn.database.pool.query(
      `UPDATE messages SET id = $2, published_at = now() - make_interval(hours => $3) WHERE id = $1 AND channel_id = $4`,
      [id, aged, hours, channelId],
    );
    await posthorn.database.pool.query('UPDATE deliveries SET message_id = $2 WHERE message_id = $1', [id, aged]);
    old.push(aged);
  }
  return old;
}

test('a subscription created with startFrom gets what is stored since then, once, beside what comes now', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const older = await age(channelId, await publishBatch(posthorn, channelId, 3), 5);
  const younger = await age(channelId, await publishBatch(posthorn, channelId, 4), 1);
  const receiver = await receiving();

  const created = await posthorn.request<{ id: string; replayId: string }>('POST', '/v1/subscriptions', {
    channelId,
    webhookUrl: receiver.url,
    startFrom: ago(2),
  });
  const live = await publish(posthorn, channelId);

  expect(created.status).toBe(201);
  const replay = await untilEnded(created.body.replayId);
  expect(replay).toMatchObject({ status: 'completed', replayed: 4 });
  for (const id of [...younger, live.id]) await waitForDelivery(posthorn, id, 'delivered');
  expect([...younger, live.id].map((id) => receiver.countOf(id))).toEqual([1, 1, 1, 1, 1]);
  expect(older.map((id) => receiver.countOf(id))).toEqual([0, 0, 0]);
  const shown = await posthorn.request('GET', `/v1/subscriptions/${created.body.id}`);
  expect(shown.body).not.toHaveProperty('startFrom');
});

test('a replay sends again what its bounds and eventTypes match; with onlyMissing only what is missing', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const receiver = await receiving();
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, eventTypes: ['order.*'] });
  const { id: first } = await publish(posthorn, channelId, { eventType: 'order.paid' });
  await waitForDelivery(posthorn, first, 'delivered');
  const [had = ''] = await age(channelId, [first], 3);
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { eventTypes: ['none'] });
  const missed = (await publish(posthorn, channelId, { eventType: 'order.sent' })).id;
  const other = (await publish(posthorn, channelId, { eventType: 'bill.paid' })).id;
  const [oldMissed = '', oldOther = ''] = await age(channelId, [missed, other], 2);
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { eventTypes: ['order.*'] });

  const missing = await ask(id, { since: ago(4), onlyMissing: true });
  expect(missing.status).toBe(202);
  expect(await untilEnded(missing.body.id)).toMatchObject({ status: 'completed', matched: 2, replayed: 1 });
  await waitForDelivery(posthorn, oldMissed, 'delivered');
  expect([first, had, oldMissed, oldOther].map((message) => receiver.countOf(message))).toEqual([1, 0, 1, 0]);

  const again = await ask(id, { since: ago(4), until: ago(2.5), eventTypes: ['order.paid'] });
  expect(await untilEnded(again.body.id)).toMatchObject({ status: 'completed', matched: 1, replayed: 1 });
  await waitFor('its second arrival', () => receiver.countOf(had) === 1);
  expect([oldMissed, oldOther].map((message) => receiver.countOf(message))).toEqual([1, 0]);
});

test('no replay takes a test message to another subscription, whatever its event type', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const [tested, other] = [await receiving(), await receiving()];
  const { id: testedId } = await createSubscription(posthorn, { channelId, webhookUrl: tested.url });
  const test = { eventType: 'order.paid', payload: { n: 1 } };
  const { body } = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${testedId}/test`, test);
  await waitForDelivery(posthorn, body.id, 'delivered');
  const { id: published } = await publish(posthorn, channelId, { eventType: 'order.paid' });
  const [oldTest = '', old = ''] = await age(channelId, [body.id, published], 1);
  const { id: otherId } = await createSubscription(posthorn, { channelId, webhookUrl: other.url });

  const replay = await ask(otherId, { since: ago(2) });

  expect(await untilEnded(replay.body.id)).toMatchObject({ status: 'completed', matched: 1, replayed: 1 });
  await waitForDelivery(posthorn, old, 'delivered');
  expect([oldTest, old].map((message) => other.countOf(message))).toEqual([0, 1]);
});

test('a replay sends what the filter lets through as it is now, and passes over the rest, batch after batch', async () => {
  const { id: channelId } = await createChannel(posthorn);
  // More than two batches of those that a filter is asked about.
  const ids = await age(channelId, await publishBatch(posthorn, channelId, 100), 2);
  const more = await age(channelId, await publishBatch(posthorn, channelId, 20), 1);
  const receiver = await receiving();
  const filter = 'payload.n % 50 == 3';
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, filter });
  const wanted = [ids[3] ?? '', ids[53] ?? '', more[3] ?? ''];

  const first = await ask(id, { since: ago(3), ratePerSecond: 1_000 });
  expect(await untilEnded(first.body.id)).toMatchObject({ status: 'completed', matched: 3, replayed: 3 });
  for (const message of wanted) await waitForDelivery(posthorn, message, 'delivered');
  expect(receiver.requests).toHaveLength(3);

  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { filter: 'payload.n == 4 || payload.missing' });
  const second = await ask(id, { since: ago(3), ratePerSecond: 1_000 });
  expect(await untilEnded(second.body.id)).toMatchObject({ status: 'completed', matched: 2, replayed: 2 });
  for (const message of [ids[4] ?? '', more[4] ?? '']) await waitForDelivery(posthorn, message, 'delivered');
  expect(receiver.requests).toHaveLength(5);
});

test('a delivery that was made before the filter is retried and replayed without being asked about', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const receiver = await receiving(500, 200, 200);
  const retryPolicy = { maxRetries: 0 };
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
  const message = await publish(posthorn, channelId);
  const failed = await waitForDelivery(posthorn, message.id, 'failed');
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { filter: 'false' });
  const letters = await posthorn.request<{ data: { id: string }[] }>('GET', `/v1/dlq?subscriptionId=${id}`);
  await posthorn.request('POST', `/v1/dlq/${letters.body.data[0]?.id}/replay`);
  await waitForDelivery(posthorn, message.id, 'delivered');
  await posthorn.request('POST', `/v1/deliveries/${failed.id}/retry`);
  await waitFor('its third arrival', () => receiver.countOf(message.id) === 3);
});

test('a replayed dead letter is closed, and what is under way is left alone', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const receiver = await receiving(500, 200);
  const retryPolicy = { maxRetries: 0 };
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
  const failed = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, failed.id, 'failed');
  const [message = ''] = await age(channelId, [failed.id], 1);
  await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
  const [waiting = ''] = await age(channelId, [(await publish(posthorn, channelId)).id], 1);

  const { body } = await ask(id, { since: ago(2) });

  expect(await untilEnded(body.id)).toMatchObject({ status: 'completed', matched: 2, replayed: 1 });
  await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
  await waitForDelivery(posthorn, message, 'delivered');
  await waitForDelivery(posthorn, waiting, 'delivered');
  expect([failed.id, message, waiting].map((each) => receiver.countOf(each))).toEqual([1, 1, 1]);
  const letters = await posthorn.request<{ data: { status: string }[] }>('GET', `/v1/dlq?subscriptionId=${id}`);
  expect(letters.body.data.map(({ status }) => status)).toEqual(['replayed']);
});

test('a replay keeps its rate, shows how far it is, can be cancelled, and then stops', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await age(channelId, await publishBatch(posthorn, channelId, 20), 1);
  const receiver = await receiving();
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });

  const askedAt = Date.now();
  const { body } = await ask(id, { since: ago(2), ratePerSecond: 1 });
  await waitFor('two of them', () => receiver.requests.length >= 2);
  const cancelled = await posthorn.request<ReplayJson>('POST', `/v1/replays/${body.id}/cancel`);

  expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled', upTo: expect.any(String) } });
  expect(cancelled.body.replayed).toBeLessThan(20);
  await waitFor('its Temporal workflow to end', async () => {
    const { status } = await posthorn.temporal.workflow.getHandle(`message-replay/${body.id}`).describe();
    return status.name === 'COMPLETED';
  });
  const { body: after } = await posthorn.request<ReplayJson>('GET', `/v1/replays/${body.id}`);
  expect(after.replayed).toBe(cancelled.body.replayed);
  // Not by the time between the two: the first may come late.
  expect((receiver.requests[1]?.at ?? 0) - askedAt).toBeGreaterThanOrEqual(990);
});

test('goes on behind its last message when its worker ends, and ends with its subscription', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const ids = await age(channelId, await publishBatch(posthorn, channelId, 24), 1);
  const receiver = await receiving();
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const { body } = await ask(id, { since: ago(2), ratePerSecond: 4 });
  await waitFor('the first ones', () => receiver.requests.length >= 2);

  await posthorn.worker.stop();
  await posthorn.worker.start();

  expect(await untilEnded(body.id)).toMatchObject({ status: 'completed', matched: 24, replayed: 24 });
  for (const message of ids) await waitForDelivery(posthorn, message, 'delivered');
  expect(ids.filter((message) => receiver.countOf(message) !== 1)).toEqual([]);

  const slow = await ask(id, { since: ago(2), ratePerSecond: 1 });
  await waitFor('one more', () => receiver.requests.length >= 25);
  await posthorn.request('DELETE', `/v1/subscriptions/${id}`);
  expect(await untilEnded(slow.body.id)).toMatchObject({ status: 'cancelled' });
});

test('bad bounds change nothing, and another environment knows nothing of a replay', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const count = async (): Promise<number> =>
    (await posthorn.database.pool.query('SELECT FROM message_replays')).rowCount ?? 0;
  const before = await count();
  for (const [body, field] of [
    [{}, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: ago(-1) }, 'since'],
    [{ since: 1 }, 'since'],
    [{ since: ago(1), eventTypes: ['a.*.b'] }, 'eventTypes[0]'],
    [{ since: ago(1), onlyMissing: 'yes' }, 'onlyMissing'],
    [{ since: ago(1), ratePerSecond: 0 }, 'ratePerSecond'],
    [{ since: ago(1), onlymissing: true }, 'onlymissing'],
  ] as const) {
    expect(await ask(id, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { field } } },
    });
  }
  const future = { channelId, webhookUrl: 'http://127.0.0.1:4000/', startFrom: ago(-1) };
  expect(await posthorn.request('POST', '/v1/subscriptions', future)).toMatchObject({
    status: 400,
    body: { error: { details: { field: 'startFrom' } } },
  });
  expect(await count()).toBe(before);
  const { body } = await ask(id, { since: ago(1) });
  const foreign = await posthorn.request('GET', `/v1/replays/${body.id}`, undefined, { key: posthorn.keys.test });
  expect(foreign.status).toBe(404);
  await untilEnded(body.id);
  expect((await posthorn.request('POST', `/v1/replays/${body.id}/cancel`)).status).toBe(409);
});
