import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mergeParts, PARTS_AT_ONCE, removeOldFigures } from '../../src/stats/merge-store.ts';
import { recordCrash } from '../../src/deliveries/statements/record-crash.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';

type Figures = {
  accepted?: number;
  delivered: number;
  failedAttempts: number;
  deadLetters: number;
  givenUp: number;
  latencyMs?: { p50: number; p95: number };
};
type Stats = {
  since: string;
  until: string;
  stepSeconds: number;
  totals: Figures;
  answers: { status?: number; errorClass?: string; count: number }[];
  points: (Figures & { at: string; answers: Record<string, number> })[];
};

const NO_ANSWERS = { status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0, none: 0 };

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receivers.end();
});

const read = async (query = ''): Promise<Stats> => {
  const { status, body } = await posthorn.request<Stats>('GET', `/v1/stats${query}`);
  expect(status).toBe(200);
  return body;
};
/** The figures once what they need is recorded. The worker sums up too, every five seconds. */
const readOnce = (query: string, isThere: (stats: Stats) => boolean): Promise<Stats> =>
  waitFor('figures are summed up', async () => {
    await mergeParts(posthorn.deps.pool);
    const stats = await read(query);
    return isThere(stats) && stats;
  });
const publish = (channelId: string, count: number) =>
  posthorn.request('POST', `/v1/channels/${channelId}/messages/batch`, {
    messages: Array.from({ length: count }, (_, n) => ({ eventType: 'order.created', payload: { n } })),
  });
