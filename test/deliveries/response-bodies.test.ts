import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { insertFailed } from '../support/make/listed-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Listed = { data: { id: string; response?: { status: number; body: string; latencyMs: number } }[] };

test('a list without bodies has the same rows, and the delivery itself keeps its body', async () => {
  const { pool, db } = posthorn.deps;
  const { id: channelId } = await createChannel(posthorn);
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/' });
  await insertFailed(pool, { environmentId, channelId }, subscriptionId, 100);
  await pool.query("UPDATE deliveries SET response_body = repeat('x', 16384) WHERE subscription_id = $1", [
    subscriptionId,
  ]);
  const list = async (query: string): Promise<Listed> => {
    const path = `/v1/deliveries?subscriptionId=${subscriptionId}&limit=100${query}`;
    const { status, body } = await posthorn.request<Listed>('GET', path);
    expect(status).toBe(200);
    return body;
  };
  const [whole, asAsked, without] = [
    await list(''),
    await list('&responseBodies=true'),
    await list('&responseBodies=false'),
  ];
  expect(asAsked).toEqual(whole);
  expect(JSON.stringify(whole).length).toBeGreaterThan(1_600_000);
  expect(JSON.stringify(without).length).toBeLessThan(100_000);
  const emptied = whole.data.map((row) => ({ ...row, response: { ...row.response, body: '' } }));
  expect(without.data).toEqual(emptied);
  const [first] = without.data;
  const { body: one } = await posthorn.request<Listed['data'][number]>('GET', `/v1/deliveries/${first?.id}`);
  expect(one.response?.body).toHaveLength(16_384);
});
