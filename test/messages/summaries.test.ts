import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
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

test('a message in the list over channels shows its size and its deliveries by state, but no payload', async () => {
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

test('service events are listed only where includeSystem or channelId asks for them', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const systemId = await systemChannelOf(posthorn);
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const own = await publish(posthorn, channelId, {});
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     VALUES (posthorn_id('msg'), $1, $2, 'backlog.high', '{}', now()) RETURNING id`,
    [environmentId, systemId],
  );
  const event = rows[0]?.id;
  const list = async (query: string, key = posthorn.keys.live): Promise<string[]> => {
    const path = `/v1/messages?${query}`;
    const { body } = await posthorn.request<{ data: Summary[] }>('GET', path, undefined, { key });
    return body.data.map(({ id }) => id);
  };
  for (const query of ['', 'includeSystem=false']) {
    expect(await list(query)).not.toContain(event);
    expect((await list(query))[0]).toBe(own.id);
  }
  expect((await list('includeSystem=true')).slice(0, 2)).toEqual([event, own.id]);
  expect(await list('includeSystem=true&eventType=backlog.*')).toEqual([event]);
  expect(await list('eventType=backlog.*')).toEqual([]);
  for (const query of [`channelId=${systemId}`, `channelId=${systemId}&includeSystem=false`])
    expect(await list(query)).toEqual([event]);
  expect(await list('includeSystem=true', posthorn.keys.test)).not.toContain(event);
});

test('a message without a matching subscription is unrouted', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await publish(posthorn, channelId, {});
  expect(await summaryOf(channelId)).toMatchObject({
    deliveryStatus: 'unrouted',
    deliveries: { total: 0, delivered: 0, failed: 0 },
  });
});

test('the list over channels filters by the combined state of the deliveries, in pages', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const alone = await publish(posthorn, channelId, {});
  await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) made.push((await publish(posthorn, channelId, {})).id);
  const [pending, retrying, failed, delivered, arrived] = made;
  const set = (id: string | undefined, status: string, isDue: boolean) =>
    posthorn.deps.pool.query(
      `UPDATE deliveries SET status = $2, due_at = CASE WHEN $3 THEN due_at END WHERE message_id = $1`,
      [id, status, isDue],
    );
  await set(retrying, 'retrying', true);
  await set(failed, 'failed', false);
  await set(delivered, 'delivered', false);
  await set(arrived, 'delivered', false);
  const list = async (query: string) => {
    const path = `/v1/messages?channelId=${channelId}&${query}`;
    const { body } = await posthorn.request<{ data: Summary[]; pagination: { cursor?: string } }>('GET', path);
    return { ids: body.data.map(({ id }) => id), cursor: body.pagination.cursor };
  };
  const all = { ids: (await list('')).ids, cursor: undefined };
  expect(all.ids).toHaveLength(6);
  expect(await list('deliveryStatus=pending')).toEqual({ ids: [retrying, pending], cursor: undefined });
  expect(await list('deliveryStatus=failed')).toEqual({ ids: [failed], cursor: undefined });
  expect(await list('deliveryStatus=unrouted')).toEqual({ ids: [alone.id], cursor: undefined });
  expect(await list('deliveryStatus=unrouted,failed')).toEqual({ ids: [failed, alone.id], cursor: undefined });
  const first = await list('deliveryStatus=delivered&limit=1');
  expect(first).toEqual({ ids: [arrived], cursor: expect.any(String) });
  expect(await list(`deliveryStatus=delivered&limit=1&cursor=${first.cursor ?? ''}`)).toEqual({
    ids: [delivered],
    cursor: undefined,
  });
  const refused = await posthorn.request('GET', '/v1/messages?deliveryStatus=scheduled');
  expect(refused).toMatchObject({ status: 400, body: { error: { details: { field: 'deliveryStatus' } } } });
});

test('a page by the state of the deliveries reads 5,000 messages, and the next one continues after them', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const oldest = await publish(posthorn, channelId, {});
  await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const waiting = await publish(posthorn, channelId, {});
  await posthorn.deps.pool.query(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, 5100)`,
    [environmentId, channelId],
  );
  const list = async (query: string) => {
    const path = `/v1/messages?channelId=${channelId}&${query}`;
    const { body } = await posthorn.request<{ data: Summary[]; pagination: { cursor?: string } }>('GET', path);
    return { ids: body.data.map(({ id }) => id), cursor: body.pagination.cursor };
  };
  const first = await list('deliveryStatus=pending');
  expect(first).toEqual({ ids: [], cursor: expect.any(String) });
  expect(await list(`deliveryStatus=pending&cursor=${first.cursor ?? ''}`)).toEqual({
    ids: [waiting.id],
    cursor: undefined,
  });
  expect((await list('deliveryStatus=unrouted&limit=100')).ids).toHaveLength(100);
  expect((await list('deliveryStatus=unrouted&limit=100')).ids).not.toContain(oldest.id);
});