const without = ({ accepted, delivered, failedAttempts, deadLetters }: Figures): object => ({
  ...(accepted !== undefined && { accepted }),
  delivered,
  failedAttempts,
  deadLetters,
});
const insertPart = (values: Record<string, unknown>) => {
  const names = Object.keys(values);
  return posthorn.deps.pool.query(
    `INSERT INTO stat_parts (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(values),
  );
};

describe('figures of traffic', () => {
  test('count what was published, each attempt by its answer, and what was given up', async () => {
    const good = await receivers.start({});
    const bad = await receivers.start({ answers: [500] });
    const { id: channelId } = await createChannel(posthorn);
    const one = await createSubscription(posthorn, { channelId, webhookUrl: good.url });
    const retryPolicy = { maxRetries: 1, initialDelay: 100 };
    const other = await createSubscription(posthorn, { channelId, webhookUrl: bad.url, retryPolicy });
    await publish(channelId, 3);

    const ofChannel = await readOnce(
      `?channelId=${channelId}`,
      ({ totals }) => totals.deadLetters === 3 && totals.delivered === 3,
    );
    expect(without(ofChannel.totals)).toEqual({ accepted: 3, delivered: 3, failedAttempts: 6, deadLetters: 3 });
    expect(ofChannel.answers).toEqual([
      { status: 500, count: 6 },
      { status: 200, count: 3 },
    ]);
    // Dead letters of runs stand beside those of deliveries there, so that neither is told apart.
    expect(ofChannel.totals.givenUp).toBeUndefined();
    expect(ofChannel.totals.latencyMs?.p50).toBeGreaterThan(0);

    const [ofGood, ofBad] = [await read(`?subscriptionId=${one.id}`), await read(`?subscriptionId=${other.id}`)];
    expect(without(ofGood.totals)).toEqual({ delivered: 3, failedAttempts: 0, deadLetters: 0 });
    expect(without(ofBad.totals)).toEqual({ delivered: 0, failedAttempts: 6, deadLetters: 3 });
    expect(ofBad.answers).toEqual([{ status: 500, count: 6 }]);
    expect(await read(`?channelId=${channelId}&subscriptionId=${other.id}`)).toMatchObject({ totals: ofBad.totals });
    const elsewhere = await createChannel(posthorn);
    expect((await read(`?channelId=${elsewhere.id}&subscriptionId=${other.id}`)).answers).toEqual([]);

    const { body } = await posthorn.request<{
      stepSeconds: number;
      subscriptions: { subscriptionId: string; totals: Figures; points: Figures[] }[];
    }>('GET', `/v1/stats/subscriptions?subscriptionIds=${other.id},${one.id}`);
    expect(body.stepSeconds).toBe(3_600);
    expect(body.subscriptions.map(({ subscriptionId, totals }) => [subscriptionId, without(totals)])).toEqual([
      [other.id, { delivered: 0, failedAttempts: 6, deadLetters: 3 }],
      [one.id, { delivered: 3, failedAttempts: 0, deadLetters: 0 }],
    ]);
    const newest = await posthorn.request<typeof body>('GET', '/v1/stats/subscriptions');
    expect(newest.body.subscriptions.slice(0, 2)).toEqual(body.subscriptions);
  });

  test('the environment has those of its channels', async () => {
    const before = (await read()).totals;
    const { id: channelId } = await createChannel(posthorn);
    await publish(channelId, 5);
    const after = await readOnce('', ({ totals }) => totals.accepted === (before.accepted ?? 0) + 5);
    expect(after.totals.deadLetters).toBe(before.deadLetters);
    expect(after.points.reduce((sum, { accepted = 0 }) => sum + accepted, 0)).toBe(after.totals.accepted);
    expect((await read(`?channelId=${channelId}`)).totals).toEqual({
      accepted: 5,
      delivered: 0,
      failedAttempts: 0,
      deadLetters: 0,
    });
  });

  test('leave out test messages, which nobody has published, and count their attempts', async () => {
    const receiver = await receivers.start({});
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    await posthorn.request('POST', `/v1/subscriptions/${id}/test`);
    const { totals } = await readOnce(`?subscriptionId=${id}`, ({ totals }) => totals.delivered === 1);
    expect(totals.failedAttempts).toBe(0);
    expect((await read(`?channelId=${channelId}`)).totals.accepted).toBe(0);
  });

  test('count a try whose worker died', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: 'https://example.com/',
      status: 'paused',
    });
    await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    await publish(channelId, 1);
    const { id: deliveryId } = await posthorn.deps.db.delivery.findFirstOrThrow({ where: { subscriptionId: id } });
    const crash = { deliveryId, round: 1, number: 1, carrier: 'delivery/1' };
    await recordCrash(posthorn.deps.pool, crash);
    await recordCrash(posthorn.deps.pool, crash);
    const { answers } = await readOnce(`?subscriptionId=${id}`, ({ totals }) => totals.failedAttempts > 0);
    expect(answers).toEqual([{ errorClass: 'crashed', count: 1 }]);
  });

  test('have a point for each step of the span, those without traffic too', async () => {
    const stats = await read('?since=2026-01-01T00:00:00Z&until=2026-01-03T00:00:00Z');
    expect([stats.since, stats.until, stats.stepSeconds]).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-03T00:00:00.000Z',
      3_600,
    ]);
    expect(stats.points).toHaveLength(48);
    expect(stats.points[0]).toEqual({
      at: '2026-01-01T00:00:00.000Z',
      accepted: 0,
      delivered: 0,
      failedAttempts: 0,
      deadLetters: 0,
      givenUp: 0,
      answers: NO_ANSWERS,
    });
  });

  test.each([
    ['?since=soon', 'since'],
    ['?step=60', 'step'],
    ['/subscriptions?subscriptionIds=', 'subscriptionIds'],
    ['/subscriptions?subscriptionIds=chn_01m7xyn29kf99taeh4t9wftvgy', 'subscriptionIds'],
    [
      `/subscriptions?subscriptionIds=${Array.from({ length: 101 }, (_, n) => `sub_01m7xyn29kf99taeh4t9wft${100 + n}`).join(',')}`,
      'subscriptionIds',
    ],
  ])('are refused with the field that is wrong (%s)', async (query, field) => {
    const { status, body } = await posthorn.request('GET', `/v1/stats${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } });
  });

  test('an id that names nothing has those of no traffic', async () => {
    for (const query of ['?channelId=chn_01m7xyn29kf99taeh4t9wftvgy', '?channelId=orders'])
      expect((await read(query)).totals).toMatchObject({ delivered: 0, failedAttempts: 0, deadLetters: 0 });
  });
});

