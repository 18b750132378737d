import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { TIME_IS_GIVEN } from '../../src/platform/db/sql/commit-order.ts';
import { isTimeGiven } from '../../src/kernel/values/ids.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { addPausedSubscriptions } from '../support/make/paused-subscriptions.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createDuePublisher, insertOverdue, makeDue, publishAllDue } from '../support/world/scheduled.ts';
import { openStream } from '../support/world/stream-reader.ts';
import { waitFor } from '../support/check/wait-for.ts';

const WEBHOOK_URL = 'https://example.com/in';
const MINUTE_MS = 60_000;

let posthorn: TestPosthorn;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

type State = { status: number; body: { deliveryStatus: string } };
const get = (id: string): Promise<State> => posthorn.request('GET', `/v1/messages/${id}`);
const setStatus = (status: string): Promise<unknown> =>
  posthorn.request('PATCH', `/v1/channels/${channelId}`, { status });
const isPublished = async (id: string): Promise<boolean> =>
  (await posthorn.deps.db.message.count({ where: { id } })) === 1;
const countWaiting = (): Promise<number> =>
  posthorn.deps.db.scheduledMessage.count({ where: { channelId, cancelledAt: null } });
/** Ids of what was published in the channel, in the order of the transactions. */
const inOrder = async (of = channelId): Promise<string[]> =>
  (
    await posthorn.deps.pool.query<{ id: string }>(
      'SELECT id FROM messages WHERE channel_id = $1 ORDER BY transaction_id, id',
      [of],
    )
  ).rows.map(({ id }) => id);

async function schedule(): Promise<string> {
  const { id } = await publish(posthorn, channelId, { delay: 60 * MINUTE_MS });
  await makeDue(posthorn.deps.pool, channelId);
  return id;
}

test('four processes that publish what is due in twenty channels publish each message once', async () => {
  const channels = await Promise.all(Array.from({ length: 20 }, () => createChannel(posthorn)));
  const ids: string[] = [];
  for (const { id } of channels) {
    await createSubscription(posthorn, { channelId: id, webhookUrl: WEBHOOK_URL });
    ids.push(...(await insertOverdue(posthorn, id, { agoMs: MINUTE_MS, count: 60 })));
  }
  const publishers = Array.from({ length: 4 }, () => createDuePublisher(posthorn));

  await Promise.all(publishers.map(publishAllDue));
  // A message that one worker had when another looked is passed over by the other.
  const rest = await publishAllDue(createDuePublisher(posthorn));

  expect(rest.at(-1)).toBe(0);
  const { rows } = await posthorn.deps.pool.query<{ id: string; deliveries: number }>(
    `SELECT m.id, (SELECT count(*)::int FROM deliveries d WHERE d.message_id = m.id) AS deliveries
     FROM messages m WHERE m.channel_id = ANY ($1)`,
    [channels.map(({ id }) => id)],
  );
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(new Set(rows.map(({ deliveries }) => deliveries))).toEqual(new Set([1]));
  expect(await posthorn.deps.db.scheduledMessage.count()).toBe(0);
});

test('a filter is asked about a scheduled message when that is published, as the filter is then', async () => {
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, filter: 'payload.n == 1' });
  const publishDue = createDuePublisher(posthorn);
  const outcomeOf = async (n: number): Promise<string> => {
    const [messageId = ''] = await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS, payload: `{"n":${n}}` });
    await publishAllDue(publishDue);
    return (await get(messageId)).body.deliveryStatus;
  };
  expect([await outcomeOf(1), await outcomeOf(2)]).toEqual(['pending', 'unrouted']);
  await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { filter: 'payload.n == 2' });
  expect([await outcomeOf(1), await outcomeOf(2)]).toEqual(['unrouted', 'pending']);
});

