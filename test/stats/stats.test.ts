import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordCrash } from '../../src/delivery/record/statements/record.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { MOST_DELIVERIES_COUNTED } from '../../src/insight/stats/deliveries-store.ts';
import { mergeParts, PARTS_AT_ONCE, removeOldFigures } from '../../src/insight/stats/merge-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('stats', () => {
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
    deliveries: Deliveries;
    points: (Figures & { at: string; answers: Record<string, number>; deliveries?: States })[];
  };
  type States = { delivered: number; failed: number; retrying: number; pending: number };
  type Deliveries = States & { created: number; isExact: boolean; countedSince?: string };

  const NO_ANSWERS = { status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0, none: 0 };

  const receivers = createReceivers();
  afterAll(async () => {
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

    test('subscriptions that are not here have none, and that is no failure', async () => {
      const { status, body } = await posthorn.request<{ subscriptions: unknown[] }>(
        'GET',
        '/v1/stats/subscriptions?subscriptionIds=sub_01m7xyn29kf99taeh4t9wftvgy',
      );
      expect([status, body.subscriptions]).toEqual([200, []]);
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
        deliveries: { delivered: 0, failed: 0, retrying: 0, pending: 0 },
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

  describe('deliveries by their state now', () => {
    const NONE: Deliveries = { created: 0, delivered: 0, failed: 0, retrying: 0, pending: 0, isExact: true };
    const ofPage = async (query: string): Promise<Deliveries[]> => {
      type Page = { subscriptions: { deliveries: Deliveries }[] };
      const { body } = await posthorn.request<Page>('GET', `/v1/stats/subscriptions?${query}`);
      return body.subscriptions.map(({ deliveries }) => deliveries);
    };
    /** The same of a subscription, read in each way that there is; of its channel, which has no other, too. */
    async function ofOne({ channelId, subscriptionId }: { channelId: string; subscriptionId: string }) {
      const found = await read(`?subscriptionId=${subscriptionId}`);
      const [of] = await ofPage(`subscriptionIds=${subscriptionId}`);
      for (const other of [await read(`?channelId=${channelId}`), { deliveries: of, points: found.points }]) {
        expect(other.deliveries).toEqual(found.deliveries);
        const sums = { delivered: 0, failed: 0, retrying: 0, pending: 0 };
        for (const { deliveries } of other.points)
          for (const state of Object.keys(sums) as (keyof States)[]) sums[state] += deliveries?.[state] ?? Number.NaN;
        expect(other.deliveries).toMatchObject(sums);
      }
      return found.deliveries;
    }
    const endsAs = (subscriptionId: string, status: string, count: number) =>
      waitFor(`${count} deliveries ${status}`, async () => {
        return (await posthorn.deps.db.delivery.count({ where: { subscriptionId, status } })) === count;
      });

    // Regression: the share was that of attempts and dead letters of the range, and stayed at 84 % after everything had been retried
    // with success.
    test('a delivery that failed and was retried with success counts once, as delivered, and one that is retried is beside it', async () => {
      const receiver = await receivers.start({ answers: [500] });
      const { id: channelId } = await createChannel(posthorn);
      const retryPolicy = { maxRetries: 0 };
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
      const place = { channelId, subscriptionId: id };
      expect(await ofOne(place)).toEqual(NONE);
      await publish(channelId, 2);
      await endsAs(id, 'failed', 2);
      expect(await ofOne(place)).toEqual({ ...NONE, created: 2, failed: 2 });

      receiver.answerWith([200]);
      const letters = await posthorn.request<{ data: { id: string }[] }>('GET', `/v1/dlq?subscriptionId=${id}`);
      const replayed = await posthorn.request('POST', `/v1/dlq/${letters.body.data[0]?.id}/replay`);
      expect(replayed.status).toBe(202);
      await endsAs(id, 'delivered', 1);
      expect(await ofOne(place)).toEqual({ ...NONE, created: 2, delivered: 1, failed: 1 });
      // Its figures keep what has happened: two failed attempts and one that has delivered.
      const { totals } = await readOnce(`?subscriptionId=${id}`, (stats) => stats.totals.delivered === 1);
      expect(totals).toMatchObject({ failedAttempts: 2, givenUp: 2 });

      receiver.answerWith([500]);
      const patient = { maxRetries: 5, initialDelay: 3_600_000 };
      await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { retryPolicy: patient });
      await publish(channelId, 1);
      await endsAs(id, 'retrying', 1);
      await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
      await publish(channelId, 1);
      const of = { ...NONE, created: 4, delivered: 1, failed: 1, retrying: 1, pending: 1 };
      expect(await ofOne(place)).toEqual(of);
    });

    test('the environment has those of its channels, and of the range alone', async () => {
      const before = (await read()).deliveries;
      for (let count = 0; count < 2; count += 1) {
        const { id: channelId } = await createChannel(posthorn);
        const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
        await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
        await publish(channelId, 3);
      }
      const after = (await read()).deliveries;
      expect([after.created - before.created, after.isExact]).toEqual([6, true]);
      const past = await read('?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z');
      expect(past.deliveries).toEqual(NONE);
    });

    test('a channel and a subscription that are not here have none, and nothing of another environment', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
      await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
      await publish(channelId, 1);
      expect((await read(`?channelId=${channelId}`)).deliveries).toEqual({ ...NONE, created: 1, pending: 1 });
      for (const query of [`channelId=${channelId}`, `subscriptionId=${id}`, 'channelId=orders']) {
        const key = posthorn.keys.test;
        const { body } = await posthorn.request<Stats>('GET', `/v1/stats?${query}`, undefined, { key });
        expect([query, body.deliveries]).toEqual([query, NONE]);
      }
    });

    describe('of many deliveries', () => {
      const SUBSCRIPTIONS = 100;
      /** So many of each are counted where 100 subscriptions share the bound. */
      const SHARE = MOST_DELIVERIES_COUNTED / SUBSCRIPTIONS;
      const HOUR = 3_600_000;
      const until = Math.floor(Date.now() / HOUR) * HOUR;
      const ids: string[] = [];
      let channelId: string;
      let environmentId: string;
      beforeAll(async () => {
        ({ id: channelId } = await createChannel(posthorn));
        ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
        for (let count = 0; count < SUBSCRIPTIONS; count += 1)
          ids.push((await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id);
        // The first one has more than its share within two hours, every other one a failed delivery three hours ago and a delivered one
        // half an hour ago.
        const [busy = '', ...others] = ids;
        await insert(busy, SHARE + 200, (n) => until - 2 * HOUR + n * 5_000);
        for (const each of others) await insert(each, 2, (n) => until - 3 * HOUR + n * 2.5 * HOUR);
      });

      /** Deliveries at these times; all are delivered but the first one. */
      async function insert(subscriptionId: string, count: number, at: (n: number) => number): Promise<void> {
        const made = Array.from({ length: count }, (_, n) => createNewId(() => at(n))('delivery'));
        await posthorn.deps.pool.query(
          `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries, initial_delay,
             max_delay, backoff_multiplier, created_at)
           SELECT id, $1, $2, posthorn_id('msg'), $3, 'a', CASE n WHEN 1 THEN 'failed' ELSE 'delivered' END, 0, 0, 0, 1, posthorn_time(id)
           FROM unnest($4::text[]) WITH ORDINALITY AS d (id, n)`,
          [environmentId, channelId, subscriptionId, made],
        );
      }
      const range = `since=${new Date(until - 4 * HOUR).toISOString()}&until=${new Date(until).toISOString()}`;

      test('each of a page has its share of the bound, and says since when it was counted', async () => {
        const [busy, ...others] = await ofPage(`subscriptionIds=${ids.join(',')}&${range}`);
        expect(busy).toEqual({
          ...NONE,
          created: SHARE,
          delivered: SHARE,
          isExact: false,
          countedSince: new Date(until - 2 * HOUR + 200 * 5_000).toISOString(),
        });
        expect(others).toHaveLength(SUBSCRIPTIONS - 1);
        for (const each of others) expect(each).toEqual({ ...NONE, created: 2, delivered: 1, failed: 1 });
        // One subscription alone has all of the bound.
        const { deliveries } = await read(`?subscriptionId=${ids[0]}&${range}`);
        expect(deliveries).toEqual({ ...NONE, created: SHARE + 200, delivered: SHARE + 199, failed: 1 });
      });

      test('a channel is counted from one time on for all of its subscriptions, and a step before it has none', async () => {
        const { deliveries, points, stepSeconds } = await read(`?channelId=${channelId}&${range}`);
        const created = SHARE + (SUBSCRIPTIONS - 1);
        const countedSince = until - 2 * HOUR + 200 * 5_000;
        expect(deliveries).toEqual({
          ...NONE,
          created,
          delivered: created,
          isExact: false,
          countedSince: new Date(countedSince).toISOString(),
        });
        for (const { at, deliveries: ofStep } of points)
          expect([at, ofStep !== undefined]).toEqual([at, Date.parse(at) > countedSince]);
        const whole = points.flatMap((point) => point.deliveries ?? []);
        expect(whole.length).toBeGreaterThan(HOUR / 1_000 / stepSeconds);
        expect(whole.reduce((sum, { delivered }) => sum + delivered, 0)).toBeLessThan(created);
      });

      test('a channel with too many subscriptions for so many steps is counted without them', async () => {
        const within = (hours: number) =>
          read(
            `?channelId=${channelId}&since=${new Date(until - hours * HOUR).toISOString()}&until=${new Date(until).toISOString()}`,
          );
        const [finer, coarser] = [await within(2), await within(4)];
        expect([finer.stepSeconds, coarser.stepSeconds]).toEqual([60, 300]);
        expect(finer.deliveries).toEqual(coarser.deliveries);
        expect(finer.points.flatMap(({ deliveries }) => deliveries ?? [])).toEqual([]);
        expect(coarser.points.at(-1)?.deliveries).toEqual({ delivered: 0, failed: 0, retrying: 0, pending: 0 });
      });
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
});

describe('channels', () => {
  type Answer = {
    since: string;
    until: string;
    stepSeconds: number;
    channels: {
      channelId: string;
      accepted: number;
      counts: number[];
      subscriptions: { count: number; isMore: boolean };
    }[];
  };

  const read = (query: string) => posthorn.request<Answer>('GET', `/v1/stats/channels${query}`);
  const webhookUrl = 'https://example.com/in';

  test('channels of a page have their messages by step and their subscriptions in one answer', async () => {
    const { id: busy } = await createChannel(posthorn);
    const { id: idle } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId: busy, webhookUrl });
    const { id: paused } = await createSubscription(posthorn, { channelId: busy, webhookUrl });
    await posthorn.request('POST', `/v1/subscriptions/${paused}/pause`);
    const { id: deleted } = await createSubscription(posthorn, { channelId: busy, webhookUrl });
    await posthorn.request('DELETE', `/v1/subscriptions/${deleted}`);
    const messages = [1, 2, 3].map((n) => ({ eventType: 'order.created', payload: { n } }));
    await posthorn.request('POST', `/v1/channels/${busy}/messages/batch`, { messages });
    await mergeParts(posthorn.deps.pool);

    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await read(`?channelIds=${idle},${busy}&since=${since}`);
    expect(body.stepSeconds).toBe(300);
    expect(
      body.channels.map(({ counts, ...each }) => ({ ...each, sum: counts.reduce((one, two) => one + two) })),
    ).toEqual([
      { channelId: idle, accepted: 0, sum: 0, subscriptions: { count: 0, isMore: false } },
      { channelId: busy, accepted: 3, sum: 3, subscriptions: { count: 2, isMore: false } },
    ]);
    const steps = (Date.parse(body.until) - Date.parse(body.since)) / 300_000;
    expect(body.channels.map(({ counts }) => counts.length)).toEqual([steps, steps]);

    // Without ids the newest ones, newest first.
    const newest = (await read('')).body;
    expect(newest.channels.slice(0, 2).map(({ channelId }) => channelId)).toEqual([idle, busy]);
    const before = new Date(Date.now() - 5 * 86_400_000).toISOString();
    expect((await read(`?channelIds=${busy}&until=${before}`)).body.channels[0]?.accepted).toBe(0);
  });

  test('subscriptions of a channel are counted up to a bound, and the answer says that there are more', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl });
    const { pool } = posthorn.deps;
    // Rows of the same form. No id that the service creates has a `u`, so these differ from the first one.
    const { rows } = await pool.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'subscriptions' AND column_name <> 'id'`,
    );
    const columns = rows.map(({ column_name }) => column_name).join(', ');
    const more = (first: number, last: number) =>
      pool.query(
        `INSERT INTO subscriptions (id, ${columns})
       SELECT left(id, -5) || 'u' || lpad(n::text, 4, '0'), ${columns} FROM subscriptions, generate_series($2::int, $3::int) n WHERE id = $1`,
        [id, first, last],
      );
    await more(1, 999);
    const count = async () => (await read(`?channelIds=${channelId}`)).body.channels[0]?.subscriptions;
    expect(await count()).toEqual({ count: 1_000, isMore: false });
    await more(1_000, 1_200);
    expect(await count()).toEqual({ count: 1_000, isMore: true });
  });

  test('ids that are none are refused, and those of nobody here are left out', async () => {
    const { id } = await createChannel(posthorn);
    const { body } = await read(`?channelIds=chn_01k9f2xw6q7v8r3t5y4n0m1c2b,${id}`);
    expect(body.channels.map(({ channelId }) => channelId)).toEqual([id]);
    const refused = await posthorn.request<{ error: { code: string; details: unknown[] } }>(
      'GET',
      '/v1/stats/channels?channelIds=chn_1,chn_2',
    );
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('must be ids of 1 to 100 channels, separated by commas');
  });
});

describe('points', () => {
  type Points = { points: { answers: Record<string, number> }[] };

  const NO_ANSWERS = { status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0, none: 0 };

  test('a point says how the attempts of its step were answered, by class', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: 'https://example.com/',
    });
    const begun = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
    const outcomes = (...codes: number[]): number[] => codes.map((code) => code * 64 + 63);
    const insert = (minute: number, values: number[], accepted: number, deadLetters: number) =>
      posthorn.deps.pool.query(
        `INSERT INTO stat_parts (environment_id, channel_id, subscription_id, at, outcomes, accepted, dead_letters) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [environmentId, channelId, subscriptionId, new Date(begun + minute * 60_000), values, accepted, deadLetters],
      );
    await insert(0, outcomes(200, 204, 302), 0, 0);
    // Messages and dead letters are no answers.
    await insert(1, outcomes(503, 500, 429, 4), 7, 2);
    await mergeParts(posthorn.deps.pool);
    const bounds = `since=${new Date(begun).toISOString()}&until=${new Date(begun + 180_000).toISOString()}`;
    for (const query of [`?channelId=${channelId}&${bounds}`, `?subscriptionId=${subscriptionId}&${bounds}`]) {
      const { body } = await posthorn.request<Points>('GET', `/v1/stats${query}`);
      expect(body.points.map(({ answers }) => answers)).toEqual([
        { ...NO_ANSWERS, status2xx: 2, status3xx: 1 },
        { ...NO_ANSWERS, status4xx: 1, status5xx: 2, none: 1 },
        NO_ANSWERS,
      ]);
    }
    // A row of a list has no room for them.
    const { body } = await posthorn.request<{ subscriptions: Points[] }>(
      'GET',
      `/v1/stats/subscriptions?subscriptionIds=${subscriptionId}&${bounds}`,
    );
    expect(body.subscriptions[0]?.points[1]).not.toHaveProperty('answers');
  });
});