describe('parts', () => {
  test('are summed up once, though several processes sum up at the same time', async () => {
    const { pool } = posthorn.deps;
    const { id: channelId } = await createChannel(posthorn);
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const count = PARTS_AT_ONCE + 500;
    await pool.query(
      `INSERT INTO stat_parts (environment_id, channel_id, accepted, outcomes)
       SELECT $1, $2, 2, ARRAY[200 * 64 + 3, 200 * 64 + 3, 4 * 64 + 63] FROM generate_series(1, $3)`,
      [environmentId, channelId, count],
    );
    await Promise.all(Array.from({ length: 8 }, () => mergeParts(pool)));
    const { totals } = await readOnce(`?channelId=${channelId}`, ({ totals }) => totals.accepted === 2 * count);
    expect(totals).toMatchObject({ delivered: 2 * count, failedAttempts: count });
    // Nothing of it comes again.
    await mergeParts(pool);
    expect((await read(`?channelId=${channelId}`)).totals).toEqual(totals);
  });

  test('stand in the minute and the hour in which their transaction began', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const dayAgo = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 24 * 3_600_000);
    const at = (ms: number): Date => new Date(dayAgo.getTime() + ms);
    for (const ms of [0, 59_999, 60_000, 3_599_999, 3_600_000])
      await insertPart({ environment_id: environmentId, channel_id: channelId, accepted: 1, at: at(ms) });
    const bounds = (from: number): string =>
      `?channelId=${channelId}&since=${at(from).toISOString()}&until=${at(7_200_000).toISOString()}`;
    // Four days are shown by hours, of which figures are kept for longer.
    const hours = await readOnce(bounds(-4 * 24 * 3_600_000), ({ totals }) => totals.accepted === 5);
    expect(hours.stepSeconds).toBe(3_600);
    expect(hours.points.slice(-2).map(({ accepted }) => accepted)).toEqual([4, 1]);
    const minutes = await read(bounds(0));
    expect(minutes.stepSeconds).toBe(60);
    expect([0, 1, 59, 60].map((minute) => minutes.points[minute]?.accepted)).toEqual([2, 1, 1, 1]);
  });

  test('leave figures that are removed when they are kept no longer', async () => {
    const { pool } = posthorn.deps;
    const { id: channelId } = await createChannel(posthorn);
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const kept = { minutes: [1, 2.9], hours: [1, 399.9] };
    const gone = { minutes: [3.1, 30], hours: [400.1] };
    for (const { minutes, hours } of [kept, gone])
      for (const [grain, days] of [...minutes.map((each) => [1, each]), ...hours.map((each) => [60, each])])
        await pool.query(
          `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
           VALUES ($1, $2, $3, now() - make_interval(secs => $4::float8 * 86400), 0, 63, 1)`,
          [channelId, environmentId, grain, days],
        );
    expect(await removeOldFigures(pool)).toBe(false);
    const { rows } = await pool.query<{ minutes: number; count: number }>(
      'SELECT minutes, count(*)::int AS count FROM stat_counts WHERE of_id = $1 GROUP BY minutes ORDER BY minutes',
      [channelId],
    );
    expect(rows).toEqual([
      { minutes: 1, count: 2 },
      { minutes: 60, count: 2 },
    ]);
  });
});

describe('the backlog', () => {
  test('counts what waits, what is retried and what is given up, with the oldest', async () => {
    const receiver = await receivers.start({ answers: [503] });
    // An environment of its own: deliveries that other tests have left may end meanwhile.
    const own: TestPosthorn = {
      ...posthorn,
      request: (method, path, body) => posthorn.request(method, path, body, { key: posthorn.keys.test }),
    };
    const { id: channelId } = await createChannel(own);
    const retryPolicy = { maxRetries: 5, initialDelay: 3_600_000 };
    await createSubscription(own, { channelId, webhookUrl: receiver.url, retryPolicy });
    const paused = await createSubscription(own, { channelId, webhookUrl: receiver.url });
    await own.request('POST', `/v1/subscriptions/${paused.id}/pause`);
    const left = async () =>
      (
        await own.request<Record<string, { count: number; isMore: boolean; oldestAt?: string }>>(
          'GET',
          '/v1/stats/backlog',
        )
      ).body;
    const before = await left();
    await publishBatch(own, channelId, 2);
    // Each state is counted by itself: a delivery that is tried meanwhile may be counted in both.
    const after = await waitFor('two to be retried, and the two of the paused subscription to wait', async () => {
      const now = await left();
      const more = (state: string): number => (now[state]?.count ?? 0) - (before[state]?.count ?? 0);
      return more('retrying') === 2 && more('pending') === 2 && now;
    });
    expect(after['openDeadLetters']).toEqual(before['openDeadLetters']);
    expect(Date.parse(after['retrying']?.oldestAt ?? '')).toBeLessThanOrEqual(Date.now());
    expect(after['retrying']?.isMore).toBe(false);
    expect(after['service']).toEqual({ worker: 'up', temporal: 'up' });
  });
});
