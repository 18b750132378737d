import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import { addPausedSubscriptions } from '../support/make/paused-subscriptions.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createDuePublisher, insertOverdue } from '../support/world/scheduled.ts';
import { idsOf, openStream } from '../support/world/stream-reader.ts';

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
  await holder.query(`CREATE OR REPLACE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
    CREATE OR REPLACE TRIGGER hold_up BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.channel_id = '${channelId}') EXECUTE FUNCTION hold_up()`);
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

/** The sessions that have a sign, and whether their transactions have numbers. */
async function signedSessions(): Promise<{ hasNumber: boolean }[]> {
  const { rows } = await posthorn.deps.pool.query<{ hasNumber: boolean }>(
    `SELECT bool_or(locktype = 'transactionid') AS "hasNumber" FROM pg_locks
     WHERE pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 7220637 AND objsubid = 2) GROUP BY pid`,
  );
  return rows;
}

/** Publishes one message to another channel, and returns once readers of it have it. */
async function publishBeside(): Promise<void> {
  const { id: channelId } = await createChannel(posthorn);
  const reader = await openStream({ url: `${posthorn.url}/v1/channels/${channelId}/stream`, key: posthorn.keys.live });
  const { id } = await publish(posthorn, channelId);
  await reader.waitForEvents(1);
  expect(idsOf(reader)).toEqual([id]);
  reader.close();
  const listed = await posthorn.request('GET', `/v1/channels/${channelId}/messages?order=committed`);
  expect(listed.body).toMatchObject({ data: [{ id }] });
}

// Old: readers of every channel waited until it was stored.
test.each([
  ['', {}],
  [' with a key', { 'idempotency-key': 'signed' }],
])(
  'a wide publish%s is signed before its transaction has a number, and readers of other channels go on',
  async (_, headers) => {
    const { id: channelId } = await createChannel(posthorn);
    await addPausedSubscriptions(posthorn, channelId, 300);
    const messages = Array.from({ length: 10 }, (__, n) => ({ eventType: 'order.created', payload: { n } }));
    const held = await holdUp(channelId);
    const locker = await posthorn.deps.pool.connect();
    let published: Promise<{ status: number }> | undefined;
    try {
      // Does not give this transaction a number either.
      await locker.query('BEGIN; LOCK TABLE messages IN SHARE MODE');
      published = posthorn.request('POST', `/v1/channels/${channelId}/messages/batch`, { messages }, { headers });
      await waitFor('the sign', async () => (await signedSessions()).length > 0);
      expect(await signedSessions()).toEqual([{ hasNumber: false }]);
      await locker.query('COMMIT');
      await waitFor('the publish to be held up', async () => (await held.waiting()) > 0);
      expect(await signedSessions()).toEqual([{ hasNumber: true }]);
      await publishBeside();
    } finally {
      locker.release(true);
      await held.end();
    }
    expect((await published).status).toBe(202);
    expect(await signedSessions()).toEqual([]);
  },
);

test('a scheduled message for 2,000 subscriptions is signed, and readers of other channels go on while it is stored', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await addPausedSubscriptions(posthorn, channelId, 2_000);
  const [id] = await insertOverdue(posthorn, channelId, { agoMs: 60_000 });
  const held = await holdUp(channelId);
  const due = createDuePublisher(posthorn)();
  try {
    await waitFor('the publish to be held up', async () => (await held.waiting()) > 0);
    expect(await signedSessions()).toEqual([{ hasNumber: true }]);
    await publishBeside();
  } finally {
    await held.end();
  }
  expect((await due).messages).toBe(1);
  expect(await posthorn.deps.db.delivery.count({ where: { messageId: id ?? '' } })).toBe(2_000);
});
