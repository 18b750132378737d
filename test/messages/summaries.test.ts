import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Summary = { id: string; payloadBytes?: number; deliveryStatus: string; deliveries: Record<string, number> };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const summaryOf = async (channelId: string): Promise<Summary> => {
  const { body } = await posthorn.request<{ data: Summary[] }>('GET', `/v1/messages?channelId=${channelId}`);
  expect(body.data).toHaveLength(1);
  return body.data[0] as Summary;
};

test('a message in the list over channels tells its size and its deliveries by state, and shows no payload', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
  for (let count = 0; count < 4; count += 1) await createSubscription(posthorn, target);
  const { id } = await publish(posthorn, channelId, { payload: { word: 'Grüße' } });
  const { pool } = posthorn.deps;
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM deliveries WHERE message_id = $1', [id]);
  for (const [index, status] of ['delivered', 'delivered', 'failed'].entries())
    await pool.query('UPDATE deliveries SET status = $2, due_at = NULL WHERE id = $1', [rows[index]?.id, status]);
  const before = await summaryOf(channelId);
  expect(Object.keys(before).toSorted()).toEqual([
    'channelId',
    'deliveries',
    'deliveryStatus',
    'eventType',
    'id',
    'payloadBytes',
    'publishedAt',
  ]);
  expect(before).toMatchObject({
    id,
    payloadBytes: Buffer.byteLength('{"word":"Grüße"}'),
    deliveryStatus: 'pending',
    deliveries: { total: 4, delivered: 2, failed: 1 },
  });

  await posthorn.request('DELETE', `/v1/messages/${id}`);
  const { payloadBytes, erasedAt, deliveryStatus } = { erasedAt: undefined, ...(await summaryOf(channelId)) };
  expect([payloadBytes, typeof erasedAt, deliveryStatus]).toEqual([undefined, 'string', 'failed']);
});

test('a message that nobody subscribes to is unrouted', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await publish(posthorn, channelId, {});
  expect(await summaryOf(channelId)).toMatchObject({
    deliveryStatus: 'unrouted',
    deliveries: { total: 0, delivered: 0, failed: 0 },
  });
});
