import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createReceivers } from '../support/world/receiver.ts';

type Preview = {
  status: string;
  matched: number;
  isComplete: boolean;
  replayed: number;
  oldest: { id: string; eventType: string; publishedAt: string }[];
};
type Replay = { id: string; replayed: number; finishedAt?: string };

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

const SINCE = '2026-01-01T00:00:00Z';

const preview = async (id: string, body: object): Promise<Preview> => {
  const asked = { since: SINCE, ...body, dryRun: true };
  const answer = await posthorn.request<Preview>('POST', `/v1/subscriptions/${id}/replay`, asked);
  expect([answer.status, answer.body.status, answer.body.replayed]).toEqual([202, 'preview', 0]);
  return answer.body;
};
const replay = async (id: string, body: object): Promise<Replay> => {
  const asked = await posthorn.request<Replay>('POST', `/v1/subscriptions/${id}/replay`, { since: SINCE, ...body });
  expect(asked.status).toBe(202);
  return waitFor('the end of the replay', async () => {
    const { body: now } = await posthorn.request<Replay>('GET', `/v1/replays/${asked.body.id}`);
    return now.finishedAt !== undefined && now;
  });
};

// The page counted all messages of the channel by its figures, whatever types, filter and missing ones were asked for.
test.each([
  ['without a filter', {}],
  ['with a filter', { filter: 'payload.n < 10' }],
])(
  'a dry run counts what the replay takes, shows the oldest and changes nothing: a subscription %s',
  async (_, given) => {
    const { id: channelId } = await createChannel(posthorn);
    const receiver = await receivers.start({ answers: [200, 503] });
    const target = { channelId, webhookUrl: receiver.url, eventTypes: ['order.*'], ...given };
    const policy = { retryPolicy: { initialDelay: 600_000 } };
    const { id } = await createSubscription(posthorn, { ...target, ...policy, circuitBreaker: false });
    const had = await publish(posthorn, channelId, { eventType: 'order.paid' });
    await waitForDelivery(posthorn, had.id, 'delivered');
    const waiting = await publish(posthorn, channelId, { eventType: 'order.paid' });
    await waitForDelivery(posthorn, waiting.id, 'retrying');
    // These come while it wants none of them.
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { eventTypes: ['none'] });
    const missed = [
      await publish(posthorn, channelId),
      await publish(posthorn, channelId, { eventType: 'order.paid' }),
    ];
    await publish(posthorn, channelId, { eventType: 'bill.paid' });
    if ('filter' in given) await publish(posthorn, channelId, { payload: { n: 10 } });
    const gone = await publish(posthorn, channelId);
    await posthorn.request('DELETE', `/v1/messages/${gone.id}`);
    await posthorn.request('POST', `/v1/subscriptions/${id}/test`, { eventType: 'order.paid', payload: { n: 1 } });
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { eventTypes: ['order.*'] });

    const all = await preview(id, {});
    const missing = await preview(id, { onlyMissing: true });
    const paid = await preview(id, { onlyMissing: true, eventTypes: ['order.paid'] });

    const ids = (found: Preview): string[] => found.oldest.map((each) => each.id);
    const wanted = missed.map((each) => each.id);
    expect([all.matched, all.isComplete, ids(all)]).toEqual([3, true, [had.id, ...wanted]]);
    expect([missing.matched, missing.isComplete, ids(missing)]).toEqual([2, true, wanted]);
    expect([paid.matched, ids(paid)]).toEqual([1, wanted.slice(1)]);
    expect(paid.oldest[0]).toMatchObject({ eventType: 'order.paid', publishedAt: missed[1]?.publishedAt });
    const until = missed[0]?.publishedAt;
    expect((await preview(id, { until })).matched).toBe(1);
    const { body } = await posthorn.request<{ data: unknown[] }>('GET', `/v1/replays?subscriptionId=${id}`);
    expect(body.data).toEqual([]);

    expect((await replay(id, { onlyMissing: true, eventTypes: ['order.paid'] })).replayed).toBe(paid.matched);
    for (const each of wanted.slice(1)) await waitForDelivery(posthorn, each, 'retrying');
    expect((await preview(id, { onlyMissing: true })).matched).toBe(1);
    expect((await replay(id, {})).replayed).toBe(2);
    expect((await preview(id, {})).matched).toBeLessThan(2);
  },
);

test('a dry run with a filter looks at 2,000 messages, and says that these are not all', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const [first = ''] = await publishBatch(posthorn, channelId, 1);
  await posthorn.deps.pool.query(
    `INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('id', posthorn_id('msg')))).*
     FROM messages m CROSS JOIN generate_series(1, 2000) n WHERE m.id = $1`,
    [first],
  );
  const target = { channelId, webhookUrl: 'https://example.com/in', status: 'paused' };
  const { id } = await createSubscription(posthorn, { ...target, filter: 'true' });
  const { id: plain } = await createSubscription(posthorn, target);

  expect(await preview(id, {})).toMatchObject({ matched: 2_000, isComplete: false });
  const counted = await preview(plain, {});
  expect([counted.matched, counted.isComplete, counted.oldest.length]).toEqual([2_001, true, 5]);
  expect(counted.oldest[0]?.id).toBe(first);
});

test('a dry run refuses what a replay refuses', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  for (const body of [{ since: '2999-01-01T00:00:00Z' }, { since: SINCE, eventTypes: ['ord*'] }, {}]) {
    const answer = await posthorn.request('POST', `/v1/subscriptions/${id}/replay`, { ...body, dryRun: true });
    expect([body, answer.status]).toEqual([body, 400]);
  }
  const none = `/v1/subscriptions/sub_0${'z'.repeat(25)}/replay`;
  expect((await posthorn.request('POST', none, { since: SINCE, dryRun: true })).status).toBe(404);
});
