import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createChannel, type PageJson } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createDuePublisher, makeDue, publishAllDue } from '../support/world/scheduled.ts';
import { startSecondApi } from '../support/service/second-api.ts';
import { tableContents } from '../support/check/table-contents.ts';

type MessageJson = { id: string; deliveryStatus: string };
type Accepted = { count: number; ids: string[] };
type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

const HOUR_MS = 3_600_000;
const message = { eventType: 'order.created', payload: { n: 1 } };
const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

let posthorn: TestPosthorn;
// Its clock is two hours ahead: what was scheduled for the next hour has passed there.
let later: Awaited<ReturnType<typeof startSecondApi>>;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const clock = (): Date => new Date(Date.now() + 2 * HOUR_MS);
  later = await startSecondApi({ keys: posthorn.keys, deps: { ...posthorn.deps, clock } });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(async () => {
  await later.stop();
  await posthorn.stop();
});

const path = (): string => `/v1/channels/${channelId}/messages`;
const send = (body: unknown): Promise<Answer<MessageJson>> => posthorn.request('POST', path(), body);
const sendBatch = (messages: unknown): Promise<Answer<Accepted>> =>
  posthorn.request('POST', `${path()}/batch`, { messages });
const cancel = (id: string): Promise<Answer<MessageJson>> => posthorn.request('POST', `/v1/messages/${id}/cancel`);
const listWaiting = async (): Promise<string[]> => {
  const { body } = await posthorn.request<PageJson<MessageJson>>('GET', `/v1/channels/${channelId}/scheduled`);
  return body.data.map(({ id }) => id);
};

async function expectRefused(
  answering: () => Promise<{ status: number; body: Refusal }>,
  status: number,
  field: string,
): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  const { status: answered, body } = await answering();
  expect([answered, body.error.details?.field]).toEqual([status, field]);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}

// Old: five minutes after its time a repeat was refused for that, whatever its id.
test('a repeat is answered with the first message long after the time it was scheduled for, alone and in a batch', async () => {
  const scheduled = { ...message, id: 'order-1', deliverAt: ahead(HOUR_MS) };
  const first = await send(scheduled);
  await makeDue(posthorn.deps.pool, channelId);
  await publishAllDue(createDuePublisher(posthorn));

  const again = await later.request<MessageJson>('POST', path(), scheduled);

  expect(again).toMatchObject({ status: 202, body: { id: first.body.id, deliveryStatus: 'unrouted' } });
  const batch = [scheduled, { ...message, id: 'order-2' }];
  const inBatch = await later.request<Accepted>('POST', `${path()}/batch`, { messages: batch });
  expect([inBatch.status, inBatch.body.ids[0]]).toEqual([202, first.body.id]);
  const across = { messages: [{ ...scheduled, channelId }] };
  expect((await later.request<Accepted>('POST', '/v1/messages/transactional', across)).body.ids).toEqual([
    first.body.id,
  ]);
  expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(2);
});

test('an id that stands for nothing, or for something else, changes nothing about a time that has passed', async () => {
  const scheduled = { ...message, id: 'order-1', deliverAt: ahead(HOUR_MS) };
  const post = (body: unknown) => later.request<Refusal>('POST', path(), body);
  const postBatch = (messages: unknown) => later.request<Refusal>('POST', `${path()}/batch`, { messages });
  await expectRefused(() => post(scheduled), 400, 'deliverAt');
  await send(scheduled);
  await expectRefused(() => post({ ...scheduled, deliverAt: ahead(HOUR_MS / 2) }), 409, 'id');
  await expectRefused(() => post({ ...scheduled, delay: 1 }), 400, 'delay');
  await expectRefused(() => post({ ...scheduled, id: undefined }), 400, 'deliverAt');
  const other = { ...scheduled, id: 'order-2' };
  await expectRefused(() => postBatch([message, scheduled, other]), 400, 'messages[2].deliverAt');
  expect(await listWaiting()).toHaveLength(1);
});

// Old: the answer was 202 with the id of the cancelled message, and nothing was published.
test('cancelling a message frees its id, for the same and for another message, alone and in a batch', async () => {
  const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
  const first = await send(scheduled);
  await cancel(first.body.id);

  const second = await send(scheduled);

  expect(second).toMatchObject({ status: 202, body: { deliveryStatus: 'scheduled' } });
  expect(second.body.id).not.toBe(first.body.id);
  expect((await send(scheduled)).body.id).toBe(second.body.id);
  expect(await listWaiting()).toEqual([second.body.id]);
  await cancel(second.body.id);
  const batch = [{ ...scheduled, payload: { n: 2 } }, message];
  const third = await sendBatch(batch);
  expect(third.status).toBe(202);
  expect(await listWaiting()).toEqual([third.body.ids[0]]);
  await expectRefused(() => posthorn.request<Refusal>('POST', path(), scheduled), 409, 'id');
});

test('the id of a message that was erased before its time still stands for it', async () => {
  const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
  const first = await send(scheduled);
  await posthorn.request('DELETE', `/v1/messages/${first.body.id}`);
  const again = await send(scheduled);
  expect([again.status, again.body.id]).toEqual([202, first.body.id]);
  expect(await listWaiting()).toEqual([]);
});

test('one of 20 requests that schedule anew under the id of a cancelled message succeeds, and all get its message', async () => {
  const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
  const first = await send(scheduled);
  await cancel(first.body.id);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(scheduled)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(await listWaiting()).toEqual([...new Set(answers.map(({ body }) => body.id))]);
});
