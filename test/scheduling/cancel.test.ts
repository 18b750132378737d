import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createChannel } from '../support/make/factories.ts';
import { type MessageJson, messageCalls, scheduledCalls } from '../support/make/message-calls.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';

const HOUR_MS = 3_600_000;
const message = { eventType: 'order.created', payload: { n: 1 } };

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
  const erase = async (id: string): Promise<number> => (await posthorn.request('DELETE', `/v1/messages/${id}`)).status;
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
