import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { TIER_LIMITS } from '../../src/kernel/words/rights.ts';
import { createEventStreams, EventStream } from '../../src/api/http/event-stream.ts';
import { createStreams } from '../../src/messaging/streams/service.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, publishBatch } from '../support/make/factories.ts';
import { make } from '../support/make/seed.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startStreamApi, type StreamApi } from '../support/service/stream-api.ts';
import { BEGINNING, idsOf, openStream, type StreamReader } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('stream', () => {
  type Refusal = { error: { code: string; details?: { field: string; reason: string } } };
  type Given = { query?: string; lastEventId?: string; key?: string };

  let channelId: string;
  let readers: StreamReader[] = [];

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  afterEach(() => {
    for (const reader of readers) reader.close();
    readers = [];
  });

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
      await createSubscription(posthorn, {
        channelId,
        webhookUrl: 'http://127.0.0.1:4000/',
        eventTypes: ['order.paid'],
      });
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
      const other = await openStream({
        url: `${posthorn.url}/v1/channels/${elsewhere}/stream`,
        key: posthorn.keys.live,
      });
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
      ['or*der', 'must have a * only alone, or at the end after a dot, as in order.*'],
      ['a,.*', 'must have a * only alone, or at the end after a dot, as in order.*'],
      ['x'.repeat(129), 'must have at most 128 characters'],
      ['a%0Ab', 'must not contain control characters'],
      [Array.from({ length: 101 }, (_, n) => `t${n}`).join(','), 'must hold at most 100 event types'],
      ['a&eventTypes=b', 'must be given only once'],
    ])('%p is INVALID_REQUEST', async (eventTypes, reason) => {
      expect((await refusalOf({ query: `eventTypes=${eventTypes}` })).body.error.details).toEqual({
        field: 'eventTypes',
        reason,
      });
    });
  });
});

describe('begins', () => {
  // Regression: channels of all open streams were asked for, and then every open stream without an answer was ended as one of a
  // deleted channel, those too that had begun while the query ran.
  test('a stream that begins while the others are looked through for deleted channels goes on', async () => {
    const posthorn = await startPosthorn({ withWorker: false });
    const stops: (() => void)[] = [];
    try {
      const { pool, log, db } = posthorn.deps;
      const [first, second] = [await createChannel(posthorn), await createChannel(posthorn)];
      let isAsked = false;
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const slow = Object.create(pool, {
        query: {
          // `as`: it passes on whatever it is given.
          value: async (...given: unknown[]) => {
            if (String(given[0]).includes('c.id = ANY')) {
              isAsked = true;
              await answered;
            }
            return (pool.query as (...all: unknown[]) => unknown)(...given);
          },
        },
      }) as typeof pool;
      const streams = createStreams({ pool: slow, log });
      const environment = await db.environment.findFirstOrThrow({ where: { kind: 'live' } });
      const caller = { environmentId: environment.id } as Parameters<typeof streams.open>[0];
      const ended: string[] = [];
      const texts = new Map<string, string>();
      const begin = async ({ id }: { id: string }): Promise<void> => {
        const feed = await streams.open(caller, id, {});
        const send = (text: string): void => void texts.set(id, text);
        feed.start({ send, isFull: () => false, end: () => void ended.push(id) });
        stops.push(() => feed.stop());
      };
      await begin(first);
      await waitFor('the look for deleted channels', () => isAsked);
      await begin(second);
      answer();
      const message = await publish(posthorn, second.id);
      await waitFor(
        'the second stream to go on or to end',
        () => ended.length > 0 || texts.get(second.id)?.includes(message.id) === true,
      );
      expect(ended).toEqual([]);
    } finally {
      // An open stream asks the database for as long as it is there.
      for (const stop of stops) stop();
      await posthorn.stop();
    }
  });
});

