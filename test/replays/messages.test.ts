import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { lowestIdAt } from '../../src/kernel/values/ids.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('messages', () => {
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

  test('a subscription created with startFrom receives what is stored since then, once, in addition to new messages', async () => {
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

  test('no replay sends a test message to another subscription, whatever its event type', async () => {
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

  test('a replay sends what the current filter matches, and skips the rest, batch after batch', async () => {
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

  test('a delivery that was created before the filter is retried and replayed without evaluating it', async () => {
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

  test('a replayed dead letter is closed, and deliveries in progress are left alone', async () => {
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

  test('a replay keeps its rate, shows its progress, can be cancelled, and then stops', async () => {
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

  test('a replay continues after its last message when its worker exits, and ends with its subscription', async () => {
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

  test('invalid bounds change nothing, and a replay is not found from another environment', async () => {
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
});

describe('message previews', () => {
  type Preview = {
    status: string;
    matched: number;
    isExact: boolean;
    replayed: number;
    oldest: { id: string; eventType: string; publishedAt: string }[];
  };
  type Replay = { id: string; replayed: number; finishedAt?: string };

  const receivers = createReceivers();
  afterEach(receivers.end);

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
    'a dry run counts what the replay would send, shows the oldest and changes nothing: a subscription %s',
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
      expect([all.matched, all.isExact, ids(all)]).toEqual([3, true, [had.id, ...wanted]]);
      expect([missing.matched, missing.isExact, ids(missing)]).toEqual([2, true, wanted]);
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

  test('a dry run with a filter reads 2,000 messages, and says that these are not all', async () => {
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

    expect(await preview(id, {})).toMatchObject({ matched: 2_000, isExact: false });
    const counted = await preview(plain, {});
    expect([counted.matched, counted.isExact, counted.oldest.length]).toEqual([2_001, true, 5]);
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
});

describe('windows', () => {
  type ReplayJson = { id: string; status: string; matched: number; replayed: number; finishedAt?: string };

  const receivers = createReceivers();
  afterEach(receivers.end);

  const ended = async (path: string, body: unknown): Promise<ReplayJson> => {
    const asked = await posthorn.request<ReplayJson>('POST', path, body);
    expect([asked.body, asked.status]).toEqual([asked.body, 202]);
    const shown = path.startsWith('/v1/dlq') ? '/v1/dlq/replay' : '/v1/replays';
    return waitFor(`replay ${asked.body.id} to end`, async () => {
      const replay = await posthorn.request<ReplayJson>('GET', `${shown}/${asked.body.id}`);
      return replay.body.finishedAt !== undefined && replay.body;
    });
  };

  /** A time of the API and some tenths of a microsecond more: digits behind its milliseconds, or the millisecond before. */
  const later = (time: string, digits: string): string => time.replace('Z', `${digits}Z`);
  const earlier = (time: string): string => later(new Date(Date.parse(time) - 1).toISOString(), '9999');

  // Regression: both bounds were cut to the millisecond, so that a message of the same one was left out at the end, or taken at the
  // beginning.
  test('a replay includes messages published from since on and before until, to the microsecond', async () => {
    const receiver = await receivers.start({ answers: [200] });
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    const { publishedAt } = await publish(posthorn, channelId);
    const path = `/v1/subscriptions/${id}/replay`;
    await waitFor('its delivery', async () => receiver.requests.length > 0);

    const matched = async (since: string, until: string): Promise<number> =>
      (await ended(path, { since, until, onlyMissing: true })).matched;

    expect(await matched(publishedAt, later(publishedAt, '0001'))).toBe(1);
    expect(await matched(earlier(publishedAt), later(publishedAt, '0001'))).toBe(1);
    expect(await matched(earlier(publishedAt), publishedAt)).toBe(0);
    expect(await matched(later(publishedAt, '0001'), later(publishedAt, '9999'))).toBe(0);
  });

  // Regression: INVALID_REQUEST with the field until.
  test('a replay whose until is not after its since matches nothing and is completed', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
    const [since, until] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'];

    expect(await ended(`/v1/subscriptions/${id}/replay`, { since, until })).toMatchObject({
      status: 'completed',
      matched: 0,
      replayed: 0,
    });
    expect(await ended('/v1/dlq/replay', { since, until })).toMatchObject({
      status: 'completed',
      matched: 0,
      replayed: 0,
    });
    const preview = await posthorn.request('POST', '/v1/dlq/replay', { since, until: since, dryRun: true });
    expect(preview).toMatchObject({ status: 202, body: { status: 'preview', matched: 0 } });
  });

  // Regression: a bulk replay took channelId, subscriptionId and a literal eventType, and cut its bounds to the millisecond.
  test('a bulk replay includes what the list shows for the same filters', async () => {
    const receiver = await receivers.start({ answers: [410, 500] });
    const { id: channelId } = await createChannel(posthorn);
    const fields = { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
    const { id: subscriptionId } = await createSubscription(posthorn, fields);
    const gone = await publish(posthorn, channelId, { eventType: 'order.paid' });
    await waitFor('a 410 to disable it', async () => {
      const { body } = await posthorn.request<{ status: string }>('GET', `/v1/subscriptions/${subscriptionId}`);
      return body.status === 'disabled';
    });
    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
    for (const eventType of ['order.created', 'refund.made']) await publish(posthorn, channelId, { eventType });
    type Letter = { id: string; failedAt: string; eventType: string; deliveryId: string };
    const letters = async (query: string): Promise<Letter[]> => {
      const path = `/v1/dlq?channelId=${channelId}&status=open&${query}`;
      return (await posthorn.request<PageJson<Letter>>('GET', path)).body.data;
    };
    const all = await waitFor('three dead letters', async () => {
      const found = await letters('');
      return found.length === 3 && found;
    });
    const failedAt = all[0]?.failedAt ?? '';
    const shown = (listed: Letter[]) =>
      listed.toReversed().map(({ id, failedAt: at, eventType }) => ({ id, failedAt: at, eventType }));

    for (const filter of [
      { messageId: gone.id },
      { reason: 'gone' },
      { reason: 'exhausted' },
      { kind: 'delivery' },
      { kind: 'run' },
      { errorStatus: '4xx' },
      { errorStatus: '5xx', eventType: 'order.*' },
      { errorStatus: '3xx' },
      { errorStatus: '410-499' },
      { errorStatus: '409-500' },
      { errorStatus: '500-500', eventType: 'order.*' },
      { errorStatus: '501-599' },
      { eventType: 'order.*' },
      { eventType: 'order.paid', reason: 'gone', messageId: gone.id, kind: 'delivery' },
      { eventType: 'order.*', reason: 'exhausted' },
      { until: later(failedAt, '0001') },
      { since: earlier(failedAt) },
      { since: failedAt },
    ]) {
      const listed = await letters(new URLSearchParams(Object.entries(filter)).toString());
      const body = { channelId, ...filter, dryRun: true };
      const preview = await posthorn.request('POST', '/v1/dlq/replay', body);
      expect([filter, preview.body]).toEqual([
        filter,
        { status: 'preview', matched: listed.length, replayed: 0, failed: 0, oldest: shown(listed) },
      ]);
    }

    // The delivery that ended with 410 was made before the others.
    const { deliveryId = '' } = all.at(-1) ?? {};
    const { body: delivery } = await posthorn.request<{ createdAt: string }>('GET', `/v1/deliveries/${deliveryId}`);
    const made = delivery.createdAt;
    for (const [filter, matched] of [
      [{ createdSince: made }, 2],
      [{ createdSince: earlier(made) }, 3],
      [{ createdUntil: made }, 0],
      [{ createdUntil: later(made, '0001') }, 1],
      [{ createdSince: earlier(made), createdUntil: later(made, '0001'), errorStatus: '4xx' }, 1],
      [{ createdSince: earlier(made), createdUntil: later(made, '0001'), errorStatus: '5xx' }, 0],
    ] as const) {
      const { body } = await posthorn.request('POST', '/v1/dlq/replay', { channelId, ...filter, dryRun: true });
      expect([filter, body]).toMatchObject([filter, { matched }]);
    }

    receiver.answerWith([200]);
    const ofClass = { channelId, errorStatus: '5xx', createdSince: made, eventType: 'refund.*' };
    expect(await ended('/v1/dlq/replay', ofClass)).toMatchObject({ matched: 1, replayed: 1, filter: ofClass });
    const ofRange = { channelId, errorStatus: '500-411' };
    const replayed = await ended('/v1/dlq/replay', ofRange);
    expect(replayed).toMatchObject({
      matched: 1,
      replayed: 1,
      filter: { channelId, errorStatus: '411-500', until: expect.any(String) },
    });
    expect(await letters('eventType=order.*')).toEqual([expect.objectContaining({ reason: 'gone' })]);
    for (const [field, value] of [
      ['reason', 'tired'],
      ['kind', 'wish'],
      ['errorStatus', '503'],
      ['errorStatus', '50x'],
      ['errorStatus', 600],
      ['errorStatus', '99-600'],
      ['errorStatus', '500-600'],
      ['errorStatus', '500-5xx'],
      ['errorStatus', 'soon'],
      ['createdSince', 'yesterday'],
      ['eventType', 'order*'],
      ['messageId', 1],
      ['since', 'yesterday'],
    ] as const) {
      const refused = await posthorn.request('POST', '/v1/dlq/replay', { [field]: value });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST', details: { field } } } });
    }
  });
});
