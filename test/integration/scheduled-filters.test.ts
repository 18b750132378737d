import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServices } from '../../src/process/create-services.ts';
import { createFilters } from '../../src/filters/filters.ts';
import { createMessages } from '../../src/messages/service.ts';
import { createSchemas } from '../../src/schemas/schemas.ts';
import { createChannel, createSubscription, publish } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { createDuePublisher, createHeldFilters, insertOverdue, publishAllDue } from '../support/scheduled.ts';
import { startSecondApi } from '../support/second-api.ts';
import { waitFor } from '../support/wait-for.ts';

const webhookUrl = 'https://example.com/in';
const MINUTE_MS = 60_000;

let posthorn: TestPosthorn;
let channelId: string;
let subscriptionId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
  ({ id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl, filter: 'payload.n == 1' }));
});
afterAll(() => posthorn.stop());

type State = { status: number; body: { deliveryStatus: string } };
const get = (id: string): Promise<State> => posthorn.request('GET', `/v1/messages/${id}`);
const statusOf = async (id: string | undefined): Promise<string> => (await get(id ?? '')).body.deliveryStatus;
const patchChannel = (fields: Record<string, unknown>): Promise<{ status: number }> =>
  posthorn.request('PATCH', `/v1/channels/${channelId}`, fields);
const patchFilter = (filter: string | null): Promise<{ status: number }> =>
  posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { filter });
const insert = (of: string, fields: { count?: number; payload?: string; agoMs?: number } = {}): Promise<string[]> =>
  insertOverdue(posthorn, of, { agoMs: MINUTE_MS, ...fields });

/** Publishes batch after batch until that is so. */
const publishUntil = (
  what: string,
  publishDue: ReturnType<typeof createDuePublisher>,
  look: () => Promise<boolean> | boolean,
): Promise<unknown> =>
  waitFor(what, async () => {
    await publishDue();
    return look();
  });

const noTransactionIsOpen = async (): Promise<boolean> => {
  const { rows } = await posthorn.deps.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
       AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
  );
  return rows.length === 0;
};

// Old: filters were asked in the transaction of a batch of all channels: minutes of costly ones stopped them all, the streams,
// and whoever changed the channel.
test('while filters of a channel are undecided, other channels publish what is due, and no transaction is open', async () => {
  const held = createHeldFilters(posthorn, channelId);
  const publishDue = createDuePublisher(posthorn, held);
  const { id: plain } = await createChannel(posthorn);
  const { id: filtered } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId: filtered, webhookUrl, filter: 'payload.n == 1' });
  // Older than all others, and more than one batch.
  const stuck = await insert(channelId, { count: 300, agoMs: 10 * MINUTE_MS });
  const others = [...(await insert(plain)), ...(await insert(filtered))];
  const areDone = async (ids: readonly string[]): Promise<boolean> =>
    (await posthorn.deps.db.message.count({ where: { id: { in: [...ids] } } })) === ids.length;

  await publishUntil('the others to be published', publishDue, () => areDone(others));
  await waitFor('no transaction to be open', noTransactionIsOpen);
  const later = [...(await insert(plain)), ...(await insert(filtered))];
  await publishUntil('what is due later as well', publishDue, () => areDone(later));

  expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(0);
  expect(await Promise.all(others.map(statusOf))).toEqual(['unrouted', 'pending']);
  expect((await patchChannel({ description: 'changed meanwhile' })).status).toBe(200);
  expect((await publish(posthorn, plain)).deliveryStatus).toBe('unrouted');

  held.decide();
  await publishAllDue(publishDue);
  expect(await areDone(stuck)).toBe(true);
  expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(300);
});

