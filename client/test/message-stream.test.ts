import { expect, test } from '@jest/globals';
import { Posthorn } from '../src/posthorn.ts';
import type { StreamedMessage } from '../src/streams/message-stream.ts';
import { breakOff, hang, json, refuse, scriptFetch } from './scripted-fetch.ts';

const event = (id: string): string => `id: ${id}\nevent: message\ndata: {"id":"msg_${id}"}\n\n`;
const connection =
  (...texts: string[]) =>
  () =>
    new Response(`retry: 1\nid: start\n\n${texts.join('')}`, { headers: { 'content-type': 'text/event-stream' } });

const streamOf = (script: ReturnType<typeof scriptFetch>, options: object = {}, query: object = {}) =>
  new Posthorn({ baseUrl: 'http://localhost', fetch: script.fetch, retries: { max: 0 } }).messages.stream(
    'chn_1',
    query,
    options,
  );

async function take(count: number, stream: AsyncIterable<StreamedMessage>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { message } of stream) {
    ids.push(message.id);
    if (ids.length === count) break;
  }
  return ids;
}

test('a stream that ends is opened again behind its last event, a heartbeat without data included', async () => {
  const script = scriptFetch(
    connection(event('1'), event('2')),
    connection(event('3'), ': heartbeat\nid: beat\n\n'),
    breakOff,
    refuse(503, 'UNAVAILABLE'),
    connection(event('4')),
  );
  const stream = streamOf(script, {}, { eventTypes: ['order.*', 'refund.made'] });
  expect(await take(4, stream)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
  expect(script.sent.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '2', 'beat', 'beat', 'beat']);
  expect(script.sent[0]?.url).toBe('http://localhost/v1/channels/chn_1/stream?eventTypes=order.*%2Crefund.made');
  expect(stream.lastEventId).toBe('4');
}, 20_000);

test('a stream begins behind the event that it is given', async () => {
  const script = scriptFetch(connection(event('8')));
  expect(await take(1, streamOf(script, { lastEventId: '7' }))).toEqual(['msg_8']);
  expect(script.sent[0]?.headers.get('last-event-id')).toBe('7');
});

test('the loop ends with the signal, without an error, also while nothing comes', async () => {
  const stopping = new AbortController();
  const script = scriptFetch(connection(event('1')), (sent, signal) => {
    setImmediate(() => stopping.abort());
    return hang(sent, signal);
  });
  expect(await take(9, streamOf(script, { signal: stopping.signal }))).toEqual(['msg_1']);
  expect(script.sent).toHaveLength(2);
});

test.each([
  ['a refusal', refuse(404, 'NOT_FOUND'), { code: 'NOT_FOUND' }],
  ['a first connection that fails', breakOff, { name: 'ConnectionError' }],
  ['a response that is not a stream', json(200, {}), { message: expect.stringContaining('not an event stream') }],
])('%s is thrown', async (_, step, wanted) => {
  const script = scriptFetch(step);
  await expect(take(1, streamOf(script))).rejects.toMatchObject(wanted);
  expect(script.sent).toHaveLength(1);
});

test('a refusal after a good connection is thrown too: the key was revoked, or the channel is gone', async () => {
  const script = scriptFetch(connection(event('1')), refuse(401, 'UNAUTHORIZED'));
  await expect(take(2, streamOf(script))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
