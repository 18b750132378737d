import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Progress, runBatch } from '../../src/replays/batches.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const webhookUrl = 'https://example.com/in';

let posthorn: TestPosthorn;
let subscriptionId: string;
let replayId: string;
let ids: string[];
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
/** Twenty messages that nobody got, a subscription that wants the fourth of them, and a replay of all. */
beforeEach(async () => {
  const { id: channelId } = await createChannel(posthorn);
  ids = await publishBatch(posthorn, channelId, 20);
  ({ id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl, filter: 'payload.n == 3' }));
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body } = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${subscriptionId}/replay`, {
    since,
  });
  replayId = body.id;
});
afterAll(() => posthorn.stop());

/** When all of it has settled. Before the first message is asked about `meanwhile` happens, once. */
function next(meanwhile: () => Promise<unknown> = async () => {}): Promise<Progress> {
  const { pool, filters } = posthorn.deps;
  let isFirst = true;
  return runBatch(
    {
      pool,
      filters: {
        async evaluate(...asked) {
          if (isFirst) {
            isFirst = false;
            await meanwhile();
          }
          return filters.evaluate(...asked);
        },
      },
    },
    { kind: 'replayMessages', id: replayId, carrier: 'replay/test', now: new Date(Date.now() + 60_000) },
  );
}
const made = (count: number) => ({ isFinished: true, counts: { matched: count, replayed: count } });
const patch = (body: Record<string, unknown>) => posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, body);
const replayed = async (): Promise<string[]> =>
  (await posthorn.deps.db.delivery.findMany({ where: { subscriptionId } }))
    .map(({ messageId }) => messageId)
    .toSorted();

// Old: it was asked in the transaction that noted the position, which held back every stream of the server meanwhile.
test('while a replay asks its filter no transaction is open', async () => {
  const progress = await next(async () => {
    // Another transaction, such as that of a key's last use, ends by itself.
    await waitFor('no transaction to be open', async () => {
      const { rowCount } = await posthorn.deps.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
           AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
      );
      return rowCount === 0;
    });
  });
  expect(progress).toMatchObject(made(1));
  expect(await replayed()).toEqual([ids[3]]);
});

test.each<[string, Record<string, unknown>, number[]]>([
  ['another filter', { filter: 'payload.n > 17' }, [18, 19]],
  ['other event types', { eventTypes: ['refund.*'] }, []],
])('with %s by then nothing is replayed, and the next batch asks anew', async (_, change, wanted) => {
  expect(await next(() => patch(change))).toEqual({
    isFinished: false,
    counts: { matched: 0, replayed: 0 },
    waitMs: 0,
  });
  expect(await replayed()).toEqual([]);
  expect(await next()).toMatchObject(made(wanted.length));
  expect(await replayed()).toEqual(wanted.map((n) => ids[n] ?? '').toSorted());
});

test('without a filter by then all of them are replayed, whatever it said', async () => {
  expect(await next(() => patch({ filter: null }))).toMatchObject(made(20));
  expect(await replayed()).toEqual(ids.toSorted());
});

test('the first of two calls that evaluate the same batch replays it', async () => {
  let inner: Progress | undefined;
  const outer = await next(async () => {
    inner = await next();
  });
  expect(inner).toMatchObject(made(1));
  expect(outer).toMatchObject({ isFinished: true });
  expect(await replayed()).toEqual([ids[3]]);
});
