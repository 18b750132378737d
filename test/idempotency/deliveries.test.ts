import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetExpired } from '../../src/dispatch/recovery/forget-expired.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const send = (path: string, body: unknown, key?: string) =>
  posthorn.request<{ id: string; ids: string[] }>('POST', path, body, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

test('a message published under a key, with an id or across channels is delivered like any other, once', async () => {
  const channelIds = await Promise.all([1, 2].map(async () => (await createChannel(posthorn)).id));
  for (const channelId of channelIds) await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const [one = '', other = ''] = channelIds;
  const message = { eventType: 'a', payload: { n: 1 } };
  const publish = async (): Promise<string[]> => [
    (await send(`/v1/channels/${one}/messages`, message, 'keyed')).body.id,
    (await send(`/v1/channels/${one}/messages`, { ...message, id: 'order-1' })).body.id,
    ...(
      await send(
        '/v1/messages/transactional',
        { messages: channelIds.map((channelId) => ({ ...message, channelId })) },
        'across',
      )
    ).body.ids,
    ...(await send('/v1/messages/batch', { messages: [{ ...message, channelId: other, id: 'order-2' }] })).body.ids,
  ];
  const ids = await publish();
  expect(await publish()).toEqual(ids);
  await waitFor('every delivery to be made', async () => {
    const left = await posthorn.deps.db.delivery.count({ where: { status: { not: 'delivered' } } });
    return left === 0 && receiver.requests.length >= ids.length;
  });
  expect(receiver.requests.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(5);
});

const counts = async () => [await posthorn.deps.db.idempotencyKey.count(), await posthorn.deps.db.publisherId.count()];

test('a worker removes what has expired and leaves the rest', async () => {
  const { pool } = posthorn.deps;
  await posthorn.worker.stop();
  const { id } = await createChannel(posthorn);
  const old = newIdempotencyKey();
  await send(`/v1/channels/${id}/messages`, { id: 'old', eventType: 'a', payload: {} }, old);
  await pool.query(
    `UPDATE idempotency_keys SET expires_at = now() WHERE created_at = (SELECT max(created_at) FROM idempotency_keys)`,
  );
  await pool.query(`UPDATE publisher_ids SET expires_at = now() WHERE publisher_id = 'old'`);
  const [keys = 0, ids = 0] = await counts();
  await posthorn.worker.start();
  await waitFor('the expired ones to be gone', async () => {
    const [keysNow, idsNow] = await counts();
    return keysNow === keys - 1 && idsNow === ids - 1;
  });
});

test('much that has expired is removed in batches, by several workers at once', async () => {
  const { pool } = posthorn.deps;
  await posthorn.worker.stop();
  const before = await counts();
  await pool.query(
    `INSERT INTO publisher_ids SELECT 'env_x', 'chn_x', n::text, 'msg_x', '', now() - interval '1 second' FROM generate_series(1, 5000) n`,
  );
  await pool.query(
    `INSERT INTO idempotency_keys (id, environment_id, request_hash, status, expires_at)
     SELECT sha256(n::text::bytea), 'env_x', '', 202, now() - interval '1 second' FROM generate_series(1, 3000) n`,
  );
  expect(await Promise.all([forgetExpired(pool), forgetExpired(pool)])).toEqual([true, true]);
  expect(await forgetExpired(pool)).toBe(false);
  expect(await counts()).toEqual(before);
});
