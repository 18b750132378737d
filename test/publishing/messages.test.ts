import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { wantsEventType } from '../../src/kernel/words/event-types.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { createChannel, createSubscription, type PageJson, publish } from '../support/make/factories.ts';
import { messageCalls, type MessageJson, type Refusal } from '../support/make/message-calls.ts';
import { make } from '../support/make/seed.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('messages', () => {
  const KIB = 1024;
  const message = { eventType: 'order.created', payload: { n: 1 } };

  let channelId: string;

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });

  const { path, send, sendBatch, list } = messageCalls(
    () => posthorn,
    () => channelId,
  );

  /** Publishes and expects a refusal that changes no table. */
  async function expectRefused(body: unknown, field: string, reason: RegExp | string, suffix = ''): Promise<void> {
    const before = await tableContents(posthorn.deps.pool);
    const answer = await posthorn.request<Refusal>('POST', path() + suffix, body);
    expect([answer.status, answer.body.error.code, answer.body.error.details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      field,
    ]);
    expect(answer.body.error.details?.reason).toMatch(reason);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  /** Returns the response's own text, to compare what JSON.parse would change. */
  const textOf = async (address: string): Promise<string> =>
    (await fetch(posthorn.url + address, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).text();

  const payloadOf = (bytes: number): string => `{"text":"${'x'.repeat(bytes - 11)}"}`;
  const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);

  describe('publishing one message', () => {
    test('responds with 202 and the message, which the channel then lists and its own address shows', async () => {
      const before = Date.now();
      const answer = await send({ ...message, metadata: { source: 'till' } });
      expect(answer.status).toBe(202);
      expect(answer.body).toEqual({
        ...message,
        id: expect.stringMatching(/^msg_/),
        channelId,
        metadata: { source: 'till' },
        publishedAt: expect.any(String),
        deliveryStatus: 'unrouted',
      });
      expect(Date.parse(answer.body.publishedAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(answer.body.publishedAt)).toBeLessThanOrEqual(Date.now() + 1);
      expect(await list()).toEqual([answer.body]);
      expect((await posthorn.request('GET', `/v1/messages/${answer.body.id}`)).body).toEqual(answer.body);
    });

    test.each([
      ['1 character', 'a'],
      ['128 characters', 'x'.repeat(128)],
      ['any characters that filters can name', 'Bestellung/größer.als ☃ 😀 "+" \\ %'],
    ])('accepts an eventType of %s', async (_, eventType) => {
      const answer = await send({ ...message, eventType });
      expect([answer.status, answer.body.eventType]).toEqual([202, eventType]);
      expect(await list()).toEqual([answer.body]);
    });

    test.each([
      ['missing', undefined, 'is required'],
      ['null', null, 'must be a string'],
      ['a number', 7, 'must be a string'],
      ['empty', '', 'must not be empty'],
      ['129 characters long', 'x'.repeat(129), 'at most 128 characters'],
      ['with a line feed', 'a\nb', 'control characters'],
      ['with a tab', 'a\tb', 'control characters'],
      ['with DEL', 'a\u007f', 'control characters'],
      ['with a C1 control', 'a\u0085', 'control characters'],
      ['with NUL', 'a\0', 'NUL'],
    ])('refuses an eventType that is %s', async (_, eventType, reason) => {
      await expectRefused({ ...message, eventType }, 'eventType', reason);
    });

    test.each([
      ['missing', undefined, 'is required'],
      ['null', null, 'must be an object'],
      ['an array', [], 'must be an object'],
      ['a text', '{}', 'must be an object'],
      ['a number', 1, 'must be an object'],
    ])('refuses a payload that is %s', async (_, payload, reason) => {
      await expectRefused({ ...message, payload }, 'payload', reason);
    });

    test('accepts a payload of 256 KiB, counted in bytes as it was written, and refuses one more byte', async () => {
      const wrap = (payload: string): string => `{"eventType":"a","payload":${payload}}`;
      expect((await send(wrap(payloadOf(256 * KIB)))).status).toBe(202);
      await expectRefused(wrap(payloadOf(256 * KIB + 1)), 'payload', 'at most 262144 bytes');
      // Two bytes of UTF-8 each, one UTF-16 unit each.
      const umlauts = (count: number): string => wrap(`{"text":"${'ü'.repeat(count)}"}`);
      expect((await send(umlauts(128 * KIB - 6))).status).toBe(202);
      await expectRefused(umlauts(128 * KIB - 5), 'payload', 'at most 262144 bytes');
      // White space is part of the published text.
      await expectRefused(wrap(`{${' '.repeat(256 * KIB)}}`), 'payload', 'at most 262144 bytes');
    });

    test('accepts a payload of 32 levels, of objects or arrays, and refuses 33', async () => {
      expect((await send(`{"eventType":"a","payload":${nested(32)}}`)).status).toBe(202);
      await expectRefused(
        `{"eventType":"a","payload":${nested(33)}}`,
        `payload${'.a'.repeat(32)}`,
        'at most 32 levels deep',
      );
      const lists = (depth: number): string =>
        `{"eventType":"a","payload":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
      expect((await send(lists(31))).status).toBe(202);
      await expectRefused(lists(32), `payload.a${'[0]'.repeat(31)}`, 'at most 32 levels deep');
      const brackets = JSON.stringify({ text: '[{'.repeat(100) });
      expect((await send(`{"eventType":"a","payload":${brackets}}`)).status).toBe(202);
    });

    test('accepts 50 texts of metadata and 16 KiB of it, and no more', async () => {
      const entries = (count: number): Record<string, string> =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, 'x']));
      const ofBytes = (bytes: number): Record<string, string> => ({ a: 'x'.repeat(bytes - 8) });
      expect((await send({ ...message, metadata: entries(50) })).body.metadata).toEqual(entries(50));
      expect((await send({ ...message, metadata: ofBytes(16 * KIB) })).status).toBe(202);
      await expectRefused({ ...message, metadata: entries(51) }, 'metadata', 'at most 50 entries');
      await expectRefused({ ...message, metadata: ofBytes(16 * KIB + 1) }, 'metadata', 'at most 16384 bytes');
      await expectRefused({ ...message, metadata: { a: 1 } }, 'metadata.a', 'must be a string');
      await expectRefused({ ...message, metadata: { a: null } }, 'metadata.a', 'must be a string');
      await expectRefused({ ...message, metadata: [] }, 'metadata', 'must be an object');
      expect((await send({ ...message, metadata: null })).body).not.toHaveProperty('metadata');
    });
  });

  describe('the text that was published', () => {
    test.each([
      ['numbers', '{"a":12345678901234567890,"b":1.10,"c":1e3,"d":-0,"e":0.1e-7,"f":100000000000000000000.5}'],
      ['the order of keys', '{"z":1,"a":2,"10":3,"9":4,"":5}'],
      ['keys given twice', '{"a":1,"b":2,"a":3}'],
      ['white space', '{ "a" :\n\t[ 1 ,2 ] }'],
      ['escapes', '{"\\u0061":"\\u00fc\\/\\ud83d\\ude00","quote":"\\"}{"}'],
      ['characters', '{"ü":"☃ 😀 \u2028 \u007f"}'],
      ['nothing', '{}'],
    ])('is listed and shown with its %s as they came', async (_, payload) => {
      const single = await posthorn.request<MessageJson>('POST', path(), `{"eventType":"a","payload":${payload}}`);
      const body = `{"messages":[{"eventType":"a","payload":{"first":1}},{"payload":${payload},"eventType":"b"}]}`;
      const batch = await posthorn.request<{ ids: string[] }>('POST', `${path()}/batch`, body);
      expect([single.status, batch.status]).toEqual([202, 202]);

      for (const id of [single.body.id, batch.body.ids[1]]) {
        expect(await textOf(`/v1/messages/${id}`)).toContain(`"payload":${payload},"publishedAt"`);
      }
      expect((await textOf(path())).split(`"payload":${payload},"publishedAt"`)).toHaveLength(3);
    });

    test.each([
      ['escaped', '{"eventType":"a","pay\\u006coad":{"n":1.0}}'],
      [
        'given twice, of which the last one counts, as in JSON.parse',
        '{"eventType":"a","payload":{"n":2},"payload":{"n":1.0}}',
      ],
      ['given twice, once escaped', '{"payload":{"n":2},"eventType":"a","\\u0070ayload":{"n":1.0}}'],
      ['behind others that look like it', '{"eventType":"a","metadata":{"payload":"{\\"n\\":3}"},"payload":{"n":1.0}}'],
      ['before them, and before null', '{"payload":{"n":1.0},"eventType":"a","metadata":{"payload":"1"},"delay":null}'],
    ])('is the payload even if its key is %s', async (_, body) => {
      const single = await posthorn.request<MessageJson>('POST', path(), body);
      expect(single.status).toBe(202);
      expect(await textOf(`/v1/messages/${single.body.id}`)).toContain('"payload":{"n":1.0},');
      const batch = await posthorn.request<{ ids: string[] }>('POST', `${path()}/batch`, `{"messages":[${body}]}`);
      expect(batch.status).toBe(202);
      expect(await textOf(`/v1/messages/${batch.body.ids[0]}`)).toContain('"payload":{"n":1.0},');
    });

    test('is the last list of messages if there are two, and escaped', async () => {
      const one = (n: string): string => `[{"eventType":"a","payload":{"n":${n}}}]`;
      const body = `{"messages":${one('2')},"mess\\u0061ges":${one('1.0')}}`;
      const batch = await posthorn.request<{ count: number; ids: string[] }>('POST', `${path()}/batch`, body);
      expect([batch.status, batch.body.count]).toEqual([202, 1]);
      expect(await textOf(`/v1/messages/${batch.body.ids[0]}`)).toContain('"payload":{"n":1.0},');
      expect(await list()).toHaveLength(1);
    });

    test('has no number beyond a double, no __proto__ and nothing else that a reader could not parse', async () => {
      await expectRefused(
        '{"eventType":"a","payload":{"n":1e400}}',
        'payload.n',
        'must be a number that fits a double',
      );
      await expectRefused('{"eventType":"a","payload":{"__proto__":{"a":1}}}', 'body', '__proto__');
      await expectRefused('{"eventType":"a","payload":{"a":"\\ud800"}}', 'payload.a', 'surrogate');
      await expectRefused('{"eventType":"a","payload":{"a":"\\u0000"}}', 'payload.a', 'NUL');
    });
  });

  describe('publishing a batch', () => {
    test.each([1, 2, 100])('with %d messages responds with 202 and their ids in order', async (count) => {
      const messages = Array.from({ length: count }, (_, n) => ({ eventType: `a.${n}`, payload: { n } }));
      const answer = await sendBatch(messages);
      expect([answer.status, answer.body]).toEqual([202, { count, ids: expect.any(Array), status: 'accepted' }]);
      expect(new Set(answer.body.ids).size).toBe(count);
      const listed = await list();
      expect(listed.map(({ id }) => id)).toEqual(answer.body.ids.toReversed());
      expect(listed.map(({ payload }) => payload['n'])).toEqual(messages.map(({ payload }) => payload.n).toReversed());
    });

    test.each([
      ['none', [], 'must hold at least 1 message'],
      ['101', Array.from({ length: 101 }, () => message), 'must have at most 100 messages'],
      ['an object', { 0: message }, 'must be an array of messages'],
      ['null', null, 'must be an array of messages'],
      ['nothing', undefined, 'is required'],
    ])('is refused with %s as its messages', async (_, messages, reason) => {
      await expectRefused({ messages }, 'messages', reason, '/batch');
    });

    test.each([
      ['no eventType', { payload: {} }, 'messages[3].eventType'],
      ['a payload that is no object', { ...message, payload: [] }, 'messages[3].payload'],
      ['a payload too large', { ...message, payload: { text: 'x'.repeat(256 * KIB) } }, 'messages[3].payload'],
      ['metadata that is no text', { ...message, metadata: { a: 1 } }, 'messages[3].metadata.a'],
      ['nothing at all', null, 'messages[3]'],
    ])('whose fourth message has %s publishes none of the five', async (_, bad, field) => {
      await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
      const messages = [message, message, message, bad, message];
      await expectRefused({ messages }, field, /./, '/batch');
      expect(await list()).toEqual([]);
    });

    test('that cannot be stored as a whole stores nothing', async () => {
      await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
      const { pool } = posthorn.deps;
      // PostgreSQL itself refuses the last message, after four valid ones: none of them may stay.
      await pool.query(`ALTER TABLE messages ADD CONSTRAINT no_bad_type CHECK (event_type <> 'bad')`);
      const before = await tableContents(pool);
      const answer = await sendBatch<Refusal>([message, message, message, message, { ...message, eventType: 'bad' }]);
      await pool.query('ALTER TABLE messages DROP CONSTRAINT no_bad_type');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await tableContents(pool)).toEqual(before);
    });

    test('may have 100 large messages up to 5 MiB in total', async () => {
      const large = (bytes: number) =>
        Array.from({ length: 20 }, () => ({ eventType: 'a', payload: { text: 'x'.repeat(bytes) } }));
      expect((await sendBatch(large(255 * KIB))).status).toBe(202);
      const before = await tableContents(posthorn.deps.pool);
      const answer = await sendBatch<Refusal>([...large(255 * KIB), ...large(255 * KIB)]);
      expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });
  });

  describe('a channel', () => {
    test.each(['paused', 'archived'])(
      'that is %s refuses messages with CONFLICT and shows its existing ones',
      async (status) => {
        const old = await publish(posthorn, channelId);
        await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status });
        const before = await tableContents(posthorn.deps.pool);
        for (const answer of [await send<Refusal>(message), await sendBatch<Refusal>([message])]) {
          expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
          expect(answer.body.error.message).toContain(status);
        }
        expect(await tableContents(posthorn.deps.pool)).toEqual(before);
        expect(await list()).toEqual([expect.objectContaining({ id: old.id })]);

        await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
        expect((await send(message)).status).toBe(202);
      },
    );

    test('that is deleted refuses messages as NOT_FOUND, but its messages stay listed', async () => {
      const old = await publish(posthorn, channelId);
      await posthorn.request('DELETE', `/v1/channels/${channelId}`);
      const before = await tableContents(posthorn.deps.pool);
      const missing = { error: { code: 'NOT_FOUND', message: 'No such channel in this environment' } };
      for (const answer of [await send(message), await sendBatch([message])]) {
        expect([answer.status, answer.body]).toEqual([404, missing]);
      }
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
      expect(await list()).toEqual([expect.objectContaining({ id: old.id })]);
      expect((await posthorn.request('GET', `/v1/messages/${old.id}`)).status).toBe(200);
    });
  });
});

describe('message routing', () => {
  const WEBHOOK_URL = 'https://example.com/in';

  // Patterns of a subscription, some with characters that have a meaning in SQL patterns or regular expressions.
  const PATTERNS: string[][] = [
    [],
    ['*'],
    ['order'],
    ['order.*'],
    ['order.created'],
    ['order.created.*'],
    ['ORDER.*'],
    ['invoice.*', 'order.paid'],
    ['o_der.*', 'order%'],
    ['größe.*', '😀.*'],
    ['..*', 'a..*'],
    ["o'rder.*", 'a\\b.*', ' .*'],
  ];
  const EVENT_TYPES = [
    'order',
    'order.',
    'order.created',
    'order.created.',
    'order.created.eu',
    'order.paid',
    'orders.created',
    'Order.created',
    'ORDER.created',
    'order%',
    'oxder.created',
    'invoice.sent',
    'größe.x',
    'gro\u0308ße.x',
    '😀.x',
    '..x',
    '.',
    'a..',
    "o'rder.x",
    'a\\b.x',
  ];

  test('publishing routes by exactly the rule of wantsEventType, whatever the pattern and the event type', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const subscriptions = new Map<string, string[]>();
    for (const eventTypes of PATTERNS) {
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, eventTypes });
      subscriptions.set(id, eventTypes);
    }
    const messages = EVENT_TYPES.map((eventType) => ({ eventType, payload: {} }));
    const batch = await posthorn.request<{ ids: string[] }>('POST', `/v1/channels/${channelId}/messages/batch`, {
      messages,
    });
    const rows = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
    const routed = new Set(rows.map(({ messageId, subscriptionId }) => `${messageId} ${subscriptionId}`));

    const differences: string[] = [];
    for (const [index, eventType] of EVENT_TYPES.entries()) {
      for (const [subscriptionId, eventTypes] of subscriptions) {
        const inSql = routed.has(`${batch.body.ids[index]} ${subscriptionId}`);
        if (inSql !== wantsEventType(eventTypes, eventType))
          differences.push(`${JSON.stringify(eventTypes)}: ${eventType}`);
      }
    }
    expect(differences).toEqual([]);
    // 300 pairs, of both kinds: a rule that matches all or none would not pass.
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.length).toBeLessThan(150);
  });

  test.each([
    [['order.*'], 'order.created', true],
    [['order.*'], 'order.', true],
    [['order.*'], 'order', false],
    [['order.*'], 'orders.created', false],
    [['order.*'], 'ORDER.created', false],
    [['order'], 'order.created', false],
    [['o_der.*'], 'oxder.created', false],
    [['*'], 'anything', true],
    [[], 'anything', true],
  ])('a subscription for %j and the event type %j: %j', async (eventTypes, eventType, isWanted) => {
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, eventTypes });
    const message = await publish(posthorn, channelId, { eventType });
    expect(await posthorn.deps.db.delivery.count({ where: { messageId: message.id } })).toBe(isWanted ? 1 : 0);
    expect(message.deliveryStatus).toBe(isWanted ? 'pending' : 'unrouted');
  });

  describe('a message', () => {
    const statusOf = async (id: string): Promise<unknown> =>
      (await posthorn.request('GET', `/v1/messages/${id}`)).body['deliveryStatus'];

    /** Creates a message with a delivery of each of these statuses. */
    async function messageWith(states: string[]): Promise<{ id: string; channelId: string }> {
      const { id: channelId } = await createChannel(posthorn);
      for (const _ of states) await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL });
      const { id } = await publish(posthorn, channelId);
      const rows = await posthorn.deps.db.delivery.findMany({ where: { messageId: id } });
      for (const [index, row] of rows.entries()) {
        const status = states[index] ?? 'pending';
        const isFinished = status === 'delivered' || status === 'failed';
        await posthorn.deps.db.delivery.update({
          where: { id: row.id },
          data: { status, ...(isFinished && { dueAt: null }) },
        });
      }
      return { id, channelId };
    }

    test.each([
      [[], 'unrouted'],
      [['pending'], 'pending'],
      [['retrying'], 'pending'],
      [['delivered'], 'delivered'],
      [['failed'], 'failed'],
      [['delivered', 'delivered'], 'delivered'],
      [['delivered', 'failed'], 'failed'],
      [['failed', 'pending'], 'pending'],
      [['delivered', 'retrying', 'failed'], 'pending'],
    ])('with deliveries in the states %j is %s, in the list and at its own address', async (states, expected) => {
      const { id, channelId } = await messageWith(states);
      expect(await statusOf(id)).toBe(expected);
      const { body } = await posthorn.request<PageJson<{ deliveryStatus: string }>>(
        'GET',
        `/v1/channels/${channelId}/messages`,
      );
      expect(body.data.map(({ deliveryStatus }) => deliveryStatus)).toEqual([expected]);
    });

    test('goes to subscriptions that are active or paused or disabled, and not to a deleted one', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const made = [];
      for (const _ of ['active', 'paused', 'disabled', 'deleted'])
        made.push((await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL })).id);
      const [active = '', paused = '', disabled = '', deleted = ''] = made;
      await posthorn.request('POST', `/v1/subscriptions/${paused}/pause`);
      await posthorn.deps.db.subscription.update({ where: { id: disabled }, data: { status: 'disabled' } });
      await posthorn.request('DELETE', `/v1/subscriptions/${deleted}`);

      const message = await publish(posthorn, channelId);

      const rows = await posthorn.deps.db.delivery.findMany({ where: { messageId: message.id } });
      expect(rows.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
        [active, paused, disabled].toSorted(),
      );
      // "Events are queued while it is paused" (specification §3).
      expect(rows.every(({ status, dueAt }) => status === 'pending' && dueAt !== null)).toBe(true);
    });

    test('goes to no subscription of another channel, nor to one created after it', async () => {
      const [{ id: channelId }, other] = [await createChannel(posthorn), await createChannel(posthorn)];
      await createSubscription(posthorn, { channelId: other.id, webhookUrl: WEBHOOK_URL });
      const message = await publish(posthorn, channelId);
      await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL });
      expect(await posthorn.deps.db.delivery.count({ where: { messageId: message.id } })).toBe(0);
      expect(await statusOf(message.id)).toBe('unrouted');
    });

    test('keeps the retry policy that its subscription has at that moment', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const retryPolicy = { maxRetries: 4, initialDelay: 1_000, maxDelay: 9_000, backoffMultiplier: 2 };
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, retryPolicy });
      const message = await publish(posthorn, channelId);
      await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { retryPolicy: { maxRetries: 0 } });
      expect(await posthorn.deps.db.delivery.findMany({ where: { messageId: message.id } })).toMatchObject([
        retryPolicy,
      ]);
    });
  });
});

describe('publish across', () => {
  type Accepted = { count: number; ids: string[]; status: string };
  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
  type Message = { id: string; channelId: string; payload: unknown; deliveryStatus: string };

  const message = { eventType: 'order.created', payload: { n: 1 } };
  const MISSING = `chn_01m${'0'.repeat(23)}`;

  let one: string;
  let other: string;

  beforeEach(async () => {
    one = (await createChannel(posthorn)).id;
    other = (await createChannel(posthorn)).id;
  });

  const list = async (channelId: string): Promise<Message[]> =>
    (await posthorn.request<PageJson<Message>>('GET', `/v1/channels/${channelId}/messages?limit=100`)).body.data;

  describe.each(['/v1/messages/batch', '/v1/messages/transactional'])('POST %s', (path) => {
    const send = <T = Accepted>(messages: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> =>
      posthorn.request<T>('POST', path, { messages }, { headers });

    /** Expects the refusal and that every table is unchanged. */
    async function expectRefused(messages: unknown, status: number, code: string, field: string | undefined) {
      const before = await tableContents(posthorn.deps.pool);
      const { status: answered, body } = await send<Refusal>(messages);
      expect([answered, body.error.code, body.error.details?.field]).toEqual([status, code, field]);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    }

    test('publishes to every channel it names and returns the ids in the order of the request', async () => {
      await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
      const messages = [one, other, one, other, other].map((channelId, n) => ({
        ...message,
        channelId,
        payload: { n },
      }));
      const answer = await send(messages);
      expect([answer.status, answer.body]).toEqual([202, { count: 5, ids: expect.any(Array), status: 'accepted' }]);
      const { ids } = answer.body;
      expect((await list(one)).map(({ id, payload, deliveryStatus }) => ({ id, payload, deliveryStatus }))).toEqual([
        { id: ids[2], payload: { n: 2 }, deliveryStatus: 'pending' },
        { id: ids[0], payload: { n: 0 }, deliveryStatus: 'pending' },
      ]);
      expect((await list(other)).map(({ id, deliveryStatus }) => [id, deliveryStatus])).toEqual([
        [ids[4], 'unrouted'],
        [ids[3], 'unrouted'],
        [ids[1], 'unrouted'],
      ]);
    });

    test('accepts 100 messages to 100 channels, each digit as sent', async () => {
      const channelIds: string[] = [];
      for (let n = 0; n < 100; n += 1) channelIds.push((await createChannel(posthorn)).id);
      const texts = channelIds.map((id) => `{"channelId":"${id}","eventType":"a","payload":{"n":1.10}}`);
      const answer = await posthorn.request<Accepted>('POST', path, `{"messages":[${texts.join(',')}]}`);
      expect([answer.status, new Set(answer.body.ids).size]).toEqual([202, 100]);
      const { rows } = await posthorn.deps.pool.query<{ channel: string; payload: string }>(
        'SELECT channel_id AS channel, payload FROM messages WHERE id = ANY($1) ORDER BY id',
        [answer.body.ids],
      );
      expect(rows).toEqual(channelIds.map((channel) => ({ channel, payload: '{"n":1.10}' })));
    });

    test.each([
      ['none', [], 'messages'],
      ['101', Array.from({ length: 101 }, () => ({ ...message, channelId: 'x' })), 'messages'],
      ['an object', {}, 'messages'],
      ['nothing', undefined, 'messages'],
    ])('refuses %s', async (_, messages, field) => {
      await expectRefused(messages, 400, 'INVALID_REQUEST', field);
    });

    test.each<[string, Record<string, unknown>, string]>([
      ['no eventType', { eventType: undefined }, 'messages[3].eventType'],
      ['an eventType that is empty', { eventType: '' }, 'messages[3].eventType'],
      ['a payload that is no object', { payload: [] }, 'messages[3].payload'],
      ['a payload too large', { payload: { text: 'x'.repeat(262_144) } }, 'messages[3].payload'],
      ['metadata that is no text', { metadata: { a: 1 } }, 'messages[3].metadata.a'],
      ['no channelId', { channelId: undefined }, 'messages[3].channelId'],
      ['a channelId that is no text', { channelId: 7 }, 'messages[3].channelId'],
      ['a channelId that is missing', { channelId: MISSING }, 'messages[3].channelId'],
      ['a channelId that is none', { channelId: "' OR 1=1 --" }, 'messages[3].channelId'],
      ['an id that is empty', { id: '' }, 'messages[3].id'],
      ['an id with a space', { id: 'a b' }, 'messages[3].id'],
      ['an id beyond ASCII', { id: 'ä' }, 'messages[3].id'],
      ['an id too long', { id: 'x'.repeat(129) }, 'messages[3].id'],
      ['an id that is no text', { id: 1 }, 'messages[3].id'],
    ])('refuses all five if the fourth has %s', async (_, bad, field) => {
      await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
      const good: unknown[] = [one, other, one, other, one].map((channelId) => ({ ...message, channelId }));
      await expectRefused(good.with(3, { ...message, channelId: other, ...bad }), 400, 'INVALID_REQUEST', field);
    });

    test.each(['paused', 'archived'])('is CONFLICT for all if one channel is %s', async (status) => {
      await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
      await posthorn.request('PATCH', `/v1/channels/${other}`, { status });
      const messages = [one, one, other].map((channelId) => ({ ...message, channelId }));
      await expectRefused(messages, 409, 'CONFLICT', 'messages[2].channelId');
      await expectRefused(messages.slice(2), 409, 'CONFLICT', 'messages[0].channelId');
    });

    test("refuses a deleted channel, another environment's and the system channel", async () => {
      const deleted = await createChannel(posthorn);
      await posthorn.request('DELETE', `/v1/channels/${deleted.id}`);
      const foreign = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'test' });
      const system = await posthorn.deps.db.channel.findFirstOrThrow({
        where: { kind: 'system', environment: { kind: 'live' } },
      });
      for (const [channelId, status, code] of [
        [deleted.id, 400, 'INVALID_REQUEST'],
        [foreign.id, 400, 'INVALID_REQUEST'],
        [system.id, 409, 'CONFLICT'],
      ] as const) {
        const messages = [one, channelId].map((id) => ({ ...message, channelId: id, id: 'order-1' }));
        await expectRefused(messages, status, code, 'messages[1].channelId');
      }
    });

    test('stores nothing in any channel if PostgreSQL refuses the last message', async () => {
      await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
      const { pool } = posthorn.deps;
      await pool.query(`ALTER TABLE messages ADD CONSTRAINT no_bad_type CHECK (event_type <> 'bad')`);
      const before = await tableContents(pool);
      const messages = [one, other, one].map((channelId, n) => ({ ...message, channelId, id: `order-${n}` }));
      const answer = await send([...messages, { ...message, channelId: other, eventType: 'bad' }], {
        'idempotency-key': 'refused-by-postgres',
      });
      await pool.query('ALTER TABLE messages DROP CONSTRAINT no_bad_type');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await tableContents(pool)).toEqual(before);
    });

    test('accepts one client-supplied id once in each channel, and not twice in one', async () => {
      const twice = [one, other, one].map((channelId) => ({ ...message, channelId, id: 'order-1' }));
      await expectRefused(twice, 400, 'INVALID_REQUEST', 'messages[2].id');
      const answer = await send(twice.slice(0, 2));
      expect([answer.status, new Set(answer.body.ids).size]).toEqual([202, 2]);
      expect((await send(twice.slice(1))).body.ids).toEqual([answer.body.ids[1], answer.body.ids[0]]);
      expect([await list(one), await list(other)].map(({ length }) => length)).toEqual([1, 1]);
    });
  });

  test('counts in one bucket of 10 a minute for both batch paths, the transactional one from its own, and their headers take precedence', async () => {
    const { key } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'till', tier: 'pro' });
    const call = async (path: string, messages: unknown) => {
      const answer = await posthorn.request('POST', path, { messages }, { key: String(key) });
      return [answer.status, answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')];
    };
    const across = [{ ...message, channelId: one }];
    for (let left = 9; left > 0; left -= 2) {
      expect(await call('/v1/messages/batch', across)).toEqual([202, '10', String(left)]);
      expect(await call(`/v1/channels/${one}/messages/batch`, [message])).toEqual([202, '10', String(left - 1)]);
    }
    for (const path of ['/v1/messages/batch', `/v1/channels/${one}/messages/batch`]) {
      expect(await call(path, across)).toEqual([429, '10', '0']);
    }
    for (let left = 9; left >= 0; left -= 1) {
      expect(await call('/v1/messages/transactional', across)).toEqual([202, '10', String(left)]);
    }
    expect(await call('/v1/messages/transactional', across)).toEqual([429, '10', '0']);
    expect(await call(`/v1/channels/${one}/messages`, [])).toEqual([400, '6000', expect.any(String)]);
  });
});
