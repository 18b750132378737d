import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mergeParts } from '../../src/stats/merge-store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

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

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

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
  // Rows of the same form: ids that differ in their last three characters.
  const { rows } = await pool.query<{ column_name: string }>(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'subscriptions' AND column_name <> 'id'`,
  );
  const columns = rows.map(({ column_name }) => column_name).join(', ');
  const more = (first: number, last: number) =>
    pool.query(
      `INSERT INTO subscriptions (id, ${columns})
       SELECT left(id, -4) || lpad(n::text, 4, '0'), ${columns} FROM subscriptions, generate_series($2::int, $3::int) n WHERE id = $1`,
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
