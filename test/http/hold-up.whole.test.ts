import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { STRANGERS_REQUESTS, type StrangersRequest } from '../support/make/strangers-requests.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let batch: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'Orders' });
  batch = `/v1/channels/${body.id}/messages/batch`;
});
afterAll(async () => {
  await sender.terminate();
  await posthorn.stop();
});

/** `isLarge`: the texts of the responses stay in their thread, because transferring them takes a turn. `length` counts characters. */
type Sent = StrangersRequest & { isLarge?: boolean };
type Answered = { status: number; text: string; length: number };

/** Sends requests from a separate thread, so that the measured turns are only the service's. */
const SENDER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ url, times, body, isLarge, ...init }) => {
    const answers = await Promise.all(Array.from({ length: times }, async () => {
      const answer = await fetch(url, { ...init, redirect: 'manual', ...(body !== undefined && { body }) });
      const text = await answer.text();
      return { status: answer.status, text: isLarge ? '' : text, length: text.length };
    }));
    parentPort.postMessage(answers);
  });`;
const sender = new Worker(SENDER, { eval: true });

async function send(times: number, { method = 'POST', path, body, headers, isLarge }: Sent): Promise<Answered[]> {
  const answers = once(sender, 'message');
  sender.postMessage({
    url: posthorn.url + path,
    times,
    method,
    body,
    isLarge,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  // `as`: the message of the thread above.
  return ((await answers) as [Answered[]])[0];
}

/** Sends the request alone and many times at once, and expects no turn of a second. Returns the responses. */
async function sendHarmlessly(sent: Sent, times = 20): Promise<Answered[]> {
  // The first call of each kind compiles its code.
  await send(1, sent);
  await expectShortTurns(() => send(1, sent));
  let answers: Answered[] = [];
  await expectShortTurns(async () => {
    answers = await send(times, sent);
  });
  return answers;
}

const keyed = (): Record<string, string> => ({ authorization: `Bearer ${posthorn.keys.live}` });
const repeated = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',');
const LARGE = 5 * 1024 * 1024 - 100;

/** Regression: the elements of a batch were parsed and checked before they were counted, and all large bodies in one turn. */
describe('a publishing key never blocks the event loop', () => {
  test.each([
    [
      '1.7 million messages',
      `{"messages":[${repeated('{}', 1_700_000)}]}`,
      'messages',
      'must have at most 100 messages',
    ],
    [
      '100 messages of 51 KB of empty arrays',
      `{"messages":[${repeated(`{"eventType":"a","payload":{"a":[${repeated('[]', 17_000)}]}}`, 100)}]}`,
      'body',
      'must have at most 500000 objects and arrays',
    ],
    [
      'a payload of 5 MiB',
      `{"messages":[{"eventType":"a","payload":{"a":[${repeated('{"a":1}', 600_000)}]}}]}`,
      'body',
      'has more than 100000 objects and arrays',
    ],
    [
      'a payload of 5 MiB of one text',
      `{"messages":[{"eventType":"a","payload":{"a":"${'\\"'.repeat(LARGE / 2 - 100)}"}}]}`,
      'messages[0].payload',
      'must have at most 262144 bytes',
    ],
    ['100,000 objects outside of messages', `{"x":[${repeated('{}', 99_990)}]}`, 'x', 'is not a known field'],
  ])('with %s', async (_, text, field, reason) => {
    const answers = await sendHarmlessly({ path: batch, body: Buffer.from(text), headers: keyed() });
    for (const { status, text: said } of answers) {
      expect([status, JSON.parse(said).error.details]).toEqual([400, { field, reason }]);
    }
  });

  test.each([
    ['behind the messages', '{"messages":[{"eventType":"a","payload":{}}]}x', 45],
    ['in a message', '{"messages":[{"eventType":"a","payload":{}},{"a":01}]}', 50],
    ['in a field behind them', '{"messages":[{"eventType":"a","payload":{}}],"x":01}', 50],
    ['before them', '{"x":01,"messages":[{"eventType":"a","payload":{}}]}', 6],
  ])('and is told where its body is not JSON: %s', async (_, text, position) => {
    const [answer] = await send(1, { path: batch, body: Buffer.from(text), headers: keyed() });
    expect(JSON.parse(answer?.text ?? '').error.details).toEqual({
      field: 'body',
      reason: `must be valid JSON (at position ${position})`,
    });
  });

  test('with 5 valid batches of nearly 5 MiB', async () => {
    const payload = `{"points":[${repeated('[13.4,52.5]', 20_000)}]}`;
    const text = `{"messages":[${repeated(`{"eventType":"a","payload":${payload}}`, 20)}]}`;
    const answers = await sendHarmlessly({ path: batch, body: Buffer.from(text), headers: keyed() }, 5);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  });
});

