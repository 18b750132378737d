import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EnvironmentCaller } from '../../src/api/caller.ts';
import type { Tenants } from '../../src/platform/db/tenants.ts';
import { systemChannelId } from '../../src/kernel/words/event-types.ts';
import { LOOK } from '../../src/messaging/messages/summaries-store.ts';
import { lookThrough, MOST_LOOKED_THROUGH } from '../../src/messaging/messages/look-through.ts';
import { payloadConditionOf } from '../../src/insight/search/payload-condition.ts';
import { createChannel, createSubscription, deliveryOf, publish } from '../support/make/factories.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Hit = { kind: string; id: string; summary: string; matched: string; status?: string; deliveryId?: string };
type Found = {
  data: Hit[];
  lookedThrough: {
    messages: number;
    bytes: number;
    isComplete: boolean;
    milliseconds: number;
    newestAt?: string;
    oldestAt?: string;
  };
  pagination: { cursor?: string; hasMore: boolean };
};

let posthorn: TestPosthorn;
let channelId: string;
let environmentId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ({ id: channelId } = await createChannel(posthorn, { name: 'Till of shop 100%' }));
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
});
afterAll(() => posthorn.stop());

const ask = (query: Record<string, string>, key = posthorn.keys.live) =>
  posthorn.request<Found>('GET', `/v1/search?${new URLSearchParams(query).toString()}`, undefined, { key });
