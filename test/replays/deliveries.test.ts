import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { replayWorkflowId } from '../../src/contract/replays.ts';
import { type Progress, runBatch } from '../../src/replays/batches.ts';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  type PageJson,
  publish,
} from '../support/make/factories.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { endAsDeadLetter, insertAttempt } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type RetryJson = {
  id: string;
  status: string;
  matched: number;
  isComplete: boolean;
  retried: number;
  failed: number;
  filter: Record<string, unknown>;
  oldest?: { id: string; status: string; eventType?: string; createdAt: string }[];
  finishedAt?: string;
};

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await receivers.end();
  await posthorn.stop();
});

const retryAll = (body: unknown) => posthorn.request<RetryJson>('POST', '/v1/deliveries/retry', body);
const sql = (text: string, values: unknown[] = []) => posthorn.deps.pool.query(text, values);
const deliveriesOf = async (filter: string): Promise<DeliveryJson[]> =>
  (await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?limit=100&${filter}`)).body.data;

test('deliveries that wait hours for their next try are tried at once, and nothing else is', async () => {
  const receiver = await receivers.start({ answers: [503] });
  const { id: channelId } = await createChannel(posthorn);
  const hours = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000 };
  const target = { channelId, webhookUrl: receiver.url, retryPolicy: hours };
  const [wanted, other] = [await createSubscription(posthorn, target), await createSubscription(posthorn, target)];
  const messages = [await publish(posthorn, channelId), await publish(posthorn, channelId)];
  const isRetrying = async (): Promise<DeliveryJson[] | false> => {
    const all = await deliveriesOf(`channelId=${channelId}&status=retrying`);
    return all.length === 4 && all;
  };
  await waitFor('four deliveries to wait for their next try', isRetrying);
  receiver.answerWith([200]);

  const asked = { subscriptionId: wanted.id, status: 'retrying' };
  const { status, body: counted } = await retryAll({ ...asked, dryRun: true });
  expect(status).toBe(202);
  expect(counted).toMatchObject({ status: 'preview', matched: 2, isComplete: true, retried: 0, failed: 0 });
  expect(counted.oldest?.map((each) => [each.status, each.eventType])).toEqual([
    ['retrying', 'order.created'],
    ['retrying', 'order.created'],
  ]);
  expect(await isRetrying()).toHaveLength(4);
  const { body: retry } = await retryAll(asked);
  expect(retry).toMatchObject({ matched: 2, isComplete: true, filter: asked });

  const ended = await waitFor('the retry to end', async () => {
    const { body } = await posthorn.request<RetryJson>('GET', `/v1/deliveries/retry/${retry.id}`);
    return body.finishedAt !== undefined && body;
  });
  expect(ended).toMatchObject({ status: 'completed', matched: 2, retried: 2, failed: 0 });
  for (const { id } of messages) {
    const arrived = await waitFor(`${id} to arrive`, async () => {
      const [delivery] = await deliveriesOf(`messageId=${id}&subscriptionId=${wanted.id}`);
      return delivery?.status === 'delivered' && delivery;
    });
    expect(arrived).toMatchObject({ attempts: 2, attemptsOfRound: 1 });
  }
  const left = await deliveriesOf(`subscriptionId=${other.id}`);
  expect(left.map((each) => [each.status, each.attempts])).toEqual([
    ['retrying', 1],
    ['retrying', 1],
  ]);
  const { body: listed } = await posthorn.request<PageJson<RetryJson>>('GET', '/v1/deliveries/retry?status=completed');
  expect(listed.data[0]).toMatchObject({ ...ended, outcome: { succeeded: 2, underWay: 0, failed: 0 } });
});

describe('by batches', () => {
  let channelId: string;
  let environmentId: string;
  beforeAll(async () => {
    // Batches are made by the cases.
    await posthorn.worker.stop();
    ({ id: channelId } = await createChannel(posthorn));
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
  });

  const subscribed = async (): Promise<string> =>
    (await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id;
  const batch = (id: string): Promise<Progress> =>
    runBatch(posthorn.deps, {
      kind: 'retryDeliveries',
      id,
      carrier: replayWorkflowId({ kind: 'retryDeliveries', id }),
      now: new Date(),
    });
  /** All of its batches. */
  const untilFinished = async (id: string): Promise<Record<string, number>> => {
    for (let batches = 0; batches < 20; batches += 1) {
      const { isFinished, counts } = await batch(id);
      if (isFinished) return counts;
    }
    throw new Error(`${id} does not end`);
  };

  /** A subscription with one delivery in each state, by name. The one of `held` waits for a fault of ours to be over. */
  async function inEachState() {
    const subscriptionId = await subscribed();
    const one = async (columns: string): Promise<string> => {
      const { id: messageId } = await publish(posthorn, channelId);
      const { id = '' } = (await deliveriesOf(`messageId=${messageId}&subscriptionId=${subscriptionId}`))[0] ?? {};
      if (columns !== '') await sql(`UPDATE deliveries SET ${columns} WHERE id = $1`, [id]);
      return id;
    };
    const ended = 'due_at = NULL, attempts = 1, policy_attempts = 1, response_status =';
    const ids = {
      waiting: await one(''),
      held: await one(`held_reason = 'internal', held_since = now(), due_at = now() + interval '1 hour'`),
      retrying: await one(`status = 'retrying', attempts = 1, policy_attempts = 1, due_at = now() + interval '1 hour',
        next_retry_at = now() + interval '1 hour', response_status = 503, response_latency_ms = 9000`),
      failed: await one(`status = 'failed', failure_reason = 'exhausted', ${ended} 404`),
      delivered: await one(`status = 'delivered', ${ended} 200, response_latency_ms = 8000`),
    };
    for (const id of [ids.retrying, ids.failed]) await insertAttempt(posthorn, id, 1);
    return { subscriptionId, ids };
  }
  type Name = keyof Awaited<ReturnType<typeof inEachState>>['ids'];

  test.each<[object, Name[]]>([
    [{}, ['held', 'retrying', 'failed']],
    [{ status: 'pending' }, ['held']],
    [{ status: 'retrying' }, ['retrying']],
    [{ status: 'failed' }, ['failed']],
    [{ status: 'delivered' }, ['delivered']],
    [{ status: ['retrying', 'failed'] }, ['retrying', 'failed']],
    [{ status: ['delivered', 'pending'] }, ['held', 'delivered']],
    [{ errorClass: 'internal' }, ['held']],
    [{ errorClass: 'status' }, ['retrying', 'failed']],
    [{ errorStatus: 503 }, ['retrying']],
    [{ errorStatus: '4xx' }, ['failed']],
    [{ minLatencyMs: 5_000 }, ['retrying']],
    [{ minLatencyMs: 5_000, status: 'delivered' }, ['delivered']],
    [{ held: true }, ['held']],
    [{ held: false }, ['retrying', 'failed']],
    [{ held: true, status: 'failed' }, []],
    [{ eventType: 'order.*' }, ['held', 'retrying', 'failed']],
    [{ eventType: 'refund.*' }, []],
    [{ until: '2020-01-01T00:00:00Z' }, []],
  ])('%j counts and retries %j, and leaves the others alone', async (filter, names) => {
    const { subscriptionId, ids } = await inEachState();
    const asked = { subscriptionId, ...filter };
    const { body: counted } = await retryAll({ ...asked, dryRun: true });
    expect(counted).toMatchObject({ matched: names.length, isComplete: true });
    expect(counted.oldest?.map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
    const { body: retry } = await retryAll(asked);
    expect(await untilFinished(retry.id)).toEqual({ matched: names.length, retried: names.length, failed: 0 });
    const rows = await posthorn.deps.db.delivery.findMany({ where: { subscriptionId }, orderBy: { id: 'asc' } });
    const again = rows.filter(
      ({ round, status, heldReason }) => round === 2 && status === 'pending' && heldReason === null,
    );
    expect(again.map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
    expect(rows.filter(({ round }) => round !== 1)).toHaveLength(names.length);
  });

  test('a failed delivery closes its dead letter by the one who asked', async () => {
    const { ids } = await inEachState();
    const letterId = await endAsDeadLetter(posthorn, ids.waiting);
    const { messageId } = await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.waiting } });
    const { body: retry } = await retryAll({ messageId, errorStatus: '500-503' });
    expect(await untilFinished(retry.id)).toMatchObject({ retried: 1, failed: 0 });
    const letter = await posthorn.deps.db.deadLetter.findUniqueOrThrow({ where: { id: letterId } });
    expect(letter).toMatchObject({ status: 'replayed', replayedBy: expect.stringMatching(/^key_/) });
  });

  test('a failed delivery whose dead letter was discarded is left alone, until it fails again', async () => {
    const { subscriptionId, ids } = await inEachState();
    const letterId = await endAsDeadLetter(posthorn, ids.waiting);
    const asked = { subscriptionId, status: 'failed', dryRun: true };
    expect((await retryAll(asked)).body).toMatchObject({ matched: 2 });
    expect((await posthorn.request('DELETE', `/v1/dlq/${letterId}`)).status).toBe(204);
    expect((await retryAll(asked)).body).toMatchObject({ matched: 1, oldest: [{ id: ids.failed }] });
    await sql('UPDATE deliveries SET round = round + 1 WHERE id = $1', [ids.waiting]);
    expect((await retryAll(asked)).body).toMatchObject({ matched: 2 });
  });

  test('a delivery of a deleted subscription is no match, and one of an erased message is counted as failed', async () => {
    const gone = await inEachState();
    await posthorn.request('DELETE', `/v1/subscriptions/${gone.subscriptionId}`);
    expect((await retryAll({ subscriptionId: gone.subscriptionId, dryRun: true })).body).toMatchObject({ matched: 0 });

    const { subscriptionId, ids } = await inEachState();
    const { messageId } = await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.failed } });
    expect((await posthorn.request('DELETE', `/v1/messages/${messageId}`)).status).toBe(204);
    const { body: retry } = await retryAll({ subscriptionId });
    expect(await untilFinished(retry.id)).toEqual({ matched: 3, retried: 2, failed: 1 });
    expect(await posthorn.deps.db.delivery.findUniqueOrThrow({ where: { id: ids.failed } })).toMatchObject({
      status: 'failed',
      round: 1,
    });
  });

  test('a delivery that is made after the request is left alone, and one that arrives meanwhile is not sent again', async () => {
    const { subscriptionId, ids } = await inEachState();
    const { body: retry } = await retryAll({ subscriptionId, status: 'retrying' });
    const later = await publish(posthorn, channelId);
    await sql(`UPDATE deliveries SET status = 'retrying', policy_attempts = 1 WHERE message_id = $1`, [later.id]);
    await sql(`UPDATE deliveries SET status = 'delivered', due_at = NULL WHERE id = $1`, [ids.retrying]);
    expect(await untilFinished(retry.id)).toEqual({ matched: 1, retried: 0, failed: 0 });
    expect(await posthorn.deps.db.delivery.count({ where: { subscriptionId, round: 2 } })).toBe(0);
  });

  test('a batch looks at a bounded number of rows, and the next one goes on behind them', async () => {
    const subscriptionId = await subscribed();
    const to = [subscriptionId, subscriptionId] as const;
    const place = { environmentId, channelId };
    await insertListed(posthorn.deps.pool, place, { eventType: 'many.others', status: 'failed', count: 5_300, to });
    await insertListed(posthorn.deps.pool, place, { eventType: 'one.wanted', status: 'failed', count: 1, to });
    const { body: retry } = await retryAll({ subscriptionId, eventType: 'one.wanted' });
    expect(retry).toMatchObject({ matched: 1, isComplete: true });
    expect(await batch(retry.id)).toEqual({
      isFinished: false,
      waitMs: 0,
      counts: { matched: 1, retried: 0, failed: 0 },
    });
    expect(await batch(retry.id)).toMatchObject({ isFinished: true, counts: { matched: 1, retried: 1, failed: 0 } });
  });

  test('the count grows where more come than were counted', async () => {
    const { subscriptionId } = await inEachState();
    const { body: retry } = await retryAll({ subscriptionId });
    await sql('UPDATE bulk_retries SET matched = 1, is_complete = false WHERE id = $1', [retry.id]);
    expect(await untilFinished(retry.id)).toEqual({ matched: 3, retried: 3, failed: 0 });
  });

  test.each([
    [{ chanelId: 'chn_1' }, 'chanelId'],
    [{ channelId: 'chn_00000000000000000000000000' }, 'channelId'],
    [{ subscriptionId: 'sub_00000000000000000000000000' }, 'subscriptionId'],
    [{ messageId: 'none' }, 'messageId'],
    [{ messageId: 'msg_\u0000' }, 'messageId'],
    [{ eventType: 'order.\u0000' }, 'eventType'],
    [{ eventType: 'order.\ud800' }, 'eventType'],
    [{ status: 'open' }, 'status'],
    [{ errorStatus: 700 }, 'errorStatus'],
    [{ errorStatus: '9xx' }, 'errorStatus'],
    [{ minLatencyMs: 999 }, 'minLatencyMs'],
    [{ held: 'true' }, 'held'],
    [{ since: 'yesterday' }, 'since'],
    [{ ratePerSecond: 0 }, 'ratePerSecond'],
  ])('%j is refused, so that it does not retry everything', async (body, field) => {
    const before = await posthorn.deps.db.bulkRetry.count();
    expect(await retryAll(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { field } } },
    });
    expect(await posthorn.deps.db.bulkRetry.count()).toBe(before);
  });

  test.each([700, 503.5, '9xx'])('a status that is none is told what one is: %j', async (errorStatus) => {
    const reason = 'must be a number from 100 to 599, a range such as "500-503", or a class such as "5xx"';
    expect(await retryAll({ errorStatus })).toMatchObject({ body: { error: { details: { reason } } } });
  });

  test('one without a body is refused', async () => {
    expect((await retryAll(undefined)).status).toBe(400);
  });

  test('a cancelled one retries nothing more, and cancelling one that has ended is a conflict', async () => {
    const { subscriptionId } = await inEachState();
    const { body: retry } = await retryAll({ subscriptionId });
    const cancel = () => posthorn.request<RetryJson>('POST', `/v1/deliveries/retry/${retry.id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 202, body: { status: 'cancelled', retried: 0 } });
    expect(await batch(retry.id)).toMatchObject({ isFinished: true });
    expect(await posthorn.deps.db.delivery.count({ where: { subscriptionId, round: 2 } })).toBe(0);
    const { body: other } = await retryAll({ subscriptionId });
    await untilFinished(other.id);
    expect((await posthorn.request('POST', `/v1/deliveries/retry/${other.id}/cancel`)).status).toBe(409);
  });
});