test('a cancel and the publishing of a message at the same moment, 50 times: cancelled and never published, or CONFLICT and published', async () => {
  const seen = new Set<number>();
  for (let n = 0; n < 50; n += 1) {
    const id = await schedule();
    const publishDue = createDuePublisher(posthorn);
    // In turns one of them has a head start, so that both ways are seen.
    const cancelling = n % 2 === 0 ? posthorn.request('POST', `/v1/messages/${id}/cancel`) : undefined;
    const [answer] = await Promise.all([
      cancelling ?? publishDue().then(() => posthorn.request('POST', `/v1/messages/${id}/cancel`)),
      publishDue(),
    ]);
    await publishAllDue(publishDue);
    seen.add(answer.status);
    expect([answer.status, await isPublished(id)]).toEqual(answer.status === 200 ? [200, false] : [409, true]);
    expect((await get(id)).body.deliveryStatus).toBe(answer.status === 200 ? 'cancelled' : 'unrouted');
  }
  expect(seen).toContain(409);
});

test('a message erased at the moment of its publishing has no payload, wherever it is', async () => {
  for (let n = 0; n < 20; n += 1) {
    const id = await schedule();
    const publishDue = createDuePublisher(posthorn);
    const [{ status }] = await Promise.all([posthorn.request('DELETE', `/v1/messages/${id}`), publishDue()]);
    await publishAllDue(publishDue);
    const { body } = await get(id);
    expect([status, body]).toMatchObject([204, { erasedAt: expect.any(String) }]);
    expect(body).not.toHaveProperty('payload');
  }
});

test('one that is published while it is asked for is never missing', async () => {
  for (let n = 0; n < 20; n += 1) {
    const id = await schedule();
    const looks = Array.from({ length: 5 }, () => get(id));
    await publishAllDue(createDuePublisher(posthorn));
    expect((await Promise.all(looks)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  }
});

test('a message that becomes due while its channel is not active waits until it is', async () => {
  const id = await schedule();
  await setStatus('paused');
  await publishAllDue(createDuePublisher(posthorn));
  expect((await get(id)).body.deliveryStatus).toBe('scheduled');
  // The message is not looked at again and again meanwhile.
  expect(await posthorn.deps.db.scheduledMessage.count({ where: { channelId, dueAt: { not: null } } })).toBe(0);
  await setStatus('archived');
  await setStatus('active');
  await publishDueNow();
  expect((await get(id)).body.deliveryStatus).toBe('unrouted');
});

async function publishDueNow(): Promise<void> {
  await makeDue(posthorn.deps.pool, channelId);
  await publishAllDue(createDuePublisher(posthorn));
}

test('a due message is cancelled when its channel was deleted at the moment of accepting it', async () => {
  const id = await schedule();
  await posthorn.deps.db.channel.update({ where: { id: channelId }, data: { deletedAt: new Date() } });
  await publishAllDue(createDuePublisher(posthorn));
  expect((await get(id)).body).toMatchObject({ deliveryStatus: 'cancelled', cancelReason: 'channel_deleted' });
});

test('a channel that is being changed holds up nobody but itself', async () => {
  const { id: other } = await createChannel(posthorn);
  const [first] = await insertOverdue(posthorn, channelId, { agoMs: 2 * MINUTE_MS });
  const [second] = await insertOverdue(posthorn, other, { agoMs: MINUTE_MS });
  const changing = await posthorn.deps.pool.connect();
  try {
    await changing.query('BEGIN');
    await changing.query('SELECT FROM channels WHERE id = $1 FOR UPDATE', [channelId]);
    await publishAllDue(createDuePublisher(posthorn));
    expect([await isPublished(first ?? ''), await isPublished(second ?? '')]).toEqual([false, true]);
  } finally {
    await changing.query('ROLLBACK');
    changing.release();
  }
  await publishAllDue(createDuePublisher(posthorn));
  expect(await isPublished(first ?? '')).toBe(true);
});

test('a publisher that knows an older configuration of the channel publishes all the same', async () => {
  const publishDue = createDuePublisher(posthorn);
  await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS });
  await publishAllDue(publishDue);
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schema: { type: 'object', required: ['other'] } });
  await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS });
  await publishAllDue(publishDue);
  expect([(await inOrder()).length, await countWaiting()]).toEqual([2, 0]);
});