async function search(q: string, more: Record<string, string> = {}, key = posthorn.keys.live): Promise<Found> {
  const { status, body } = await ask({ q, ...more }, key);
  expect([q, status]).toEqual([q, 200]);
  return body;
}
const idsOf = ({ data }: Found): string[] => data.map(({ id }) => id);
/** Publishes JSON text as it stands. */
async function publishText(payload: string, eventType = 'order.created', to = channelId): Promise<string> {
  const response = await fetch(`${posthorn.url}/v1/channels/${to}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
    body: `{"eventType": "${eventType}", "payload": ${payload}}`,
  });
  // `as`: an answer of the API.
  const { id } = (await response.json()) as { id: string };
  expect(response.status).toBe(202);
  return id;
}

describe('an id finds its resource, in one line', () => {
  test('be it a message, its delivery, an attempt, a dead letter, a subscription or a channel', async () => {
    const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/', name: 'Warehouse' };
    const { id: subscriptionId } = await createSubscription(posthorn, target);
    const { id: messageId } = await publish(posthorn, channelId, { eventType: 'order.paid' });
    const { id: deliveryId = '' } = (await deliveryOf(posthorn, messageId)) ?? {};
    const [attemptId, deadLetterId] = [posthorn.deps.newId('attempt'), posthorn.deps.newId('deadLetter')];
    await posthorn.deps.pool.query(
      `INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, carrier)
       VALUES ($1, $2, 1, now(), 5, 'failed', 'connect', 'none')`,
      [attemptId, deliveryId],
    );
    await posthorn.deps.pool.query(
      `INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type, status,
         reason, attempts, failed_at)
       VALUES ($1, $2, $3, $4, $5, $6, 1, 'order.paid', 'open', 'exhausted', 1, now())`,
      [deadLetterId, environmentId, channelId, messageId, subscriptionId, deliveryId],
    );
    const lines = [];
    for (const id of [messageId, deliveryId, attemptId, deadLetterId, subscriptionId, channelId])
      lines.push(...(await search(` ${id} `)).data);
    expect(
      lines.map(({ kind, id, summary, status, matched, deliveryId: of }) => [kind, id, summary, status, matched, of]),
    ).toEqual([
      ['message', messageId, `order.paid on ${channelId}`, 'pending', 'id', undefined],
      ['delivery', deliveryId, `${messageId} to ${subscriptionId}`, 'pending', 'id', undefined],
      ['attempt', attemptId, `Attempt 1 of ${deliveryId}`, 'failed', 'id', deliveryId],
      ['deadLetter', deadLetterId, `${deliveryId}: exhausted`, 'open', 'id', undefined],
      ['subscription', subscriptionId, 'Warehouse', 'active', 'id', undefined],
      ['channel', channelId, 'Till of shop 100%', 'active', 'id', undefined],
    ]);
  });

  test('and nothing where it is missing, of another environment, or of a kind that the caller may not read', async () => {
    const { id } = await publish(posthorn, channelId);
    const limited = await posthorn.request<{ key: string }>('POST', '/v1/api-keys', {
      name: 'reader of messages',
      scopes: ['messages:read'],
    });
    expect(idsOf(await search(id, {}, limited.body.key))).toEqual([id]);
    expect(idsOf(await search(channelId, {}, limited.body.key))).toEqual([]);
    expect(idsOf(await search('shop', {}, limited.body.key))).toEqual([]);
    expect(idsOf(await search(id, {}, posthorn.keys.test))).toEqual([]);
    expect(idsOf(await search(posthorn.deps.newId('run')))).toEqual([]);
  });
});

test('a part of a name finds channels, subscriptions and workflows in whatever case, and % is a character', async () => {
  const { id: named } = await createChannel(posthorn, { name: 'Returns Desk' });
  const { id: subscription } = await createSubscription(posthorn, {
    channelId: named,
    webhookUrl: 'http://127.0.0.1:4000/',
    name: 'returns to the till',
  });
  const workflow = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'Handle returns' });
  expect(idsOf(await search('RETURNS'))).toEqual([named, subscription, workflow.body.id]);
  expect(idsOf(await search('100%'))).toEqual([channelId]);
  expect(idsOf(await search('0%shop'))).toEqual([]);
  // Narrowed to messages, no name is looked for.
  expect(idsOf(await search('RETURNS', { channelId: named }))).toEqual([]);
});

test('the publisher’s own id and the event type find messages, newest first, with a cursor to go on', async () => {
  const { id: where } = await createChannel(posthorn, { name: 'typed' });
  const { id: own } = await publish(posthorn, where, { id: 'till-7/42', eventType: 'till.counted' });
  const { id: second } = await publish(posthorn, where, { eventType: 'till.counted' });
  const { id: third } = await publish(posthorn, where, { eventType: 'till.opened' });
  const [hit, ...more] = (await search('till-7/42')).data;
  expect([hit?.kind, hit?.id, hit?.matched, more]).toEqual(['message', own, 'publisherId', []]);
  const first = await search('till.*', { limit: '2' });
  expect([idsOf(first), first.data[0]?.matched, first.lookedThrough.isComplete]).toEqual([
    [third, second],
    'eventType',
    false,
  ]);
  const rest = await search('till.*', { limit: '2', cursor: first.pagination.cursor ?? '' });
  expect([idsOf(rest), rest.pagination]).toEqual([[own], { hasMore: false }]);
});

describe('a path and a value find messages by their payload', () => {
  test('compared digit for digit, as the text was published', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'digits' });
    const exact = await publishText('{"order": {"id": 12345678901234567890, "total": 12.50}}', 'order.created', where);
    const near = await publishText('{"order": {"id": 12345678901234567891, "total": 12.5}}', 'order.created', where);
    const escaped = await publishText('{"order": {"id": "\\u0041-7"}}', 'order.changed', where);
    const within = { channelId: where };
    const found = await search('payload.order.id=12345678901234567890', within);
    expect([idsOf(found), found.data[0]?.matched]).toEqual([[exact], 'payload']);
    expect(found.lookedThrough).toMatchObject({ messages: 3, isComplete: true });
    expect(found.lookedThrough.bytes).toBeGreaterThan(100);
    expect((found.lookedThrough.newestAt ?? '') >= (found.lookedThrough.oldestAt ?? '~')).toBe(true);
    expect(idsOf(await search('payload.order.total=12.50', within))).toEqual([exact]);
    expect(idsOf(await search('payload.order.total=12.5', within))).toEqual([near]);
    expect(idsOf(await search('payload.order.id=A-7', within))).toEqual([escaped]);
    expect(idsOf(await search('payload.order.id=A-7', { ...within, eventType: 'order.created' }))).toEqual([]);
  });

  test('within a time, and nothing of what is erased', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'times' });
    const { id, publishedAt } = await publish(posthorn, where, { payload: { secret: 'Müller' } });
    const q = 'payload.secret=Müller';
    expect(idsOf(await search(q, { since: new Date(Date.parse(publishedAt) - 1).toISOString() }))).toEqual([id]);
    const before = await search(q, { until: publishedAt, channelId: where });
    expect([idsOf(before), before.lookedThrough.messages]).toEqual([[], 0]);
    await posthorn.request('DELETE', `/v1/messages/${id}`);
    const after = await search(q, { channelId: where });
    expect([idsOf(after), after.lookedThrough.messages, after.lookedThrough.bytes]).toEqual([[], 1, 0]);
  });

  test('a bounded number of messages at a time: the cursor goes on where it ended, and none is left out', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'many' });
    const count = MOST_LOOKED_THROUGH.messages + 500;
    await posthorn.deps.pool.query(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'counted', '{"n": ' || n || ', "even": ' || (n % 2 = 0) || '}', now()
       FROM generate_series(1, $3) n`,
      [environmentId, where, count],
    );
    const found = await search('payload.n=none', { channelId: where });
    // Slow machines end by the time.
    expect(found.lookedThrough.messages).toBeLessThanOrEqual(MOST_LOOKED_THROUGH.messages);
    expect([found.data, found.pagination.hasMore, found.lookedThrough.isComplete]).toEqual([[], true, false]);
    let [total, cursor] = [found.lookedThrough.messages, found.pagination.cursor];
    while (cursor !== undefined) {
      const next = await search('payload.n=none', { channelId: where, cursor });
      total += next.lookedThrough.messages;
      cursor = next.pagination.cursor;
    }
    expect(total).toBe(count);

    const walked = new Set<string>();
    let [hits, at] = [0, undefined as string | undefined];
    // A page may end early on a slow machine, with fewer hits.
    do {
      const next = await search('payload.even=true', { channelId: where, limit: '100', ...(at && { cursor: at }) });
      for (const id of idsOf(next)) walked.add(id);
      hits += idsOf(next).length;
      at = next.pagination.cursor;
    } while (at !== undefined && hits < 500);
    expect(walked.size).toBe(hits);
    expect(hits).toBeGreaterThanOrEqual(500);
    const wrong = await ask({ q: 'payload.even=false', channelId: where, cursor: at ?? '' });
    expect([wrong.status, (wrong.body as unknown as { error: { details: object } }).error.details]).toEqual([
      400,
      { field: 'cursor', reason: 'must be a cursor of this list with these filters' },
    ]);
  });

  test.each(['payload.=1', 'payload."a=1', 'payload.a b=1'])('%s is refused with what is wrong', async (q) => {
    const { status, body } = await ask({ q });
    expect([status, (body as unknown as { error: { details: { field: string } } }).error.details.field]).toEqual([
      400,
      'q',
    ]);
  });
});

