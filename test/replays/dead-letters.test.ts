import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type BulkReplayJson = {
  id: string;
  status: string;
  matched: number;
  replayed: number;
  failed: number;
  ratePerSecond?: number;
  createdAt: string;
  finishedAt?: string;
};
type LetterJson = { id: string; status: string; messageId: string; replayedBy?: string };

let posthorn: TestPosthorn;
let receiver: Receiver;

beforeAll(async () => {
  posthorn = await startPosthorn();
});
beforeEach(async () => {
  receiver = await startReceiver({ answers: [500] });
});
afterEach(() => receiver.close());
afterAll(() => posthorn.stop());

const lettersOf = async (filter: string): Promise<LetterJson[]> =>
  (await posthorn.request<PageJson<LetterJson>>('GET', `/v1/dlq?limit=100&${filter}`)).body.data;

const bulkReplay = (body: unknown) => posthorn.request<BulkReplayJson>('POST', '/v1/dlq/replay', body);

const untilEnded = (id: string): Promise<BulkReplayJson> =>
  waitFor(`bulk replay ${id} to end`, async () => {
    const { body } = await posthorn.request<BulkReplayJson>('GET', `/v1/dlq/replay/${id}`);
    return body.finishedAt !== undefined && body;
  });

/** A channel whose one subscription has `count` dead letters. */
async function withDeadLetters(count: number): Promise<{ channelId: string; subscriptionId: string }> {
  const { id: channelId } = await createChannel(posthorn);
  const fields = { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
  const { id: subscriptionId } = await createSubscription(posthorn, fields);
  await publishBatch(posthorn, channelId, count);
  await waitFor(`${count} dead letters`, async () => (await lettersOf(`channelId=${channelId}`)).length === count);
  return { channelId, subscriptionId };
}

test('a bulk replay delivers what its filter matches and nothing else', async () => {
  const matched = await withDeadLetters(12);
  const other = await withDeadLetters(2);
  receiver.answerWith([200]);

  const preview = await bulkReplay({ channelId: matched.channelId, dryRun: true });
  expect(preview).toMatchObject({ status: 202, body: { status: 'preview', matched: 12, replayed: 0, failed: 0 } });
  const asked = await bulkReplay({ channelId: matched.channelId });
  expect(asked).toMatchObject({ status: 202, body: { matched: 12 } });

  expect(await untilEnded(asked.body.id)).toMatchObject({ status: 'completed', matched: 12, replayed: 12, failed: 0 });
  const replayed = await lettersOf(`channelId=${matched.channelId}`);
  expect(replayed.every((letter) => letter.status === 'replayed' && letter.replayedBy?.startsWith('key_'))).toBe(true);
  for (const { messageId } of replayed) await waitForDelivery(posthorn, messageId, 'delivered');
  expect((await lettersOf(`channelId=${other.channelId}`)).map((letter) => letter.status)).toEqual(['open', 'open']);
});

test('a delivery that fails again during a bulk replay is a new dead letter and is not taken up a second time', async () => {
  const { channelId } = await withDeadLetters(3);

  const asked = await bulkReplay({ channelId });

  expect(await untilEnded(asked.body.id)).toMatchObject({ status: 'completed', replayed: 3, failed: 0 });
  await waitFor(
    'three new dead letters',
    async () => (await lettersOf(`channelId=${channelId}&status=open`)).length === 3,
  );
  expect(await lettersOf(`channelId=${channelId}`)).toHaveLength(6);
});

test('dead letters of a deleted subscription are counted as failed and stay open', async () => {
  const { channelId, subscriptionId } = await withDeadLetters(2);
  await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);

  const asked = await bulkReplay({ subscriptionId });

  expect(await untilEnded(asked.body.id)).toMatchObject({ status: 'completed', matched: 2, replayed: 0, failed: 2 });
  const letters = await lettersOf(`channelId=${channelId}`);
  expect(letters.map((letter) => letter.status)).toEqual(['open', 'open']);
  expect((await posthorn.request('POST', `/v1/dlq/${letters[0]?.id}/replay`)).status).toBe(409);
});

