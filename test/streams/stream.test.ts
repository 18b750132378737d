import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, publishBatch } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { BEGINNING, idsOf, openStream, type StreamReader } from '../support/world/stream-reader.ts';
import { waitFor } from '../support/check/wait-for.ts';

type Refusal = { error: { code: string; details?: { field: string; reason: string } } };
type Given = { query?: string; lastEventId?: string; key?: string };

let posthorn: TestPosthorn;
let channelId: string;
let readers: StreamReader[] = [];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterEach(() => {
  for (const reader of readers) reader.close();
  readers = [];
});
afterAll(() => posthorn.stop());

const path = (query = ''): string => `/v1/channels/${channelId}/stream${query === '' ? '' : `?${query}`}`;

async function read({ query, lastEventId, key = posthorn.keys.live }: Given = {}): Promise<StreamReader> {
  const reader = await openStream({ url: posthorn.url + path(query), key, lastEventId });
  readers.push(reader);
  expect(reader.status).toBe(200);
  return reader;
}

const refusalOf = ({ query, lastEventId }: Given): Promise<Answer<Refusal>> =>
  posthorn.request<Refusal>('GET', path(query), undefined, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });

/** The answer's own text: what JSON.parse would change is compared in it. */
const textOf = async (address: string): Promise<string> =>
  (await fetch(posthorn.url + address, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).text();

/** The position that a stream has given so far. */
const positionOf = (reader: StreamReader): Promise<string> => waitFor('a position', () => reader.lastEventId());

/** Publishes what lies behind every stream that is opened now: until other test files' transactions end it may still come. */
async function publishBehind(): Promise<void> {
  await publish(posthorn, channelId);
  const reader = await read({ query: BEGINNING });
  await reader.waitForEvents(1);
}

describe('the stream of a channel', () => {
  test('begins with what commits from now on, and shows each message as its own address does', async () => {
    await publishBehind();
    await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/', eventTypes: ['order.paid'] });
    const reader = await read();
    const unrouted = await publish(posthorn, channelId, { metadata: { source: 'till', '1': 'one' } });
    const pending = await publish(posthorn, channelId, { eventType: 'order.paid' });
    const events = await reader.waitForEvents(2);
    expect(events.map(({ event }) => event)).toEqual(['message', 'message']);
    expect(idsOf(reader)).toEqual([unrouted.id, pending.id]);
    for (const [index, { id }] of [unrouted, pending].entries()) {
      expect(events[index]?.data).toBe(await textOf(`/v1/messages/${id}`));
    }
    expect([unrouted.deliveryStatus, pending.deliveryStatus]).toEqual(['unrouted', 'pending']);
  });

  test('shows what has been delivered, or failed, meanwhile', async () => {
    const webhookUrl = 'http://127.0.0.1:4000/';
    await createSubscription(posthorn, { channelId, webhookUrl });
    await createSubscription(posthorn, { channelId, webhookUrl });
    const ids = await publishBatch(posthorn, channelId, 3);
    const { db } = posthorn.deps;
    const end = (messageId: string | undefined, status: string): Promise<unknown> =>
      db.delivery.updateMany({ where: { messageId: messageId ?? '' }, data: { status, dueAt: null } });
    await end(ids[0], 'delivered');
    await end(ids[1], 'delivered');
    const [one] = await db.delivery.findMany({ where: { messageId: ids[1] ?? '' } });
    await db.delivery.update({ where: { id: one?.id ?? '' }, data: { status: 'failed' } });
    const reader = await read({ query: BEGINNING });
    const events = await reader.waitForEvents(3);
    expect(events.map(({ data }) => (JSON.parse(data) as { deliveryStatus: string }).deliveryStatus)).toEqual([
      'delivered',
      'failed',
      'pending',
    ]);
  });

  test('keeps the payload digit for digit and in its order, each in one line', async () => {
    const reader = await read();
    const payload = '{\r\n\t"b": 12345678901234567890,\n "a":1.10,"text":"a\\nb\\u2028 \u2028ü😀","2":{"z":-0.0e-7}}';
    const body = `{"eventType":"order.created","payload":${payload}}`;
    expect((await posthorn.request('POST', `/v1/channels/${channelId}/messages`, body)).status).toBe(202);
    const [event] = await reader.waitForEvents(1);
    expect(event?.data).toContain(`"payload":${payload.replaceAll(/[\r\n]/g, ' ')},"publishedAt"`);
    expect(event?.data).not.toContain('\n');
  });

  test('has the headers of a stream, which nobody on the way collects, keeps or packs', async () => {
    const reader = await read();
    const { headers } = reader;
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-limit': '600000',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('content-length');
    expect(await positionOf(reader)).toMatch(/^[\w-]+$/);
    expect(reader.text()).toMatch(/^retry: 1000\nid: [\w-]+\n\n$/);
  });

  test('answers HEAD with its headers alone, and ends', async () => {
    const head = await openStream({ url: posthorn.url + path(), key: posthorn.keys.live, method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    head.goOn();
    expect(await head.waitForEnd()).toBe('whole');
    expect(head.text()).toBe('');
    const missing = await fetch(`${posthorn.url}/v1/channels/chn_x/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${posthorn.keys.live}` },
    });
    expect(missing.status).toBe(404);
  });

  test('does not care what a caller accepts, as no other endpoint does', async () => {
    const headers = { authorization: `Bearer ${posthorn.keys.live}`, accept: 'application/json' };
    const answer = await fetch(posthorn.url + path(), { headers });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await answer.body?.cancel();
  });

  test('is NOT_FOUND for a channel that has been deleted, whose messages are still listed', async () => {
    await publish(posthorn, channelId);
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    expect((await refusalOf({})).body.error.code).toBe('NOT_FOUND');
    expect((await posthorn.request('GET', `/v1/channels/${channelId}/messages`)).status).toBe(200);
  });
});

describe('Last-Event-ID', () => {
  test('resumes behind that event, without gap and without repeat, and wins over since', async () => {
    const ids = await publishBatch(posthorn, channelId, 5);
    const first = await read({ query: BEGINNING });
    const events = [...(await first.waitForEvents(5))];
    const resumed: StreamReader[] = [];
    for (const { id } of events) resumed.push(await read({ lastEventId: id, query: BEGINNING }));
    ids.push((await publish(posthorn, channelId)).id);
    for (const [index, reader] of resumed.entries()) {
      await reader.waitForEvents(5 - index);
      expect(idsOf(reader)).toEqual(ids.slice(index + 1));
    }
  });

  test('resumes where it began when it has shown nothing yet', async () => {
    const quiet = await read();
    const position = await positionOf(quiet);
    quiet.close();
    const { id } = await publish(posthorn, channelId);
    const resumed = await read({ lastEventId: position });
    await resumed.waitForEvents(1);
    expect(idsOf(resumed)).toEqual([id]);
  });

  test('that is malformed or of another stream is INVALID_REQUEST', async () => {
    const reader = await read();
    const own = await positionOf(reader);
    const elsewhere = (await createChannel(posthorn)).id;
    const other = await openStream({ url: `${posthorn.url}/v1/channels/${elsewhere}/stream`, key: posthorn.keys.live });
    readers.push(other);
    const foreign = await positionOf(other);
    for (const lastEventId of ['', 'x', '1', `${own}=`, `${own}, ${own}`, own.slice(1), foreign, channelId]) {
      const { status, body } = await refusalOf({ lastEventId });
      expect([lastEventId, status, body.error.code, body.error.details?.field]).toEqual([
        lastEventId,
        400,
        'INVALID_REQUEST',
        'Last-Event-ID',
      ]);
    }
    expect((await refusalOf({ lastEventId: own })).status).toBe(200);
  });

  test('that is ahead of the database is refused: it was restored, and what came since would be left out', async () => {
    await publish(posthorn, channelId);
    const reader = await read({ query: BEGINNING });
    const [event] = await reader.waitForEvents(1);
    const [transactionId = '', ...rest] = Buffer.from(event?.id ?? '', 'base64url')
      .toString()
      .split('.');
    const ahead = [String(BigInt(transactionId) + 1_000_000n), ...rest].join('.');
    const { status, body } = await refusalOf({ lastEventId: Buffer.from(ahead).toString('base64url') });
    expect([status, body.error.details?.field]).toEqual([400, 'Last-Event-ID']);
    expect(body.error.details?.reason).toContain('restored');
  });
});

describe('since', () => {
  test('begins with the first message published after it, to the millisecond', async () => {
    const messages: { id: string; publishedAt: string }[] = [];
    for (let n = 0; n < 3; n += 1)
      messages.push((await publish(posthorn, channelId)) as unknown as { id: string; publishedAt: string });
    for (const [index, { publishedAt }] of messages.entries()) {
      const at = Date.parse(publishedAt);
      for (const edge of [at - 1, at]) {
        const expected = messages.filter((other) => Date.parse(other.publishedAt) > edge).map(({ id }) => id);
        const reader = await read({ query: `since=${new Date(edge).toISOString()}` });
        await reader.waitForEvents(expected.length);
        expect([index, idsOf(reader)]).toEqual([index, expected]);
      }
    }
  });

  test('in the time to come is now', async () => {
    await publishBehind();
    const reader = await read({ query: 'since=2999-01-01T00:00:00Z' });
    const { id } = await publish(posthorn, channelId);
    await reader.waitForEvents(1);
    expect(idsOf(reader)).toEqual([id]);
  });

  test.each(['', 'now', '2026-01-31', '2026-02-30T00:00:00Z', '0'])('%p is INVALID_REQUEST', async (since) => {
    expect((await refusalOf({ query: `since=${since}` })).body.error.details?.field).toBe('since');
  });
});

describe('eventTypes', () => {
  const TYPES = ['order.created', 'order.paid', 'orders', 'refund.made', 'refund', 'order.'];
  test.each([
    ['order.created', ['order.created']],
    ['order.*', ['order.created', 'order.paid', 'order.']],
    ['order.paid,refund.*', ['order.paid', 'refund.made']],
    ['*', TYPES],
    ['nothing', []],
  ])('%p lets through what a subscription would get', async (eventTypes, expected) => {
    const reader = await read({ query: `eventTypes=${encodeURIComponent(eventTypes)}` });
    for (const eventType of TYPES) await publish(posthorn, channelId, { eventType });
    const all = await read({ query: BEGINNING });
    await all.waitForEvents(TYPES.length);
    await reader.waitForEvents(expected.length);
    const typesOf = (one: StreamReader): unknown[] =>
      one.events.map(({ data }) => (JSON.parse(data) as { eventType: string }).eventType);
    expect([typesOf(reader), typesOf(all)]).toEqual([expected, TYPES]);
  });

  test.each([
    ['', 'must not be empty'],
    ['a,,b', 'must not be empty'],
    ['a,', 'must not be empty'],
    ['or*der', 'a * may only stand alone or at the end after a dot, as in order.*'],
    ['a,.*', 'a * may only stand alone or at the end after a dot, as in order.*'],
    ['x'.repeat(129), 'must have at most 128 characters'],
    ['a%0Ab', 'must not contain control characters'],
    [Array.from({ length: 101 }, (_, n) => `t${n}`).join(','), 'must hold at most 100 event types'],
    ['a&eventTypes=b', 'is given more than once'],
  ])('%p is INVALID_REQUEST', async (eventTypes, reason) => {
    expect((await refusalOf({ query: `eventTypes=${eventTypes}` })).body.error.details).toEqual({
      field: 'eventTypes',
      reason,
    });
  });
});
