import { randomInt } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { signPublish } from '../../src/platform/db/sql/commit-order.ts';
import { createChannel, publish, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type StreamApi, startStreamApi } from '../support/service/stream-api.ts';
import { BEGINNING, idsOf, openStream, type StreamReader } from '../support/world/stream-reader.ts';
import { waitFor } from '../support/check/wait-for.ts';

const PUBLISHERS = 20;
const BY_EACH = 30;
const SLOW_TRANSACTIONS = 4;
const BY_EACH_SLOW = 12;
const RECONNECTIONS = 50;

let posthorn: TestPosthorn;
let apis: StreamApi[];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  apis = [await startStreamApi(posthorn), await startStreamApi(posthorn)];
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  await posthorn.stop();
});

const urlOf = (index: number): string => apis[index % apis.length]?.url ?? '';

/** Publishes one after the other through one API, now and then a small batch. Returns the ids. */
async function publishMany(channelId: string, publisher: number): Promise<string[]> {
  const ids: string[] = [];
  const headers = { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' };
  for (let n = 0; n < BY_EACH; n += 1) {
    const message = { eventType: 'order.created', payload: { publisher, n } };
    const isBatch = n % 5 === 0;
    const answer = await fetch(`${urlOf(publisher)}/v1/channels/${channelId}/messages${isBatch ? '/batch' : ''}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(isBatch ? { messages: [message, message, message] } : message),
    });
    const body = (await answer.json()) as { id: string; ids?: string[] };
    expect(answer.status).toBe(202);
    ids.push(...(body.ids ?? [body.id]));
  }
  return ids;
}

/** Inserts a message in the transaction that the client has begun. */
const insertLate = (client: pg.Client, id: string, channelId: string): Promise<unknown> =>
  client.query(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     SELECT $1, c.environment_id, c.id, 'order.late', '{}', now() FROM channels c WHERE c.id = $2`,
    [id, channelId],
  );

/** Inserts in transactions that stay open while others commit; every fourth is undone. Returns the ids that are there. */
async function insertManySlowly(channelId: string, published: () => Promise<number>): Promise<string[]> {
  const client = new pg.Client({ connectionString: posthorn.database.url });
  await client.connect();
  const ids: string[] = [];
  for (let n = 0; n < BY_EACH_SLOW; n += 1) {
    const id = posthorn.deps.newId('message');
    // At first certainly, so that the order of commits is not that of ids: something is published behind this id.
    if (n === 0) await waitFor('a message to be published', async () => (await published()) > 0);
    await client.query('BEGIN');
    await insertLate(client, id, channelId);
    // Others have committed behind it, or have nothing left to commit.
    const before = await published();
    for (let look = 0; look < 20 && (await published()) < before + 5; look += 1) await turn();
    const isUndone = n % 4 === 3;
    await client.query(isUndone ? 'ROLLBACK' : 'COMMIT');
    if (!isUndone) ids.push(id);
  }
  await client.end();
  return ids;
}

test('20 publishers, two processes, slow transactions and a reader that comes again 50 times, and one who pages: every message once, in one order', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { pool } = posthorn.deps;
  const count = async (): Promise<number> =>
    (
      await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM messages WHERE channel_id = $1', [
        channelId,
      ])
    ).rows[0]?.count ?? 0;
  const open = (index: number, lastEventId?: string) =>
    openStream({ url: `${urlOf(index)}/v1/channels/${channelId}/stream`, key: posthorn.keys.live, lastEventId });

  const steady = await open(0);
  const opening = await open(1);
  let position = await waitFor('the first position', () => opening.lastEventId());
  opening.close();
  const listed: string[] = [];
  const publishing = Promise.all([
    ...Array.from({ length: PUBLISHERS }, (_, publisher) => publishMany(channelId, publisher)),
    ...Array.from({ length: SLOW_TRANSACTIONS }, () => insertManySlowly(channelId, count)),
  ]);

  const seen: string[] = [];
  let connections = 0;
  let isPublished = false;
  const expected = publishing.then((ids) => {
    isPublished = true;
    return ids.flat().length;
  });
  const take = async (): Promise<void> => {
    const reader = await open(connections, position);
    connections += 1;
    // The reader stays for a few messages, or for all once it has come often enough.
    const patience = connections > RECONNECTIONS ? Number.POSITIVE_INFINITY : randomInt(1, 12);
    const isAll = async (): Promise<boolean> => isPublished && seen.length + reader.events.length >= (await expected);
    await waitFor('messages', async () => reader.events.length >= patience || (await isAll()), 120_000);
    reader.close();
    // As if the connection had broken behind these: what came further is sent again.
    const taken = reader.events.slice(0, patience);
    seen.push(...idsOf({ events: taken }));
    position = taken.at(-1)?.id ?? position;
  };
  /** A reader of the list, who goes on with each cursor at whatever process. */
  const page = async (): Promise<void> => {
    let cursor = '';
    for (let calls = 0; !isPublished || listed.length < (await expected); calls += 1) {
      const answer = await fetch(
        `${urlOf(calls)}/v1/channels/${channelId}/messages?order=committed&limit=7&cursor=${cursor}`,
        { headers: { authorization: `Bearer ${posthorn.keys.live}` } },
      );
      const body = (await answer.json()) as { data: { id: string }[]; pagination: { cursor: string } };
      expect(answer.status).toBe(200);
      listed.push(...body.data.map(({ id }) => id));
      ({ cursor } = body.pagination);
    }
  };
  const paging = page();
  while (!isPublished || seen.length < (await expected)) await take();
  await paging;

  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM messages WHERE channel_id = $1 ORDER BY transaction_id, id',
    [channelId],
  );
  const inOrder = rows.map(({ id }) => id);
  expect(inOrder).toHaveLength(PUBLISHERS * (BY_EACH + 2 * (BY_EACH / 5)) + SLOW_TRANSACTIONS * BY_EACH_SLOW * 0.75);
  expect((await publishing).flat().toSorted()).toEqual(inOrder.toSorted());
  // Otherwise nothing of this would tell a commit order from the order of ids.
  expect(inOrder).not.toEqual(inOrder.toSorted());
  expect(connections).toBeGreaterThanOrEqual(RECONNECTIONS);
  expect(seen).toEqual(inOrder);
  expect(listed).toEqual(inOrder);
  await steady.waitForEvents(inOrder.length);
  expect(idsOf(steady)).toEqual(inOrder);
  steady.close();
});