describe('lifetime', () => {
  const MIB = 1_048_576;

  let channelId: string;
  let apis: StreamApi[] = [];

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  afterEach(async () => {
    await Promise.all(apis.map((api) => api.stop()));
    apis = [];
  });

  async function startApi(timings?: { heartbeatMs?: number; recheckMs?: number }): Promise<StreamApi> {
    const api = await startStreamApi(posthorn, timings);
    apis.push(api);
    return api;
  }

  const read = (
    api: StreamApi,
    given: { key?: string; query?: string; lastEventId?: string } = {},
  ): Promise<StreamReader> =>
    openStream({
      url: `${api.url}/v1/channels/${channelId}/stream?${given.query ?? ''}`,
      key: given.key ?? posthorn.keys.live,
      lastEventId: given.lastEventId,
    });

  const statusOf = async (api: StreamApi, key: string): Promise<number> =>
    (await fetch(`${api.url}/v1/channels/${channelId}`, { headers: { authorization: `Bearer ${key}` } })).status;

  const newKey = async (fields: Record<string, unknown> = {}): Promise<{ id: string; key: string }> => {
    const made = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'reader', ...fields });
    return { id: made.id, key: String(made['key']) };
  };

  const streamQueries = ({ statements }: StreamApi): number =>
    statements.filter((text) => text.includes('pg_snapshot_xmin')).length;

  describe('an open stream', () => {
    test('is a request in flight for as long as it lives', async () => {
      const api = await startApi();
      const { key } = await newKey({ limits: { ...TIER_LIMITS.enterprise, concurrent: 2, batchPerMinute: 10 } });
      const readers = [await read(api, { key }), await read(api, { key })];
      expect(await statusOf(api, key)).toBe(429);
      expect((await read(api, { key })).status).toBe(429);
      readers[0]?.close();
      await waitFor('its place to be free', async () => (await statusOf(api, key)) === 200);
      readers[1]?.close();
    });

    test('hears a heartbeat, with the position that it has reached', async () => {
      const api = await startApi({ heartbeatMs: 50 });
      const reader = await read(api, { query: 'eventTypes=nothing' });
      const atFirst = await waitFor('a position', () => reader.lastEventId());
      await waitFor('a heartbeat', () => reader.text().includes(': heartbeat\n'));
      const { id } = await publish(posthorn, channelId);
      const position = await waitFor(
        'the position to go on',
        () => reader.lastEventId() !== atFirst && reader.lastEventId(),
      );
      expect(Buffer.from(position, 'base64url').toString()).toContain(id);
      expect(reader.events).toEqual([]);
      reader.close();
    });

    test('whose key is revoked, rotated, expired or of another scope now, ends', async () => {
      const api = await startApi({ recheckMs: 20 });
      const keys = [await newKey(), await newKey(), await newKey(), await newKey()];
      const readers = await Promise.all(keys.map(({ key }) => read(api, { key })));
      const lasting = await read(api);
      const [revoked, rotated, expired, narrowed] = keys.map(({ id }) => id);
      await posthorn.request('DELETE', `/v1/api-keys/${revoked}`);
      await posthorn.request('POST', `/v1/api-keys/${rotated}/rotate`);
      const { apiKey } = posthorn.deps.db;
      await apiKey.update({ where: { id: expired ?? '' }, data: { expiresAt: new Date(0) } });
      await apiKey.update({ where: { id: narrowed ?? '' }, data: { scopes: ['messages:write'] } });
      for (const reader of readers) expect(await reader.waitForEnd()).toBe('whole');
      const { id } = await publish(posthorn, channelId);
      expect((await lasting.waitForEvents(1))[0]?.data).toContain(id);
      lasting.close();
    });

    test('whose channel is deleted ends', async () => {
      const api = await startApi();
      const reader = await read(api);
      await posthorn.request('DELETE', `/v1/channels/${channelId}`);
      expect(await reader.waitForEnd()).toBe('whole');
    });

    test('lasts while PostgreSQL is away, and goes on without gap', async () => {
      const api = await startApi({ recheckMs: 20 });
      const reader = await read(api);
      const before = await publish(posthorn, channelId);
      await reader.waitForEvents(1);
      // Every connection of the API is cut, as by a restart; the next ones are refused for a while.
      await posthorn.deps.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      const after = await waitFor('publishing to work again', () =>
        publish(posthorn, channelId).catch(() => undefined),
      );
      await reader.waitForEvents(2);
      expect(reader.events.map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual([before.id, after.id]);
      reader.close();
    });
  });

  describe('a reader that takes nothing', () => {
    test('is cut off with less than 1 MiB kept for it, gives its place back, and can resume', async () => {
      const api = await startApi({ heartbeatMs: 200 });
      const { key } = await newKey({ limits: { ...TIER_LIMITS.enterprise, concurrent: 1, batchPerMinute: 10 } });
      // More than the buffers of a loopback connection take.
      const ids: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        const messages = Array.from({ length: 10 }, () => ({ eventType: 'a', payload: { text: 'x'.repeat(200_000) } }));
        const { body } = await posthorn.request<{ ids: string[] }>('POST', `/v1/channels/${channelId}/messages/batch`, {
          messages,
        });
        ids.push(...body.ids);
      }
      const slow = await read(api, { key, query: 'since=2026-01-01T00:00:00Z' });
      slow.pause();
      const response = api.responses.at(-1);
      let most = 0;
      await waitFor('the service to cut it off', () => {
        most = Math.max(most, response?.writableLength ?? 0);
        return response?.destroyed;
      });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(MIB);
      await waitFor('its place to be free', async () => (await statusOf(api, key)) === 200);
      slow.goOn();
      expect(await slow.waitForEnd()).toBe('cut');
      const taken = slow.events.map(({ data }) => (JSON.parse(data) as { id: string }).id);
      expect(taken.length).toBeLessThan(ids.length);

      const position = slow.lastEventId();
      // With the usual time between heartbeats: a busy machine is no reader that takes nothing.
      const again = await read(await startApi(), { key, ...(position !== undefined && { lastEventId: position }) });
      const rest = await again.waitForEvents(ids.length - taken.length);
      expect([...taken, ...rest.map(({ data }) => (JSON.parse(data) as { id: string }).id)]).toEqual(ids);
      again.close();
    });

    test('holds up none of the others', async () => {
      const api = await startApi();
      const slow = await read(api);
      slow.pause();
      const quick = await read(api);
      const ids: string[] = [];
      for (let n = 0; n < 40; n += 1)
        ids.push((await publish(posthorn, channelId, { payload: { text: 'x'.repeat(200_000) } })).id);
      const events = await quick.waitForEvents(40);
      expect(events.map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual(ids);
      quick.close();
      slow.close();
    });
  });

  describe('the queries of streams', () => {
    test('are one for all streams of a process, and none while none is open', async () => {
      const api = await startApi();
      const other = await createChannel(posthorn);
      const readers = [
        await read(api),
        await read(api, { query: 'eventTypes=order.*' }),
        await openStream({ url: `${api.url}/v1/channels/${other.id}/stream`, key: posthorn.keys.live }),
      ];
      const opened = streamQueries(api);
      // Published by another process: found by the poll, which reads once for all of them.
      await publishBatch(posthorn, channelId, 50);
      await publish(posthorn, other.id);
      await Promise.all([readers[0]?.waitForEvents(50), readers[1]?.waitForEvents(50), readers[2]?.waitForEvents(1)]);
      const reads = streamQueries(api) - opened;
      await waitFor('two more polls', () => streamQueries(api) - opened >= reads + 2);
      for (const reader of readers) reader.close();
      await waitFor('the streams to be closed', () => api.responses.every(({ closed }) => closed));
      const closed = streamQueries(api);
      // Publishing through this API wakes no stream.
      const message = { eventType: 'a', payload: {} };
      const headers = { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' };
      for (let n = 0; n < 5; n += 1) {
        const body = JSON.stringify(message);
        expect(
          (await fetch(`${api.url}/v1/channels/${channelId}/messages`, { method: 'POST', headers, body })).status,
        ).toBe(202);
      }
      expect(streamQueries(api)).toBe(closed);
    });
  });

  describe('a drain', () => {
    test('ends streams at once, those that take nothing too, and refuses new ones; they go on elsewhere', async () => {
      const [stopping, lasting] = [await startApi(), await startApi()];
      const reader = await read(stopping);
      const stuck = await read(stopping);
      stuck.pause();
      const before = await publish(posthorn, channelId);
      await reader.waitForEvents(1);
      for (let n = 0; n < 40; n += 1) await publish(posthorn, channelId, { payload: { text: 'x'.repeat(200_000) } });
      await reader.waitForEvents(41);
      const drained = stopping.drain();
      expect(await reader.waitForEnd()).toBe('whole');
      await drained;
      stuck.close();
      const after = await publish(posthorn, channelId);
      const position = reader.lastEventId();
      const resumed = await read(lasting, position === undefined ? {} : { lastEventId: position });
      const [event] = await resumed.waitForEvents(1);
      expect([before.id === after.id, event?.data.includes(after.id)]).toEqual([false, true]);
      resumed.close();
    });

    test('refuses a stream on a connection that is still open with UNAVAILABLE and when to come again', async () => {
      const streams = createEventStreams({ heartbeatMs: 1_000, recheckMs: 1_000 });
      streams.endAll();
      const feed = { start: () => undefined, resume: () => undefined, stop: () => undefined, position: () => '' };
      // `as never`: it is refused before the request is looked at.
      await expect(streams.answer({} as never, new EventStream(feed))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        retryAfter: 1,
      });
    });
  });
});
