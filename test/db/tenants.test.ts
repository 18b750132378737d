import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { storePublications } from '../../src/publishing/storing/store.ts';
import { foreignReferences, namingColumns } from '../support/check/tenants.ts';
import { createSubscription } from '../support/make/factories.ts';
import { make, seedResources } from '../support/make/seed.ts';
import type { ResourceIds } from '../support/check/contract-table.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let live: ResourceIds;
let inTest: ResourceIds;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  live = await seedResources(posthorn, posthorn.keys.live);
  inTest = await seedResources(posthorn, posthorn.keys.test);
});
afterAll(() => posthorn.stop());

const environmentOf = async (channelId: string): Promise<string> =>
  (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } })).environmentId;
const FOREIGN_KEY = { code: '23503' };

describe('a row that names one of another environment', () => {
  test.each([
    ['a subscription', 'subscriptions', 'channel_id', () => [inTest.channelId, live.subscriptionId]],
    ['a replay', 'message_replays', 'subscription_id', () => [inTest.subscriptionId, live.messageReplayId]],
  ])('cannot be stored: %s', async (_, table, column, values) => {
    const moved = posthorn.deps.pool.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, values());
    await expect(moved).rejects.toMatchObject(FOREIGN_KEY);
    const [, id] = values();
    const environmentId = await environmentOf(inTest.channelId);
    const taken = posthorn.deps.pool.query(`UPDATE ${table} SET environment_id = $1 WHERE id = $2`, [
      environmentId,
      id,
    ]);
    await expect(taken).rejects.toMatchObject(FOREIGN_KEY);
  });

  test('is stored by no publish: the statement takes channel and environment together', async () => {
    const { pool, newId, db } = posthorn.deps;
    const before = await db.message.count();
    const publication = {
      environmentId: await environmentOf(live.channelId),
      channelId: inTest.channelId,
      messages: [{ id: newId('message'), eventType: 'a', payload: '{}', metadata: undefined, publishedAt: new Date() }],
    };
    const { stored, routed } = await storePublications(pool, [publication], undefined);
    expect([stored, [...routed]]).toEqual([[{ channelStatus: undefined, isStale: false }], []]);
    expect(await db.message.count()).toBe(before);
  });

  test.each([
    ['POST', '/v1/subscriptions', () => ({ channelId: inTest.channelId, webhookUrl: 'https://example.com/' })],
    [
      'POST',
      '/v1/messages/batch',
      () => ({ messages: [{ channelId: inTest.channelId, eventType: 'a', payload: {} }] }),
    ],
    ['POST', '/v1/dlq/replay', () => ({ channelId: inTest.channelId })],
    ['POST', '/v1/dlq/replay', () => ({ subscriptionId: inTest.subscriptionId })],
  ])('comes of no request: %s %s', async (method, path, body) => {
    await posthorn.request(method, path, body());
    expect(await foreignReferences(posthorn.deps.pool)).toEqual([]);
  });
});

test('every column that names a row of an environment is looked at', async () => {
  const { rows } = await posthorn.deps.pool.query<{ name: string }>(
    `SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
     WHERE c.table_schema = 'public' AND c.column_name ~ '^(only_)?(channel|message|subscription|delivery|inspector)_id$'
       AND EXISTS (SELECT FROM information_schema.columns e WHERE e.table_schema = 'public'
                     AND e.table_name = c.table_name AND e.column_name = 'environment_id')`,
  );
  expect(rows.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b))).toEqual(
    namingColumns.toSorted((a, b) => a.localeCompare(b)),
  );
});

test('a subscription that retention removes takes its replays with it', async () => {
  const { id: channelId } = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'short' });
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/' });
  const replay = await make(posthorn, posthorn.keys.live, `/v1/subscriptions/${id}/replay`, {
    since: new Date(Date.now() - 1_000).toISOString(),
  });
  const { db, pool } = posthorn.deps;
  await pool.query('DELETE FROM subscription_secrets WHERE subscription_id = $1', [id]);
  await db.subscription.delete({ where: { id } });
  expect(await db.messageReplay.findUnique({ where: { id: replay.id } })).toBeNull();
});