test('while thousands are due in one channel, another one gets its turn among them', async () => {
  const { id: other } = await createChannel(posthorn);
  await insertOverdue(posthorn, channelId, { agoMs: 2 * MINUTE_MS, count: 3_000 });
  const [id] = await insertOverdue(posthorn, other, { agoMs: MINUTE_MS });

  const sizes = await publishAllDue(createDuePublisher(posthorn));

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_001);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
  const { rows } = await posthorn.deps.pool.query<{ before: number }>(
    `SELECT count(*)::int AS before FROM messages m, messages o
     WHERE m.channel_id = $1 AND o.id = $2 AND m.transaction_id < o.transaction_id`,
    [channelId, id],
  );
  expect(rows[0]?.before).toBeLessThanOrEqual(500);
});

/** Messages and deliveries that were published in transactions before that of this message, after `first`. */
async function rowsBefore(id: string | undefined): Promise<number> {
  const { rows } = await posthorn.deps.pool.query<{ rows: number }>(
    `SELECT count(d.id)::int + count(DISTINCT m.id)::int AS rows FROM messages o
       JOIN messages m ON m.transaction_id < o.transaction_id AND m.channel_id = ANY ($2)
       LEFT JOIN deliveries d ON d.message_id = m.id WHERE o.id = $1`,
    [id, wideIds],
  );
  return rows[0]?.rows ?? 0;
}
let wideIds: string[] = [];

/** Two channels with so many subscriptions, in which 150 messages are due each. Returns a message of another tenant, due after them. */
async function wideAreDue(subscriptions: number, filter?: string): Promise<string | undefined> {
  const { id: second } = await createChannel(posthorn);
  wideIds = [channelId, second];
  for (const id of wideIds) {
    await addPausedSubscriptions(posthorn, id, subscriptions, filter);
    await insertOverdue(posthorn, id, { agoMs: 2 * MINUTE_MS, count: 150 });
  }
  const key = { key: posthorn.keys.test };
  const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'theirs' }, key);
  return (await insertOverdue(posthorn, body.id, { agoMs: MINUTE_MS }))[0];
}

test.each([undefined, 'payload.n == 1'])(
  'due messages of channels with 1,000 subscriptions do not make that of another tenant wait (filter: %s)',
  async (filter) => {
    const id = await wideAreDue(1_000, filter);
    const publishDue = createDuePublisher(posthorn);
    while (!(await isPublished(id ?? ''))) await publishDue();
    expect(await rowsBefore(id)).toBeLessThanOrEqual(4_000);
    for (let batch = 0; batch < 5; batch += 1) expect((await publishDue()).messages).toBeLessThanOrEqual(2);
    await posthorn.deps.db.scheduledMessage.deleteMany();
  },
);

test('a batch of channels with few subscriptions holds 2,000 rows, and all messages are published in order', async () => {
  await addPausedSubscriptions(posthorn, channelId, 19);
  const ids = await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS, count: 250 });
  expect(await publishAllDue(createDuePublisher(posthorn))).toEqual([100, 100, 50, 0]);
  expect(await inOrder()).toEqual(ids.toSorted());
  expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(250 * 19);
});

test('a batch holds no more than 4 MiB of payloads', async () => {
  const payload = JSON.stringify({ text: 'x'.repeat(200_000) });
  await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS, count: 50, payload });
  const sizes = await publishAllDue(createDuePublisher(posthorn));
  expect(Math.max(...sizes)).toBe(20);
  expect((await inOrder()).length).toBe(50);
});

