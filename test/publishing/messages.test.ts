import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { type MessageJson, messageCalls, type Refusal } from '../support/make/message-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { tableContents } from '../support/check/table-contents.ts';

const KIB = 1024;
const message = { eventType: 'order.created', payload: { n: 1 } };

let posthorn: TestPosthorn;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

const { path, send, sendBatch, list } = messageCalls(
  () => posthorn,
  () => channelId,
);

/** Publishes and expects a refusal that leaves every table as it was. */
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

/** The answer's own text: what JSON.parse would change is compared in it. */
const textOf = async (address: string): Promise<string> =>
  (await fetch(posthorn.url + address, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).text();

const payloadOf = (bytes: number): string => `{"text":"${'x'.repeat(bytes - 11)}"}`;
const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);

describe('publishing one message', () => {
  test('answers 202 with the message, which the channel then lists and its own address shows', async () => {
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
  ])('takes an eventType of %s', async (_, eventType) => {
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

  test('takes a payload of 256 KiB, counted in bytes as it was written, and none that is one byte longer', async () => {
    const wrap = (payload: string): string => `{"eventType":"a","payload":${payload}}`;
    expect((await send(wrap(payloadOf(256 * KIB)))).status).toBe(202);
    await expectRefused(wrap(payloadOf(256 * KIB + 1)), 'payload', 'at most 262144 bytes');
    // Two bytes of UTF-8 each, one UTF-16 unit each.
    const umlauts = (count: number): string => wrap(`{"text":"${'ü'.repeat(count)}"}`);
    expect((await send(umlauts(128 * KIB - 6))).status).toBe(202);
    await expectRefused(umlauts(128 * KIB - 5), 'payload', 'at most 262144 bytes');
    // White space is part of what was published.
    await expectRefused(wrap(`{${' '.repeat(256 * KIB)}}`), 'payload', 'at most 262144 bytes');
  });

  test('takes a payload of 32 levels, of objects or arrays, and none of 33', async () => {
    expect((await send(`{"eventType":"a","payload":${nested(32)}}`)).status).toBe(202);
    await expectRefused(`{"eventType":"a","payload":${nested(33)}}`, `payload${'.a'.repeat(32)}`, 'deeper than 32');
    const lists = (depth: number): string =>
      `{"eventType":"a","payload":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect((await send(lists(31))).status).toBe(202);
    await expectRefused(lists(32), `payload.a${'[0]'.repeat(31)}`, 'deeper than 32');
    const brackets = JSON.stringify({ text: '[{'.repeat(100) });
    expect((await send(`{"eventType":"a","payload":${brackets}}`)).status).toBe(202);
  });

  test('takes 50 texts of metadata and 16 KiB of it, and no more', async () => {
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
  ])('is the payload, its key being %s', async (_, body) => {
    const single = await posthorn.request<MessageJson>('POST', path(), body);
    expect(single.status).toBe(202);
    expect(await textOf(`/v1/messages/${single.body.id}`)).toContain('"payload":{"n":1.0},');
    const batch = await posthorn.request<{ ids: string[] }>('POST', `${path()}/batch`, `{"messages":[${body}]}`);
    expect(batch.status).toBe(202);
    expect(await textOf(`/v1/messages/${batch.body.ids[0]}`)).toContain('"payload":{"n":1.0},');
  });

  test('is the last list of messages when there are two, and escaped', async () => {
    const one = (n: string): string => `[{"eventType":"a","payload":{"n":${n}}}]`;
    const body = `{"messages":${one('2')},"mess\\u0061ges":${one('1.0')}}`;
    const batch = await posthorn.request<{ count: number; ids: string[] }>('POST', `${path()}/batch`, body);
    expect([batch.status, batch.body.count]).toEqual([202, 1]);
    expect(await textOf(`/v1/messages/${batch.body.ids[0]}`)).toContain('"payload":{"n":1.0},');
    expect(await list()).toHaveLength(1);
  });

  test('has no number beyond a double, no __proto__ and nothing else that a reader could not take', async () => {
    await expectRefused('{"eventType":"a","payload":{"n":1e400}}', 'payload.n', 'too large');
    await expectRefused('{"eventType":"a","payload":{"__proto__":{"a":1}}}', 'body', '__proto__');
    await expectRefused('{"eventType":"a","payload":{"a":"\\ud800"}}', 'payload.a', 'surrogate');
    await expectRefused('{"eventType":"a","payload":{"a":"\\u0000"}}', 'payload.a', 'NUL');
  });
});

describe('publishing a batch', () => {
  test.each([1, 2, 100])('with %d messages answers 202 with their ids in their order', async (count) => {
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
    ['101', Array.from({ length: 101 }, () => message), 'must hold at most 100 messages'],
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

  test('that cannot be stored as a whole stores nothing of it', async () => {
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const { pool } = posthorn.deps;
    // PostgreSQL itself refuses the last message, behind four good ones: nothing before it may stay.
    await pool.query(`ALTER TABLE messages ADD CONSTRAINT no_bad_type CHECK (event_type <> 'bad')`);
    const before = await tableContents(pool);
    const answer = await sendBatch<Refusal>([message, message, message, message, { ...message, eventType: 'bad' }]);
    await pool.query('ALTER TABLE messages DROP CONSTRAINT no_bad_type');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await tableContents(pool)).toEqual(before);
  });

  test('holds 100 large messages up to 5 MiB, and no more', async () => {
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
    'that is %s refuses messages with CONFLICT and shows those it has',
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

  test('that is deleted takes none and says it is not there, but its messages stay listed', async () => {
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