const readers: StreamReader[] = [];

async function read(channelId: string, query = ''): Promise<StreamReader> {
  const url = `${posthorn.url}/v1/channels/${channelId}/stream?${query}`;
  const reader = await openStream({ url, key: posthorn.keys.live });
  readers.push(reader);
  expect(reader.status).toBe(200);
  return reader;
}

/** Inserts a message in a transaction of its own, which stays open; with a sign for these channels. */
async function insertSlowly(
  of: string,
  signedFor?: readonly string[],
): Promise<{ id: string; commit: () => Promise<void>; undo: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: posthorn.database.url });
  await client.connect();
  await client.query('BEGIN');
  if (signedFor !== undefined) await signPublish(client, signedFor);
  const id = posthorn.deps.newId('message');
  await insertLate(client, id, of);
  const end = async (word: string): Promise<void> => {
    await client.query(word);
    await client.end();
  };
  return { id, commit: () => end('COMMIT'), undo: () => end('ROLLBACK') };
}

describe('the order of a stream', () => {
  let channelId: string;
  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  test('a message that commits late comes late, and is not lost behind those that were made after it', async () => {
    const reader = await read(channelId);
    const late = await insertSlowly(channelId);
    const early = await publish(posthorn, channelId);
    expect(late.id < early.id).toBe(true);
    expect(reader.events).toEqual([]);
    await late.commit();
    await reader.waitForEvents(2);
    expect(idsOf(reader)).toEqual([late.id, early.id]);
    // Every reader sees the same order, whenever it comes.
    const again = await read(channelId, BEGINNING);
    await again.waitForEvents(2);
    expect(idsOf(again)).toEqual([late.id, early.id]);
  });

  test('a transaction that wrote anything at all holds streams back until it ends, even undone, and one that only reads does not', async () => {
    const reader = await read(channelId);
    const elsewhere = await createChannel(posthorn);
    const writing = await insertSlowly(elsewhere.id);
    const reading = new pg.Client({ connectionString: posthorn.database.url });
    await reading.connect();
    await reading.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reading.query('SELECT count(*) FROM messages');
    const message = await publish(posthorn, channelId);
    const { rows } = await posthorn.deps.pool.query<{ isHeld: boolean }>(
      `SELECT transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) AS "isHeld" FROM messages WHERE id = $1`,
      [message.id],
    );
    expect(rows).toEqual([{ isHeld: true }]);
    expect(reader.events).toEqual([]);
    await writing.undo();
    await reader.waitForEvents(1);
    expect(idsOf(reader)).toEqual([message.id]);
    await reading.query('COMMIT');
    await reading.end();
  });

  test('messages from before there were streams come first, in the order of their ids', async () => {
    const old: string[] = [];
    for (let n = 0; n < 3; n += 1) old.push(...(await publishBatch(posthorn, channelId, 80)));
    await posthorn.deps.pool.query(`UPDATE messages SET transaction_id = '0' WHERE channel_id = $1`, [channelId]);
    const young = await publishBatch(posthorn, channelId, 3);
    const reader = await read(channelId, BEGINNING);
    await reader.waitForEvents(243);
    expect(idsOf(reader)).toEqual([...old, ...young]);
  });

  test('large messages come in pieces, none is left out', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1)
      ids.push((await publish(posthorn, channelId, { payload: { n, text: 'x'.repeat(200_000) } })).id);
    const reader = await read(channelId, BEGINNING);
    await reader.waitForEvents(12);
    expect(idsOf(reader)).toEqual(ids);
  });
});

