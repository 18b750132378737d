import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Publication } from '../../src/messaging/messages/publication.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { holderOf } from '../support/make/holder.ts';
import { addPausedSubscriptions } from '../support/make/paused-subscriptions.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createDuePublisher, insertOverdue } from '../support/world/scheduled.ts';
import { idsOf, openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('wide channels', () => {
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
    const reader = await openStream({
      url: `${posthorn.url}/v1/channels/${channelId}/stream`,
      key: posthorn.keys.live,
    });
    const { id } = await publish(posthorn, channelId);
    await reader.waitForEvents(1);
    expect(idsOf(reader)).toEqual([id]);
    reader.close();
    const listed = await posthorn.request('GET', `/v1/channels/${channelId}/messages?order=committed`);
    expect(listed.body).toMatchObject({ data: [{ id }] });
  }

  // Regression: readers of every channel waited until it was stored.
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
});

describe('wide publishes', () => {
  const newId = createNewId(Date.now);
  const SUBSCRIPTIONS = 8;
  const MESSAGES = 6;

  /** A channel with `active` subscriptions and `paused` ones, and `messages` messages to it. */
  async function publicationTo(
    messages: number,
    { active, paused = 0 }: { active: number; paused?: number },
  ): Promise<Publication> {
    const { id: channelId } = await createChannel(posthorn);
    for (let n = 0; n < active + paused; n += 1) {
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
      if (n < paused) await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    }
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const message = () => ({
      id: newId('message'),
      eventType: 'a.b',
      payload: '{}',
      metadata: undefined,
      publishedAt: new Date(),
    });
    return { environmentId, channelId, messages: Array.from({ length: messages }, message) };
  }

  async function deliveriesOf({ channelId }: Publication): Promise<{ claimed: number; due: number }> {
    const { rows } = await posthorn.deps.pool.query<{ claimed: number; due: number }>(
      `SELECT count(holder)::int AS claimed, count(*) FILTER (WHERE holder IS NULL AND due_at <= now())::int AS due
     FROM deliveries WHERE channel_id = $1`,
      [channelId],
    );
    return rows[0] ?? { claimed: -1, due: -1 };
  }

  // Regression: all of them came back in one reply and were queued in one turn of the event loop: 100,000 stopped it for seconds.
  test('a publish claims no more deliveries than its process hands out at once, those of the first messages, and stores the rest as due', async () => {
    const publication = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
    const first = publication.messages.slice(0, 2).map(({ id }) => id);

    const made = await storePublications(posthorn.deps.pool, [publication], holderOf('inc_wide', SUBSCRIPTIONS * 2));

    expect(made.taken).toHaveLength(SUBSCRIPTIONS * 2);
    expect(new Set(made.taken.map(({ read }) => read?.message.id))).toEqual(new Set(first));
    expect(made.hasUntaken).toBe(true);
    expect(made.routed).toEqual(new Map(publication.messages.map(({ id }) => [id, SUBSCRIPTIONS])));
    expect(await deliveriesOf(publication)).toEqual({
      claimed: SUBSCRIPTIONS * 2,
      due: SUBSCRIPTIONS * (MESSAGES - 2),
    });
  });

  test('the channels of a group share what is claimed, so that a wide one leaves room for the others', async () => {
    const wide = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
    const narrow = await publicationTo(1, { active: 1 });

    await storePublications(posthorn.deps.pool, [wide, narrow], holderOf('inc_shared', SUBSCRIPTIONS));

    expect(await deliveriesOf(wide)).toEqual({
      claimed: SUBSCRIPTIONS / 2,
      due: SUBSCRIPTIONS * MESSAGES - SUBSCRIPTIONS / 2,
    });
    expect(await deliveriesOf(narrow)).toEqual({ claimed: 1, due: 0 });
  });

  test('paused subscriptions take nothing of what is claimed', async () => {
    const publication = await publicationTo(2, { active: 2, paused: 3 });

    const made = await storePublications(posthorn.deps.pool, [publication], holderOf('inc_paused', 4));

    expect([made.taken.length, made.hasUntaken]).toEqual([4, true]);
  });

  test('the statement returns a row for each claimed delivery, and one for each message with others', async () => {
    const publication = await publicationTo(MESSAGES, { active: SUBSCRIPTIONS });
    const { pool } = posthorn.deps;
    const client = await pool.connect();
    const counts: number[] = [];
    const query = client.query.bind(client) as (...of: unknown[]) => Promise<{ rows: unknown[] }>;
    // `as`: storePublications makes the one kind of call that this passes on.
    client.query = (async (...of: unknown[]) => {
      const result = await query(...of);
      counts.push(result.rows.length);
      return result;
    }) as unknown as typeof client.query;
    await storePublications(client, [publication], holderOf('inc_rows', 3)).finally(() => client.release(true));
    const [channel, subscriptions] = [1, 3];
    expect(counts).toEqual([channel + subscriptions + 3 + MESSAGES]);
  });
});