describe('a bare value finds messages that have it anywhere in their payload', () => {
  /** All hits by payload, however many requests it takes to look through everything. */
  async function found(q: string, more: Record<string, string> = {}): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Found = await search(q, { ...more, ...(cursor && { cursor }) });
      ids.push(...page.data.filter(({ matched }) => matched === 'payload').map(({ id }) => id));
      cursor = page.pagination.cursor;
    } while (cursor !== undefined);
    return ids;
  }

  test('a whole text or number at any depth, in this case and digit for digit, and no name of a member', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'values' });
    const within = { channelId: where };
    const order = await publishText(
      '{"order": {"no": "SO-10922", "total": 561.90}, "to": ["jonas@example.com"], "a name": 1}',
      'order.created',
      where,
    );
    const text = await publishText('{"said": "561.90", "escaped": "caf\\u00e9"}', 'order.created', where);
    const one = await search('SO-10922', within);
    expect([idsOf(one), one.data[0]?.matched, one.pagination]).toEqual([[order], 'payload', { hasMore: false }]);
    expect(one.lookedThrough).toMatchObject({ messages: 2, isComplete: true });
    expect(one.lookedThrough.oldestAt).toEqual(expect.any(String));
    expect(one.lookedThrough.bytes).toBeGreaterThan(100);
    expect(idsOf(await search('561.90', within))).toEqual([text, order]);
    expect(idsOf(await search('"561.90"', within))).toEqual([text]);
    expect(idsOf(await search('jonas@example.com', within))).toEqual([order]);
    expect(idsOf(await search('café', within))).toEqual([text]);
    for (const q of ['so-10922', 'SO-1092', '561.9', 'a name', 'jonas'])
      expect(idsOf(await search(q, within))).toEqual([]);
    expect(idsOf(await search('SO-10922', { ...within, eventType: 'order.changed' }))).toEqual([]);
    expect(idsOf(await search('SO-10922', { ...within, deliveryStatus: 'failed' }))).toEqual([]);
    expect(idsOf(await search('SO-10922', { ...within, deliveryStatus: 'unrouted' }))).toEqual([order]);
    expect(idsOf(await search('SO-10922', {}, posthorn.keys.test))).toEqual([]);
    expect(await found('SO-10922')).toEqual([order]);
  });

  test('no payload is read for fewer than three characters, for a beginning of event types, for an id, or where it is not wanted', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'unread' });
    const other = posthorn.deps.newId('run');
    const id = await publishText(`{"short": "ab", "run": "${other}", "begins": "unread.*"}`, 'order.created', where);
    const within = { channelId: where };
    for (const q of ['ab', other, 'unread.*']) {
      const { data, lookedThrough } = await search(q, within);
      expect([q, data, lookedThrough.messages]).toEqual([q, [], 0]);
    }
    expect(idsOf(await search(`"${other}"`, within))).toEqual([id]);
    const without = await search(`"${other}"`, { ...within, payloads: 'false' });
    expect([without.data, without.lookedThrough.messages]).toEqual([[], 0]);
  });

  test('behind the messages of an event type of that text, each of them once', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'both' });
    const value = await publishText('{"cause": "till.broken"}', 'till.closed', where);
    const both = await publishText('{"cause": "till.broken"}', 'till.broken', where);
    const typed = await publishText('{}', 'till.broken', where);
    const hits: [string, string][] = [];
    let cursor: string | undefined;
    do {
      const page: Found = await search('till.broken', { channelId: where, limit: '1', ...(cursor && { cursor }) });
      hits.push(...page.data.map(({ id, matched }): [string, string] => [id, matched]));
      cursor = page.pagination.cursor;
    } while (cursor !== undefined);
    expect(hits).toEqual([
      [typed, 'eventType'],
      [both, 'eventType'],
      [value, 'payload'],
    ]);
    expect((await search('till.broken', { channelId: where })).data).toHaveLength(3);
  });

  test('a bounded number of messages at a time, and the cursor goes on to the oldest one', async () => {
    const { id: where } = await createChannel(posthorn, { name: 'long ago' });
    const oldest = await publishText('{"no": "SO-1"}', 'order.created', where);
    await posthorn.deps.pool.query(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'counted', '{"n": ' || n || '}', now() FROM generate_series(1, $3) n`,
      [environmentId, where, MOST_LOOKED_THROUGH.messages],
    );
    const first = await search('SO-1', { channelId: where });
    expect(first.lookedThrough.messages).toBeLessThanOrEqual(MOST_LOOKED_THROUGH.messages);
    expect([first.data, first.pagination.hasMore, first.lookedThrough.isComplete]).toEqual([[], true, false]);
    expect(await found('SO-1', { channelId: where })).toEqual([oldest]);
    const elsewhere = await ask({ q: 'SO-2', channelId: where, cursor: first.pagination.cursor ?? '' });
    expect(elsewhere.status).toBe(400);
  });

  test('no service event, unless its channel is named', async () => {
    const system = systemChannelId(environmentId);
    const { rows } = await posthorn.deps.pool.query<{ id: string }>(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       VALUES (posthorn_id('msg'), $1, $2, 'delivery.exhausted', '{"error": "E-4711"}', now()) RETURNING id`,
      [environmentId, system],
    );
    expect(await found('E-4711')).toEqual([]);
    expect(await found('E-4711', { channelId: system })).toEqual(rows.map(({ id }) => id));
  });
});