/** Regression: the text of a whole page was built in one turn, and several of them when many callers read. */
describe('a reader of large pages never blocks the event loop', () => {
  const PAYLOAD = `'{"a":"' || repeat('я', 130000) || '"}'`;
  /** Creates a channel with 100 messages of 254 KiB, published or scheduled. */
  const large = async (times: { delay?: number }): Promise<string> => {
    const { id } = (await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'Large' })).body;
    const messages = Array.from({ length: 100 }, () => ({ eventType: 'a', payload: {}, ...times }));
    await posthorn.request('POST', `/v1/channels/${id}/messages/batch`, { messages });
    for (const table of ['messages', 'scheduled_messages'])
      await posthorn.deps.pool.query(`UPDATE ${table} SET payload = ${PAYLOAD} WHERE channel_id = $1`, [id]);
    return `/v1/channels/${id}`;
  };
  test.each([
    ['messages', () => large({}), '/messages?limit=100'],
    ['messages in the order of their commits', () => large({}), '/messages?limit=100&order=committed'],
    ['messages that wait', () => large({ delay: 3_600_000 }), '/scheduled?limit=100'],
  ])('of %s', async (_, prepare, list) => {
    const path = (await prepare()) + list;
    const request = { method: 'GET', path, headers: keyed(), isLarge: true };
    // Commit order leaves out what was published while an older transaction is open, in any database of the server.
    await waitFor('a full page', async () => (await send(1, request)).every(({ length }) => length > 4_000_000));
    const answers = await sendHarmlessly(request);
    // A slow machine refuses some of them while they wait for a database connection.
    expect(answers.map(({ status }) => status).filter((status) => ![200, 503].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    expect(answers.filter(({ length }) => length >= 9_000_000)).toEqual([]);
  });

  test('and receives all of them, with their length first', async () => {
    const url = `${posthorn.url}${await large({})}/messages?limit=10`;
    const answer = await fetch(url, { headers: keyed() });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.length).toBeGreaterThan(2_600_000);
    // `as`: a page of messages.
    const { data } = JSON.parse(bytes.toString()) as { data: { payload: { a: string } }[] };
    expect(data.map(({ payload }) => payload.a)).toEqual(Array.from({ length: 10 }, () => 'я'.repeat(130_000)));
    const head = await fetch(url, { method: 'HEAD', headers: keyed() });
    const [type, length] = ['content-type', 'content-length'].map((name) => head.headers.get(name));
    expect([head.status, type, length]).toEqual([200, answer.headers.get('content-type'), String(bytes.length)]);
  });
});

/** Each route that runs before its caller is authenticated, with the most expensive body or header of the allowed size. */
describe('an unauthenticated caller never blocks the event loop', () => {
  test.each<[string, Sent]>(Object.values(STRANGERS_REQUESTS).flatMap((requests) => Object.entries<Sent>(requests)))(
    'with %s',
    async (_, sent) => {
      for (const { status } of await sendHarmlessly(sent))
        expect([200, 302, 303, 304, 400, 401, 403, 404, 409, 413, 415, 429, 431, 503]).toContain(status);
    },
  );
});

/** Returns everything received on a new connection until it ends. */
async function exchanged(sent: string): Promise<string> {
  const { hostname, port } = new URL(posthorn.url);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => (said += text));
  // The service may close it while the test writes.
  socket.on('error', () => undefined);
  socket.write(sent);
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}
const requestOf = (close = ''): string => `GET /healthz HTTP/1.1\r\nHost: a\r\n${close}\r\n`;
const answersIn = (said: string): number => said.split('HTTP/1.1 200').length - 1;

/** Regression: Node dispatched all requests of a read in one turn of the event loop, as many as fit into 64 KiB. */
describe('pipelined requests', () => {
  test('are answered, up to 16 at a time', async () => {
    expect(answersIn(await exchanged(requestOf().repeat(15) + requestOf('Connection: close\r\n')))).toBe(16);
  });

  test('end their connection beyond that', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => exchanged(requestOf().repeat(2_200))));
    expect(Math.max(...all.map(answersIn))).toBeLessThanOrEqual(16);
  });
});

/** Regression: each piece of a body was kept until its end, a buffer of some hundred bytes for each byte. */
describe('a body in pieces of one byte', () => {
  const inPieces = (pieces: number): string =>
    `POST /v1/sign-in HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(pieces)}0\r\n\r\n`;

  test('is read', async () => {
    expect(await exchanged(inPieces(4_000))).toMatch(/^HTTP\/1.1 400 /);
  });

  test('ends its connection beyond 4,096 of them', async () => {
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'Chunked' });
    const webhook = await posthorn.request<{ id: string }>('POST', '/v1/webhooks', {
      name: 'In',
      channelId: body.id,
      provider: 'github',
      secrets: ['a secret of GitHub'],
    });
    const large = inPieces(5_000).replace('/v1/sign-in', `/v1/webhooks/${webhook.body.id}`);
    expect(await exchanged(large)).toBe('');
  });
});
