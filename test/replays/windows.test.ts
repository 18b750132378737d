import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, type PageJson } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type ReplayJson = { id: string; status: string; matched: number; replayed: number; finishedAt?: string };

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

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

// Old: both bounds were cut to the millisecond, so that a message of the same one was left out at the end, or taken at the beginning.
test('a replay takes what is published from since on and before until, to the microsecond', async () => {
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

// Old: INVALID_REQUEST with the field until.
test('a replay whose until is not behind its since matches nothing and is completed', async () => {
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

// Old: a bulk replay took channelId, subscriptionId and a literal eventType, and cut its bounds to the millisecond.
test('a bulk replay takes what the list shows for the same filters', async () => {
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
