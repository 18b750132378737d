import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Progress, runBatch } from '../../src/delivery/replays/batches.ts';
import { waitFor } from '../support/check/wait-for.ts';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('dead letters', () => {
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

    expect(await untilEnded(asked.body.id)).toMatchObject({
      status: 'completed',
      matched: 12,
      replayed: 12,
      failed: 0,
    });
    const replayed = await lettersOf(`channelId=${matched.channelId}`);
    expect(replayed.every((letter) => letter.status === 'replayed' && letter.replayedBy?.startsWith('key_'))).toBe(
      true,
    );
    for (const { messageId } of replayed) await waitForDelivery(posthorn, messageId, 'delivered');
    expect((await lettersOf(`channelId=${other.channelId}`)).map((letter) => letter.status)).toEqual(['open', 'open']);
  });

  test('a delivery that fails again during a bulk replay is a new dead letter and is not replayed a second time', async () => {
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

  test('a bulk replay with a rate makes at most that many due per second', async () => {
    const { channelId } = await withDeadLetters(11);
    receiver.answerWith([200]);

    const asked = await bulkReplay({ channelId, ratePerSecond: 5 });

    expect(asked.body.ratePerSecond).toBe(5);
    const ended = await untilEnded(asked.body.id);
    expect(ended).toMatchObject({ status: 'completed', replayed: 11, ratePerSecond: 5 });
    // Five, five and one, with a second after each five.
    expect(Date.parse(ended.finishedAt ?? '') - Date.parse(ended.createdAt)).toBeGreaterThan(1_990);
  });

  test('two equal requests replay nothing twice', async () => {
    const { channelId } = await withDeadLetters(5);
    receiver.answerWith([200]);

    const [first, second] = await Promise.all([bulkReplay({ channelId }), bulkReplay({ channelId })]);

    const ended = [await untilEnded(first.body.id), await untilEnded(second.body.id)];
    expect(ended.reduce((sum, replay) => sum + replay.replayed, 0)).toBe(5);
  });

  test('a cancelled bulk replay replays nothing more, and cancelling a finished one is a conflict', async () => {
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

  test('a bulk replay without a body is refused, and an empty filter matches everything', async () => {
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
});

describe('discards', () => {
  type Discard = { status: string; matched: number; discarded: number; left: number };
  type Refusal = { error: { code: string; details?: { field: string } } };

  let environmentId: string;
  let channelId: string;
  let subscriptionId: string;
  beforeAll(async () => {
    ({ id: channelId } = await createChannel(posthorn));
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    ({ id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' }));
  });

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

  test('everything that a filter matches is counted by a dry run, then discarded, and nothing else is', async () => {
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

  test('each request discards the oldest thousand, and repeating it continues with the rest', async () => {
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

  test('the audit log says who has discarded them, by which filter and how many', async () => {
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
});

describe('filters', () => {
  const webhookUrl = 'https://example.com/in';

  let subscriptionId: string;
  let replayId: string;
  let ids: string[];
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
  const patch = (body: Record<string, unknown>) =>
    posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, body);
  const replayed = async (): Promise<string[]> =>
    (await posthorn.deps.db.delivery.findMany({ where: { subscriptionId } }))
      .map(({ messageId }) => messageId)
      .toSorted();

  // Regression: it was asked in the transaction that noted the position, which held back every stream of the server meanwhile.
  test('no transaction is open while a replay evaluates its filter', async () => {
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
  ])('with %s by then nothing is replayed, and the next batch evaluates again', async (_, change, wanted) => {
    expect(await next(() => patch(change))).toEqual({
      isFinished: false,
      counts: { matched: 0, replayed: 0 },
      waitMs: 0,
    });
    expect(await replayed()).toEqual([]);
    expect(await next()).toMatchObject(made(wanted.length));
    expect(await replayed()).toEqual(wanted.map((n) => ids[n] ?? '').toSorted());
  });

  test('without a filter by then all of them are replayed, whatever the result was', async () => {
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
});