describe('a change to a message while filters decide about it holds:', () => {
  let publishDue: ReturnType<typeof createDuePublisher>;
  let held: ReturnType<typeof createHeldFilters>;
  let ids: string[];
  beforeEach(async () => {
    held = createHeldFilters(posthorn, channelId);
    publishDue = createDuePublisher(posthorn, held);
    ids = await insert(channelId, { count: 3 });
    // Once by the batch, and then beside it.
    await publishUntil('its filter to be asked', publishDue, () => held.asked.length >= 2);
  });
  const decide = async (): Promise<string[]> => {
    held.decide();
    await publishAllDue(publishDue);
    return Promise.all(ids.map(statusOf));
  };

  test('one that is cancelled is not published, one that is erased neither', async () => {
    const [cancelled, , erased] = ids;
    expect((await posthorn.request('POST', `/v1/messages/${cancelled}/cancel`)).status).toBe(200);
    expect((await posthorn.request('DELETE', `/v1/messages/${erased}`)).status).toBe(204);
    expect(await decide()).toEqual(['cancelled', 'pending', 'cancelled']);
    expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(1);
  });

  test('a changed filter is the one that counts', async () => {
    expect((await patchFilter('payload.n == 2')).status).toBe(200);
    expect(await decide()).toEqual(['unrouted', 'unrouted', 'unrouted']);
  });

  test('so is no filter, and a subscription that is new', async () => {
    expect((await patchFilter(null)).status).toBe(200);
    await createSubscription(posthorn, { channelId, webhookUrl, filter: 'payload.n < 2' });
    expect(await decide()).toEqual(['pending', 'pending', 'pending']);
    expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(6);
  });

  test('in a paused channel all of them wait until it is active', async () => {
    await patchChannel({ status: 'paused' });
    expect(await decide()).toEqual(['scheduled', 'scheduled', 'scheduled']);
    await patchChannel({ status: 'active' });
    expect(await decide()).toEqual(['pending', 'pending', 'pending']);
  });

  test('with a deleted channel all of them are cancelled', async () => {
    expect((await posthorn.request('DELETE', `/v1/channels/${channelId}`)).status).toBe(204);
    expect(await decide()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('a message that another process has published meanwhile is not published again', async () => {
    await publishAllDue(createDuePublisher(posthorn));
    expect(await decide()).toEqual(['pending', 'pending', 'pending']);
    expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(3);
  });
});

test('four processes whose filters decide at the same moment publish each message once', async () => {
  const filters = Array.from({ length: 4 }, () => createHeldFilters(posthorn, channelId));
  const publishers = filters.map((held) => createDuePublisher(posthorn, held));
  const ids = await insert(channelId, { count: 120 });
  for (const [n, publishDue] of publishers.entries())
    await publishUntil('its filter to be asked', publishDue, () => (filters[n]?.asked.length ?? 0) >= 2);
  for (const { decide } of filters) decide();
  await Promise.all(publishers.map(publishAllDue));
  const deliveries = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
  expect(deliveries.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
  expect(await posthorn.deps.db.scheduledMessage.count({ where: { channelId } })).toBe(0);
});

test('a message that a costly filter lets through, or cannot decide in time, is delivered', async () => {
  // 2,500 million steps over the long list, four over the short one.
  await patchFilter('payload.a.all(x, payload.a.all(y, x + y > -1))');
  const ids: string[] = [];
  for (const a of [[1, 2], Array.from({ length: 50_000 }, (_, n) => n % 10)])
    ids.push(...(await insert(channelId, { payload: JSON.stringify({ a }) })));
  await publishAllDue(createDuePublisher(posthorn));
  expect(await Promise.all(ids.map(statusOf))).toEqual(['pending', 'pending']);
});

test('a message that cannot be stored is put off alone in a channel whose filters need time, too', async () => {
  const { pool, db } = posthorn.deps;
  const held = createHeldFilters(posthorn, channelId);
  held.decide();
  const ids = await insert(channelId, { count: 3 });
  const [bad = ''] = await insert(channelId, { payload: '{"n":1,"text":"bad"}' });
  await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.payload LIKE '%bad%' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()`);
  try {
    await publishAllDue(createDuePublisher(posthorn, held));
  } finally {
    await pool.query('DROP FUNCTION refuse() CASCADE');
  }
  expect(await Promise.all([...ids, bad].map(statusOf))).toEqual(['pending', 'pending', 'pending', 'scheduled']);
  const row = await db.scheduledMessage.findUniqueOrThrow({ where: { id: bad } });
  expect(row.dueAt?.getTime()).toBeGreaterThan(row.deliverAt.getTime() + MINUTE_MS);
});

// Old: 20 messages for tomorrow to a channel with 20 costly filters took 24 s.
test('no filter is asked about a message that is scheduled, but about what its batch publishes at once', async () => {
  const { deps } = posthorn;
  const held = createHeldFilters(posthorn, '');
  const { problemOf } = createFilters({ log: deps.log, waitMs: deps.config.filterWaitMs });
  const messages = createMessages(deps, { schemas: createSchemas(deps), filters: { ...held, problemOf } });
  const api = await startSecondApi(posthorn, { ...createServices(deps), messages });
  const bodyOf = (n: number) => ({ eventType: 'a', payload: { n } });
  const batch = [{ ...bodyOf(1), delay: MINUTE_MS }, bodyOf(2), { ...bodyOf(3), delay: MINUTE_MS }];
  const path = `/v1/channels/${channelId}/messages`;
  const answers = [
    await api.request('POST', `${path}/batch`, { messages: batch }),
    await api.request('POST', path, { ...bodyOf(4), delay: MINUTE_MS }),
  ];
  await api.stop();
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  expect(held.asked).toEqual(['{"n":2}']);
  expect(await deps.db.scheduledMessage.count({ where: { channelId } })).toBe(3);
});
