import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Discard = { status: string; matched: number; discarded: number; left: number };
type Refusal = { error: { code: string; details?: { field: string } } };

let posthorn: TestPosthorn;
let environmentId: string;
let channelId: string;
let subscriptionId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ({ id: channelId } = await createChannel(posthorn));
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
  ({ id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' }));
});
afterAll(() => posthorn.stop());

const discard = <T = Discard>(body: unknown) => posthorn.request<T>('POST', '/v1/dlq/discard', body);
/** Open dead letters of a type, of the one subscription. */
const insertOpen = (eventType: string, count: number): Promise<void> =>
  insertListed(
    posthorn.deps.pool,
    { environmentId, channelId },
    { eventType, status: 'failed', count, to: [subscriptionId, subscriptionId] },
  );
const countOf = (eventType: string, status: string): Promise<number> =>
  posthorn.deps.db.deadLetter.count({ where: { eventType, status } });

test('all that a filter matches is counted by a dry run, then discarded, and nothing else is', async () => {
  await insertOpen('order.created', 3);
  await insertOpen('refund.made', 2);
  const filter = { channelId, subscriptionId, eventType: 'order.*', reason: 'gone' };
  const none = { status: 'preview', matched: 3, discarded: 0, left: 3 };
  expect((await discard({ ...filter, dryRun: true })).body).toEqual(none);
  expect(await countOf('order.created', 'open')).toBe(3);
  const { status, body } = await discard(filter);
  expect([status, body]).toEqual([200, { status: 'discarded', matched: 3, discarded: 3, left: 0 }]);
  expect([await countOf('order.created', 'discarded'), await countOf('refund.made', 'open')]).toEqual([3, 2]);
  expect((await discard(filter)).body).toEqual({ status: 'discarded', matched: 0, discarded: 0, left: 0 });
  // None of them is replayed afterwards.
  const replay = await posthorn.request<{ matched: number }>('POST', '/v1/dlq/replay', { ...filter, dryRun: true });
  expect(replay.body.matched).toBe(0);
});

test('each request takes the oldest thousand, and the same one goes on with the rest', async () => {
  await insertOpen('bulk.many', 1_203);
  const filter = { eventType: 'bulk.many' };
  expect((await discard(filter)).body).toEqual({ status: 'discarded', matched: 1_203, discarded: 1_000, left: 203 });
  const { db } = posthorn.deps;
  const newest = await db.deadLetter.findFirstOrThrow({
    where: { ...filter, status: 'discarded' },
    orderBy: { id: 'desc' },
  });
  expect(await db.deadLetter.count({ where: { ...filter, status: 'open', id: { lt: newest.id } } })).toBe(0);
  expect((await discard(filter)).body).toEqual({ status: 'discarded', matched: 203, discarded: 203, left: 0 });
});

test('dead letters that failed at or after `until` are left', async () => {
  await insertOpen('bulk.later', 1);
  expect((await discard({ eventType: 'bulk.later', until: '2020-01-01T00:00:00Z' })).body.matched).toBe(0);
  expect(await countOf('bulk.later', 'open')).toBe(1);
});

test('who has discarded them, by which filter and how many, is in the audit log', async () => {
  await insertOpen('bulk.told', 2);
  await discard({ eventType: 'bulk.told' });
  const path = '/v1/audit?action=dead_letter.bulk_discarded&limit=1';
  const { body } = await posthorn.request<PageJson<{ target: { id: string }; after: object }>>('GET', path);
  expect(body.data[0]).toMatchObject({
    target: { id: expect.stringMatching(/^dlq_/) },
    after: { eventType: 'bulk.told', discarded: 2 },
  });
});

test.each([
  [undefined, 'body'],
  [{ chanelId: 'chn_1' }, 'chanelId'],
  [{ channelId: 'chn_00000000000000000000000000' }, 'channelId'],
  [{ messageId: 'msg_\u0000' }, 'messageId'],
  [{ errorStatus: 700 }, 'errorStatus'],
  [{ since: 'yesterday' }, 'since'],
  [{ ratePerSecond: 10 }, 'ratePerSecond'],
])('%j is refused, so that it does not discard everything', async (body, field) => {
  await insertOpen('bulk.kept', 1);
  const answer = await discard<Refusal>(body);
  expect([answer.status, answer.body.error.details?.field]).toEqual([400, field]);
  expect(await countOf('bulk.kept', 'discarded')).toBe(0);
});