describe('a list in the order of commits', () => {
  type Listed = { data: { id: string }[]; pagination: { cursor: string; hasMore: boolean } };
  let channelId: string;
  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  const list = (query = '') =>
    posthorn.request<Listed>('GET', `/v1/channels/${channelId}/messages?order=committed${query}`);
  const idsIn = ({ body }: { body: Listed }): string[] => body.data.map(({ id }) => id);
  /** The list, once it has as many. Transactions of other databases of the server hold it up, too. */
  const listOf = (count: number, query: string) =>
    waitFor(`a list of ${count}`, async () => {
      const answer = await list(query);
      return answer.body.data.length >= count && answer;
    });

  /** The old way to go on, `since` of the last publishedAt, lost a message that became visible behind a later one. */
  test('shows a message that commits late behind those that were made after it, once', async () => {
    const late = await insertSlowly(channelId);
    const { id: second } = await publish(posthorn, channelId);
    const first = await list();
    expect([idsIn(first), first.body.pagination.hasMore]).toEqual([[], false]);
    await late.commit();
    const next = await listOf(2, `&cursor=${first.body.pagination.cursor}`);
    // By their transactions, and the late one has begun first.
    expect(idsIn(next)).toEqual([late.id, second]);
    const { id: third } = await publish(posthorn, channelId);
    expect(idsIn(await listOf(1, `&cursor=${next.body.pagination.cursor}`))).toEqual([third]);
  });

  test('goes on behind messages of other event types, 1,000 at a time', async () => {
    await posthorn.deps.pool.query(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT 'msg_' || lpad(n::text, 26, '0'), c.environment_id, c.id, CASE n WHEN 1100 THEN 'order.paid' ELSE 'user.seen' END, '{}', now()
       FROM channels c, generate_series(1, 1200) n WHERE c.id = $1`,
      [channelId],
    );
    const first = await waitFor('the messages to be listed', async () => {
      const answer = await list('&eventType=order.*');
      return answer.body.pagination.hasMore && answer;
    });
    expect(idsIn(first)).toEqual([]);
    const second = await listOf(1, `&eventType=order.*&cursor=${first.body.pagination.cursor}`);
    expect([idsIn(second).length, second.body.pagination.hasMore]).toEqual([1, false]);
    expect((await list(`&cursor=${second.body.pagination.cursor}`)).status).toBe(400);
  });

  test('begins with what is published after since', async () => {
    const { publishedAt } = await publish(posthorn, channelId);
    const { id } = await publish(posthorn, channelId);
    const begun = await listOf(1, `&since=${String(publishedAt)}`);
    expect(idsIn(begun)).toEqual([id]);
    const future = await list('&since=2999-01-01T00:00:00Z');
    expect(idsIn(future)).toEqual([]);
    const { id: later } = await publish(posthorn, channelId);
    expect(idsIn(await listOf(1, `&cursor=${future.body.pagination.cursor}`))).toEqual([later]);
  });

  test.each([
    ['until=2999-01-01T00:00:00Z', 'until', 'must not be combined with order=committed'],
    ['cursor=x', 'cursor', 'must be a position of this list in the order of commits'],
    ['order=oldest', 'order', 'must be given only once'],
  ])('refuses %s', async (query, field, reason) => {
    const { status, body } = await list(`&${query}`);
    expect([status, body]).toMatchObject([400, { error: { details: { field, reason } } }]);
  });
});

// Regression: while 300,000 rows of one channel were stored, for half a minute, no stream of any tenant showed anything.
describe('while a transaction is open that is signed for its channels', () => {
  type Listed = { data: { id: string }[]; pagination: { cursor: string } };
  const list = async (channelId: string, query = ''): Promise<{ ids: string[]; cursor: string }> => {
    const path = `/v1/channels/${channelId}/messages?order=committed${query}`;
    const { status, body } = await posthorn.request<Listed>('GET', path);
    expect(status).toBe(200);
    return { ids: body.data.map(({ id }) => id), cursor: body.pagination.cursor };
  };
  let [wide, beside, other] = ['', '', ''];
  beforeEach(async () => {
    wide = (await createChannel(posthorn)).id;
    beside = (await createChannel(posthorn)).id;
    other = (await createChannel(posthorn)).id;
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  test('readers of another channel see what is published, and go on from there', async () => {
    const reader = await read(other);
    const { publishedAt } = await publish(posthorn, other);
    await reader.waitForEvents(1);
    const late = await insertSlowly(wide, [wide]);
    const first = await publish(posthorn, other);
    await reader.waitForEvents(2);
    const listed = await waitFor('the list to show it', async () => {
      const answer = await list(other, `&since=${String(publishedAt)}`);
      return answer.ids.length > 0 && answer;
    });
    expect(listed.ids).toEqual([first.id]);
    const begun = await read(other, `since=${encodeURIComponent(String(publishedAt))}`);
    await begun.waitForEvents(1);
    expect(idsOf(begun)).toEqual([first.id]);

    // Both positions are above a transaction that has not ended.
    const second = await publish(posthorn, other);
    await reader.waitForEvents(3);
    expect((await list(other, `&cursor=${listed.cursor}`)).ids).toEqual([second.id]);
    const again = await openStream({
      url: `${posthorn.url}/v1/channels/${other}/stream`,
      key: posthorn.keys.live,
      lastEventId: reader.events[1]?.id,
    });
    readers.push(again);
    await again.waitForEvents(1);
    expect(idsOf(again)).toEqual([second.id]);
    // A stream begins behind what was there.
    const young = await read(other);
    const third = await publish(posthorn, other);
    await young.waitForEvents(1);
    expect(idsOf(young)).toEqual([third.id]);
    await late.commit();
  });

  test('readers of each of its channels wait for it, and miss nothing', async () => {
    const [ofWide, ofBeside, ofOther] = [await read(wide), await read(beside), await read(other)];
    const late = await insertSlowly(wide, [wide, beside]);
    const [toWide, toBeside] = [await publish(posthorn, wide), await publish(posthorn, beside)];
    await publish(posthorn, other);
    await ofOther.waitForEvents(1);
    expect([...ofWide.events, ...ofBeside.events]).toEqual([]);
    expect([...(await list(wide)).ids, ...(await list(beside)).ids]).toEqual([]);
    await late.commit();
    await Promise.all([ofWide.waitForEvents(2), ofBeside.waitForEvents(1)]);
    expect([idsOf(ofWide), idsOf(ofBeside)]).toEqual([[late.id, toWide.id], [toBeside.id]]);
    expect((await list(wide)).ids).toEqual([late.id, toWide.id]);
  });

  test('readers of other channels wait for one without a sign all the same', async () => {
    const signed = await insertSlowly(wide, [wide]);
    const plain = await insertSlowly(other);
    const reader = await read(other, BEGINNING);
    const { id } = await publish(posthorn, other);
    expect([(await list(other)).ids, reader.events]).toEqual([[], []]);
    await plain.commit();
    await reader.waitForEvents(2);
    expect(idsOf(reader)).toEqual([plain.id, id]);
    await signed.undo();
  });

  test('a lock of another kind is no sign', async () => {
    const client = new pg.Client({ connectionString: posthorn.database.url });
    await client.connect();
    await client.query(
      'BEGIN; SELECT pg_advisory_xact_lock_shared(4711, 0); SELECT pg_advisory_xact_lock_shared(7220637)',
    );
    await insertLate(client, posthorn.deps.newId('message'), wide);
    await publish(posthorn, other);
    expect((await list(other)).ids).toEqual([]);
    await client.query('ROLLBACK');
    await waitFor('the list to show it', async () => (await list(other)).ids.length === 1);
    await client.end();
  });

  test('a session that has signed before is not taken to sign its next transaction', async () => {
    const client = new pg.Client({ connectionString: posthorn.database.url });
    await client.connect();
    await client.query('BEGIN');
    await signPublish(client, [wide]);
    await client.query('COMMIT; BEGIN');
    await insertLate(client, posthorn.deps.newId('message'), wide);
    await publish(posthorn, other);
    expect((await list(other)).ids).toEqual([]);
    await client.end();
  });
});
