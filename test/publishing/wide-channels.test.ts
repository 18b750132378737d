import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel } from '../support/make/factories.ts';
import { addPausedSubscriptions } from '../support/make/paused-subscriptions.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** Holds up every transaction that publishes to the channel, until `end`. */
async function holdUp(channelId: string): Promise<{ waiting(): Promise<number>; end(): Promise<void> }> {
  const { pool } = posthorn.deps;
  const holder: PoolClient = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(4711)');
  await holder.query(`CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
    CREATE TRIGGER hold_up BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.channel_id = '${channelId}') EXECUTE FUNCTION hold_up()`);
  return {
    async waiting() {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`,
      );
      return rows.length;
    },
    async end() {
      await holder.query('SELECT pg_advisory_unlock(4711)');
      holder.release();
    },
  };
}

test('batches into a channel with 1,000 subscriptions do not make another tenant wait', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await addPausedSubscriptions(posthorn, channelId, 1_000);
  const other = { key: posthorn.keys.test };
  const theirs = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'theirs' }, other);
  const messages = Array.from({ length: 10 }, (_, n) => ({ eventType: 'order.created', payload: { n } }));
  const held = await holdUp(channelId);
  const publishWide = (headers = {}) =>
    posthorn.request('POST', `/v1/channels/${channelId}/messages/batch`, { messages }, { headers });
  const batches = [publishWide()];
  try {
    await waitFor('a batch to be held up', async () => (await held.waiting()) > 0);
    for (let n = 0; n < 2; n += 1) batches.push(publishWide(), publishWide({ 'idempotency-key': `wide-${n}` }));
    for (const headers of [{}, { 'idempotency-key': 'narrow-1' }, {}, { 'idempotency-key': 'narrow-2' }]) {
      const body = { eventType: 'order.created', payload: {} };
      const path = `/v1/channels/${theirs.body.id}/messages`;
      expect((await posthorn.request('POST', path, body, { ...other, headers })).status).toBe(202);
    }
    expect(await held.waiting()).toBe(1);
  } finally {
    await held.end();
  }
  expect((await Promise.all(batches)).map(({ status }) => status)).toEqual(batches.map(() => 202));
  expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(50_000);
});