describe('a look that PostgreSQL ends at its time limit', () => {
  const condition = payloadConditionOf('payload.n=none');
  test('is UNAVAILABLE where nothing was looked through before', async () => {
    const connection = await posthorn.deps.pool.connect();
    try {
      await connection.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await ask({ q: 'payload.n=none' });
      expect([status, body]).toMatchObject([503, { error: { message: 'The database took too long to respond' } }]);
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });

  test('ends the search with what was looked through until then, and a cursor', async () => {
    const caller = { organisationId: posthorn.deps.newId('organisation'), environmentId } as EnvironmentCaller;
    if (condition === undefined) throw new Error('the condition is none');
    const { id: where } = await createChannel(posthorn, { name: 'slow' });
    await posthorn.deps.pool.query(
      `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'counted', '{}', now() FROM generate_series(1, $3) n`,
      [environmentId, where, LOOK.messages + 1],
    );
    const query = { limit: 20, channelId: where };
    let looks = 0;
    const list: Tenants['list'] = (_tenant, work) => {
      looks += 1;
      if (looks > 1)
        return Promise.reject(
          Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
        );
      return posthorn.deps.db.$transaction(work);
    };
    const { lookedThrough, cursor } = await lookThrough({ ...posthorn.deps.tenants, list }, caller, query, condition);
    expect([lookedThrough.messages, lookedThrough.isComplete, typeof cursor]).toEqual([LOOK.messages, false, 'string']);
  });
});

test('service events are found by their id, and otherwise only where includeSystem or channelId asks for them', async () => {
  const systemId = await systemChannelOf(posthorn);
  const { rows } = await posthorn.deps.pool.query<{ id: string }>(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     VALUES (posthorn_id('msg'), $1, $2, 'circuit.opened', '{"circuit": "opened"}', now()) RETURNING id`,
    [environmentId, systemId],
  );
  const { id = '' } = rows[0] ?? {};
  const [byType, byValue] = ['circuit.*', 'payload.circuit=opened'];
  expect(idsOf(await search(id))).toEqual([id]);
  for (const q of [byType, byValue]) {
    expect([q, idsOf(await search(q))]).toEqual([q, []]);
    for (const more of [{ includeSystem: 'true' }, { channelId: systemId }])
      expect([q, idsOf(await search(q, more))]).toEqual([q, [id]]);
  }
});

test('without a text the newest messages are shown', async () => {
  const { id } = await publish(posthorn, channelId);
  const { status, body } = await ask({ limit: '1' });
  expect([status, idsOf(body), body.data[0]?.matched, body.pagination.hasMore]).toEqual([
    200,
    [id],
    'everything',
    true,
  ]);
});
