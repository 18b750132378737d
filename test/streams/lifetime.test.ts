import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createEventStreams, EventStream } from '../../src/http/streaming/event-stream.ts';
import { TIER_LIMITS } from '../../src/caller/tiers.ts';
import { createChannel, publish, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { make } from '../support/make/seed.ts';
import { type StreamApi, startStreamApi } from '../support/service/stream-api.ts';
import { openStream, type StreamReader } from '../support/world/stream-reader.ts';
import { waitFor } from '../support/check/wait-for.ts';

const MIB = 1_048_576;

let posthorn: TestPosthorn;
let channelId: string;
let apis: StreamApi[] = [];

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterEach(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  apis = [];
});
afterAll(() => posthorn.stop());

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
    const after = await waitFor('publishing to work again', () => publish(posthorn, channelId).catch(() => undefined));
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
