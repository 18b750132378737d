import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  type PageJson,
  publish,
} from '../support/make/factories.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type Outcome = { succeeded: number; underWay: number; failed: number; isComplete: boolean };
type ReplayJson = { id: string; status: string; outcome: Outcome };

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await receivers.end();
  await posthorn.stop();
});

const NOTHING = { succeeded: 0, underWay: 0, failed: 0, isComplete: true };

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

// Old: a bulk retry was "completed" once it had asked for all, whatever came of them.
test('a bulk retry and a replay say what has become of their deliveries, which are listed by it', async () => {
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

test('a replay of dead letters says what has become of deliveries and of runs', async () => {
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

test('more than are counted are said to be more', async () => {
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
  expect(body.data[0]?.outcome).toEqual({ ...NOTHING, succeeded: 1_000, isComplete: false });
});