test('a message that cannot be stored is put off, and those that were due with it are published', async () => {
  const { pool } = posthorn.deps;
  await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS, count: 5 });
  const [bad] = await insertOverdue(posthorn, channelId, { agoMs: MINUTE_MS, payload: '{"n":"bad"}' });
  await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.payload LIKE '%bad%' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()`);
  try {
    await publishAllDue(createDuePublisher(posthorn));
  } finally {
    await pool.query('DROP FUNCTION refuse() CASCADE');
  }
  expect([(await inOrder()).length, await isPublished(bad ?? '')]).toEqual([5, false]);
  const row = await posthorn.deps.db.scheduledMessage.findUniqueOrThrow({ where: { id: bad ?? '' } });
  expect(row.dueAt?.getTime()).toBeGreaterThan(row.deliverAt.getTime() + MINUTE_MS);
});

test('a stream that begins before the time of a message published late shows it and all that came in between', async () => {
  const [late = ''] = await insertOverdue(posthorn, channelId, { agoMs: 10 * MINUTE_MS });
  const between = (await publish(posthorn, channelId)).id;
  await publishAllDue(createDuePublisher(posthorn));
  const since = new Date(Date.now() - 11 * MINUTE_MS).toISOString();
  const url = `${posthorn.url}/v1/channels/${channelId}/stream?since=${since}`;
  const reader = await openStream({ url, key: posthorn.keys.live });
  const events = await reader.waitForEvents(2);
  // `as`: an event's data is the message.
  const ids = events.map(({ data }) => (JSON.parse(data) as { id: string }).id);
  reader.close();
  expect(ids).toEqual([between, late]);
  expect(await inOrder()).toEqual(ids);
});

test('a stream goes on behind its place with what is published late, and begins among scheduled messages alone', async () => {
  const first = (await publish(posthorn, channelId)).id;
  const open = (query: string, lastEventId?: string) =>
    openStream({
      url: `${posthorn.url}/v1/channels/${channelId}/stream${query}`,
      key: posthorn.keys.live,
      lastEventId,
    });
  const reader = await open('?since=2026-01-01T00:00:00Z');
  const [event] = await reader.waitForEvents(1);
  reader.close();
  const [late = ''] = await insertOverdue(posthorn, channelId, { agoMs: 10 * MINUTE_MS });
  await publishAllDue(createDuePublisher(posthorn));
  const again = await open('', event?.id);
  expect((await again.waitForEvents(1)).map(({ data }) => data)).toEqual([expect.stringContaining(late)]);
  again.close();

  await posthorn.deps.db.message.delete({ where: { id: first } });
  const only = await open(`?since=${new Date(Date.now() - 11 * MINUTE_MS).toISOString()}`);
  expect((await only.waitForEvents(1)).map(({ data }) => data)).toEqual([expect.stringContaining(late)]);
  only.close();
});

test('a subscription that begins in the past is made before or after the publishing of a late message, never during it', async () => {
  const [late = ''] = await insertOverdue(posthorn, channelId, { agoMs: 10 * MINUTE_MS });
  const publishing = await posthorn.deps.pool.connect();
  try {
    // As far as a batch that is being published: it has the channel.
    await publishing.query('BEGIN');
    await publishing.query('SELECT FROM channels WHERE id = $1 FOR SHARE', [channelId]);
    const startFrom = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
    const making = createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, startFrom });
    await waitFor('the subscription to wait for it', async () => {
      const { rows } = await posthorn.deps.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FOR NO KEY UPDATE%'`,
      );
      return rows.length === 1;
    });
    await publishing.query('COMMIT');
    await making;
  } finally {
    publishing.release();
  }
  await publishAllDue(createDuePublisher(posthorn));
  expect(await posthorn.deps.db.delivery.count({ where: { messageId: late } })).toBe(1);
});

test('PostgreSQL and the service agree on which ids were given their time', async () => {
  const { newId } = posthorn.deps;
  const ids = [newId('message'), newId('message', new Date()), newId('message', new Date(Date.now() + MINUTE_MS))];
  const { rows } = await posthorn.deps.pool.query<{ isGiven: boolean }>(
    `SELECT ${TIME_IS_GIVEN} AS "isGiven" FROM (SELECT unnest($1::text[]) COLLATE "C" AS id UNION ALL SELECT posthorn_id('msg')) m`,
    [ids],
  );
  expect(rows.map(({ isGiven }) => isGiven)).toEqual([...ids.map(isTimeGiven), false]);
});
