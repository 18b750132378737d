import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reportConcurrency } from '../../src/dispatch/admission/concurrency-store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { subscriptionAnswer } from '../../src/subscriptions/schema.ts';
import { problemsOf } from '../support/check/answer-check.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let channelId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

type Refusal = { error?: { code: string; details?: { field: string } } };
const webhookUrl = 'https://example.com/';
const subscribed = async (fields: object = {}): Promise<string> =>
  `/v1/subscriptions/${(await createSubscription(posthorn, { channelId, webhookUrl, ...fields })).id}`;
const read = async (address: string) => (await posthorn.request('GET', address)).body;

/** As if a living worker had told of the subscription. */
async function tell(address: string, gauge: { limit: number; inFlight: number; latencyMs?: number }): Promise<void> {
  const { pool } = posthorn.deps;
  await pool.query(
    `INSERT INTO incarnations (id, expires_at) VALUES ('inc_living', now() + interval '1 hour') ON CONFLICT DO NOTHING`,
  );
  const subscriptionId = address.split('/').at(-1) ?? '';
  await reportConcurrency(pool, 'inc_living', [{ latencyMs: undefined, ...gauge, subscriptionId }]);
}

test.each([1, 1_000])('maxConcurrency may be %d, when it is made and when it is changed', async (maxConcurrency) => {
  const made = await subscribed({ maxConcurrency });
  expect(await read(made)).toMatchObject({ maxConcurrency, concurrency: { limit: maxConcurrency, inFlight: 0 } });
  const changed = await subscribed();
  const answer = await posthorn.request('PATCH', changed, { maxConcurrency });
  expect(answer).toMatchObject({ status: 200, body: { maxConcurrency, concurrency: { limit: maxConcurrency } } });
});

test.each([0, 1_001])('maxConcurrency may not be %d', async (maxConcurrency) => {
  const address = await subscribed();
  const before = await read(address);
  for (const answer of [
    await posthorn.request<Refusal>('POST', '/v1/subscriptions', { channelId, webhookUrl, maxConcurrency }),
    await posthorn.request<Refusal>('PATCH', address, { maxConcurrency }),
  ]) {
    expect([answer.status, answer.body.error?.code, answer.body.error?.details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'maxConcurrency',
    ]);
  }
  expect(await read(address)).toEqual(before);
});

test('a subscription shows its concurrency wherever it is answered alone, with a latency once there was an answer', async () => {
  const address = await subscribed();
  await tell(address, { limit: 40, inFlight: 7 });
  expect((await read(address))['concurrency']).toEqual({ limit: 40, inFlight: 7 });
  const concurrency = { limit: 80, inFlight: 80, latencyMs: 312 };
  await tell(address, concurrency);
  const answers = [
    await posthorn.request('GET', address),
    await posthorn.request('PATCH', address, { name: 'till' }),
    await posthorn.request('POST', `${address}/pause`),
    await posthorn.request('POST', `${address}/resume`),
  ];
  for (const { status, body } of answers) {
    expect([status, problemsOf(subscriptionAnswer, body)]).toEqual([200, []]);
    expect(body['concurrency']).toEqual(concurrency);
  }
});

test('a concurrency that is sent back, changed or not, changes nothing; a new subscription takes none', async () => {
  const address = await subscribed();
  await tell(address, { limit: 40, inFlight: 7, latencyMs: 90 });
  const before = await read(address);
  for (const concurrency of [before['concurrency'], { limit: 1, inFlight: 0 }, 'much', null]) {
    expect(await posthorn.request('PATCH', address, { ...before, concurrency })).toMatchObject({
      status: 200,
      body: before,
    });
  }
  expect(await read(address)).toEqual(before);

  const body = { channelId, webhookUrl, concurrency: { limit: 40, inFlight: 0 } };
  const refused = await posthorn.request<Refusal>('POST', '/v1/subscriptions', body);
  expect([refused.status, refused.body.error?.details]).toEqual([
    400,
    { field: 'concurrency', reason: 'is set by the service' },
  ]);
});