test('a bulk replay with a rate makes no more due than so many a second', async () => {
  const { channelId } = await withDeadLetters(11);
  receiver.answerWith([200]);

  const asked = await bulkReplay({ channelId, ratePerSecond: 5 });

  expect(asked.body.ratePerSecond).toBe(5);
  const ended = await untilEnded(asked.body.id);
  expect(ended).toMatchObject({ status: 'completed', replayed: 11, ratePerSecond: 5 });
  // Five, five and one, with a second after each five.
  expect(Date.parse(ended.finishedAt ?? '') - Date.parse(ended.createdAt)).toBeGreaterThan(1_990);
});

test('asking twice replays nothing twice', async () => {
  const { channelId } = await withDeadLetters(5);
  receiver.answerWith([200]);

  const [first, second] = await Promise.all([bulkReplay({ channelId }), bulkReplay({ channelId })]);

  const ended = [await untilEnded(first.body.id), await untilEnded(second.body.id)];
  expect(ended.reduce((sum, replay) => sum + replay.replayed, 0)).toBe(5);
});

test('a cancelled bulk replay replays nothing more, and cancelling an ended one is a conflict', async () => {
  const { channelId } = await withDeadLetters(2);
  await posthorn.worker.stop();
  const asked = await bulkReplay({ channelId });
  const cancelled = await posthorn.request<BulkReplayJson>('POST', `/v1/dlq/replay/${asked.body.id}/cancel`);
  expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled', replayed: 0 } });

  await posthorn.worker.start();

  const { id: other } = await createChannel(posthorn);
  const marker = await bulkReplay({ channelId: other });
  await untilEnded(marker.body.id);
  expect((await lettersOf(`channelId=${channelId}`)).map((letter) => letter.status)).toEqual(['open', 'open']);
  expect((await posthorn.request('POST', `/v1/dlq/replay/${marker.body.id}/cancel`)).status).toBe(409);
});

test('a misspelt filter is refused, so that it does not replay everything', async () => {
  const { channelId } = await withDeadLetters(1);

  const refused = await posthorn.request('POST', '/v1/dlq/replay', { chanelId: channelId });

  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: 'chanelId' } } });
  expect((await lettersOf(`channelId=${channelId}`)).map((letter) => letter.status)).toEqual(['open']);
});

test('a bulk replay without a body is refused, an empty filter is everything', async () => {
  const { channelId } = await withDeadLetters(1);
  receiver.answerWith([200]);

  expect((await posthorn.request('POST', '/v1/dlq/replay')).status).toBe(400);
  expect((await lettersOf(`channelId=${channelId}`)).map((letter) => letter.status)).toEqual(['open']);

  const asked = await bulkReplay({});
  expect((await untilEnded(asked.body.id)).matched).toBeGreaterThanOrEqual(1);
  expect((await lettersOf(`channelId=${channelId}`)).map((letter) => letter.status)).toEqual(['replayed']);
});

test('a discarded dead letter is neither replayed alone nor with others', async () => {
  const { channelId } = await withDeadLetters(2);
  const [discarded, kept] = await lettersOf(`channelId=${channelId}`);
  receiver.answerWith([200]);

  expect((await posthorn.request('DELETE', `/v1/dlq/${discarded?.id}`)).status).toBe(204);
  expect((await posthorn.request('DELETE', `/v1/dlq/${discarded?.id}`)).status).toBe(204);
  expect((await posthorn.request('POST', `/v1/dlq/${discarded?.id}/replay`)).status).toBe(409);
  const asked = await bulkReplay({ channelId });

  expect(await untilEnded(asked.body.id)).toMatchObject({ matched: 1, replayed: 1 });
  await waitForDelivery(posthorn, kept?.messageId ?? '', 'delivered');
  expect((await lettersOf(`channelId=${channelId}&status=discarded`)).map(({ id }) => id)).toEqual([discarded?.id]);
});

test('a test message reaches only its subscription and is delivered like any other', async () => {
  receiver.answerWith([200]);
  const { id: channelId } = await createChannel(posthorn);
  const tested = await createSubscription(posthorn, {
    channelId,
    webhookUrl: `${receiver.url}tested`,
    eventTypes: ['order.*'],
  });
  await createSubscription(posthorn, { channelId, webhookUrl: `${receiver.url}other` });

  const { status, body } = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${tested.id}/test`);

  expect(status).toBe(202);
  await waitForDelivery(posthorn, body.id, 'delivered');
  const marker = await publish(posthorn, channelId, { eventType: 'other' });
  await waitForDelivery(posthorn, marker.id, 'delivered');
  expect(receiver.requests.map((request) => request.path)).toEqual(['/tested', '/other']);
});
