import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Posthorn } from '../../client/src/index.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';

const BEGINNING = new Date(0);

let posthorn: TestPosthorn;
let packed: PackedClient;
let proxy: TcpProxy;
let client: Posthorn;
let channelId: string;
beforeAll(async () => {
  [posthorn, packed] = await Promise.all([startPosthorn({ withWorker: false }), installClient()]);
  proxy = await startTcpProxy(posthorn.url);
  client = new packed.library.Posthorn({ baseUrl: proxy.url, credentials: { apiKey: posthorn.keys.live } });
  channelId = (await client.channels.create({ name: 'streamed' })).id;
});
afterAll(async () => {
  await proxy.stop();
  packed.remove();
  await posthorn.stop();
});

const publish = async (number: number): Promise<void> => {
  const { status } = await posthorn.request('POST', `/v1/channels/${channelId}/messages`, {
    eventType: number % 2 === 0 ? 'order.even' : 'order.odd',
    payload: { number },
  });
  expect(status).toBe(202);
};

test('a reader whose connection is cut sees every message once, in order', async () => {
  const stopping = new AbortController();
  const seen: unknown[] = [];
  await publish(0);
  await publish(1);
  const stream = client.messages.stream(channelId, { since: BEGINNING }, { signal: stopping.signal });
  for await (const { message, text, eventId } of stream) {
    seen.push(message.payload?.['number']);
    expect(JSON.parse(text)).toEqual(message);
    expect(eventId).toBe(stream.lastEventId);
    const next = seen.length;
    if (next === 2 || next === 4) {
      await proxy.cut();
      await publish(next);
      await publish(next + 1);
      await proxy.mend();
    }
    if (next === 6) stopping.abort();
  }
  expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
}, 60_000);

test('a stream is narrowed to event types, and goes on behind a remembered event in another reader', async () => {
  const first = client.messages.stream(channelId, { since: BEGINNING, eventTypes: ['order.even'] });
  let remembered = '';
  for await (const { eventId, message } of first) {
    expect(message.eventType).toBe('order.even');
    remembered = eventId;
    break;
  }
  const stopping = new AbortController();
  const options = { lastEventId: remembered, signal: stopping.signal };
  const numbers: unknown[] = [];
  for await (const { message } of client.messages.stream(channelId, { eventTypes: ['order.even'] }, options)) {
    numbers.push(message.payload?.['number']);
    if (numbers.length === 2) stopping.abort();
  }
  expect(numbers).toEqual([2, 4]);
});

test('the stream of a channel that is not there is refused at once', async () => {
  const reading = (async () => {
    for await (const _ of client.messages.stream('chn_none')) throw new Error('no message was published');
  })();
  await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
