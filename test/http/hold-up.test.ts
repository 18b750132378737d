import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { longestTurn, referenceTurn } from '../support/check/longest-turn.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let most: number;
let batch: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'Orders' });
  batch = `/v1/channels/${body.id}/messages/batch`;
  // A turn of the old mechanism took 50 times as long as the reference, and 200 times with twenty at once.
  most = 10 * referenceTurn();
});
afterAll(async () => {
  await sender.terminate();
  await posthorn.stop();
});

/** `isLarge`: the texts of the answers stay in their thread, which takes a turn to hand them over; their length is all that is told. */
type Sent = { method?: string; path: string; body?: Buffer; headers?: Record<string, string>; isLarge?: boolean };
type Answered = { status: number; text: string; length: number };

/** Sends requests from a thread of its own, so that the turns that are measured are the service's alone. */
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
  // `as`: what the thread above posts.
  return ((await answers) as [Answered[]])[0];
}

/** The longest turn while the request is answered alone, and many times at once; and the statuses of the answers. */
async function heldUp(sent: Sent, times = 20): Promise<{ alone: number; together: number; answers: Answered[] }> {
  // The first call of each kind compiles what it runs.
  await send(1, sent);
  const alone = await longestTurn(() => send(1, sent));
  let answers: Answered[] = [];
  const together = await longestTurn(async () => {
    answers = await send(times, sent);
  });
  return { alone, together, answers };
}

const keyed = (): Record<string, string> => ({ authorization: `Bearer ${posthorn.keys.live}` });
const repeated = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',');
const LARGE = 5 * 1024 * 1024 - 100;

/** The old mechanism: the elements of a batch were parsed and checked before they were counted, and all large bodies in one turn. */
describe('a publishing key holds nobody up', () => {
  test.each([
    [
      '1.7 million messages',
      `{"messages":[${repeated('{}', 1_700_000)}]}`,
      'messages',
      'must hold at most 100 messages',
    ],
    [
      '100 messages of 51 KB of empty arrays',
      `{"messages":[${repeated(`{"eventType":"a","payload":{"a":[${repeated('[]', 17_000)}]}}`, 100)}]}`,
      'body',
      'has more than 500000 objects and arrays',
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
    const { alone, together, answers } = await heldUp({ path: batch, body: Buffer.from(text), headers: keyed() });
    for (const { status, text: said } of answers) {
      expect([status, JSON.parse(said).error.details]).toEqual([400, { field, reason }]);
    }
    expect([alone, together].map((turn) => turn < most)).toEqual([true, true]);
  });

  test('with 5 valid batches of nearly 5 MiB', async () => {
    const payload = `{"points":[${repeated('[13.4,52.5]', 20_000)}]}`;
    const text = `{"messages":[${repeated(`{"eventType":"a","payload":${payload}}`, 20)}]}`;
    const { alone, together, answers } = await heldUp({ path: batch, body: Buffer.from(text), headers: keyed() }, 5);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect([alone, together].map((turn) => turn < most)).toEqual([true, true]);
  });
});

/** The old mechanism: the text of a whole page was built in one turn, and several of them when many callers read. */
describe('a reader of large pages holds nobody up', () => {
  const PAYLOAD = `'{"a":"' || repeat('я', 130000) || '"}'`;
  /** A channel with 100 messages of 254 KiB, published or waiting. */
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
    const { alone, together, answers } = await heldUp({ method: 'GET', path, headers: keyed(), isLarge: true });
    for (const { status, length } of answers) expect([status, length > 4_000_000]).toEqual([200, true]);
    expect([alone, together].map((turn) => turn < most / 2)).toEqual([true, true]);
  });

  test('who gets all of it, and its length before', async () => {
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

const bodyOf = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const SMALL = 16 * 1024 - 100;
const CONTROL = 256 * 1024 - 100;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const signIn = { path: '/v1/sign-in', headers: { origin: 'http://localhost:3000' } };
const header = (name: string, value: string): Sent => ({
  method: 'GET',
  path: '/v1/channels',
  headers: { [name]: value },
});
const LONG_HEADER = 15_000;

/** Each route that runs before its caller has proved anything, with the costliest body or header of the allowed size. */
describe('a caller who has proved nothing holds nobody up', () => {
  test.each<[string, Sent]>([
    [
      'a form of a token with 8,000 fields',
      { path: '/oauth/token', headers: FORM, body: bodyOf('a&'.repeat(SMALL / 2)) },
    ],
    [
      'a form of a token of escapes',
      { path: '/oauth/token', headers: FORM, body: bodyOf(`a=${'%41'.repeat(SMALL / 3 - 1)}`) },
    ],
    [
      'a token request of empty objects',
      { path: '/oauth/token', body: bodyOf(`{"a":[${repeated('{}', SMALL / 3 - 3)}]}`) },
    ],
    [
      'a token request of scopes',
      {
        path: '/oauth/token',
        headers: FORM,
        body: bodyOf(`grant_type=client_credentials&scope=${'a+'.repeat(SMALL / 2 - 30)}`),
      },
    ],
    [
      'a token request with an assertion of dots',
      {
        path: '/oauth/token',
        headers: FORM,
        body: bodyOf(`grant_type=client_credentials&client_assertion=${'.'.repeat(SMALL - 60)}`),
      },
    ],
    ['a large body at sign-in', { ...signIn, body: bodyOf(`{"a":[${repeated('{}', CONTROL / 3 - 3)}]}`) }],
    [
      'an email address of dots',
      { ...signIn, body: bodyOf({ email: `${'a.'.repeat(7_000)}@${'a.'.repeat(500)}`, password: 'x' }) },
    ],
    [
      'a password of combining characters',
      { ...signIn, body: bodyOf({ email: 'a@example.com', password: '\u0315\u0300'.repeat(3_900) }) },
    ],
    ['passwords to compare', { ...signIn, body: bodyOf({ email: 'a@example.com', password: 'p'.repeat(128) }) }],
    [
      'unknown fields at sign-in',
      { ...signIn, body: bodyOf(Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`emai${n}`, 1]))) },
    ],
    [
      'a passkey of long texts',
      {
        ...signIn,
        path: '/v1/sign-in/passkey',
        body: bodyOf({
          passkey: {
            id: 'A'.repeat(4_000),
            clientDataJson: 'A'.repeat(4_000),
            authenticatorData: 'A'.repeat(4_000),
            signature: 'A'.repeat(3_000),
          },
        }),
      },
    ],
    [
      'a second factor',
      { ...signIn, path: '/v1/sign-in/second-factor', body: bodyOf({ recoveryCode: '-'.repeat(SMALL - 100) }) },
    ],
    [
      'setup',
      {
        ...signIn,
        path: '/v1/setup',
        body: bodyOf({ code: '-'.repeat(3_000), email: 'a', name: ' '.repeat(6_000), password: 'a'.repeat(4_000) }),
      },
    ],
    [
      'a password reset',
      {
        ...signIn,
        path: '/v1/password-reset',
        body: bodyOf({ code: 'c'.repeat(1_000), password: '\u0315\u0300'.repeat(3_500) }),
      },
    ],
    [
      'a look at an invitation',
      { ...signIn, path: '/v1/invitations/look', body: bodyOf({ code: `${' '.repeat(SMALL - 100)}x` }) },
    ],
    [
      'an invitation',
      {
        ...signIn,
        path: '/v1/invitations/accept',
        body: bodyOf({ code: 'c', name: '\u202e'.repeat(2_000), password: 'a' }),
      },
    ],
    [
      'single sign-on',
      { ...signIn, path: '/v1/sign-in/single-sign-on', body: bodyOf(`{"a":${'['.repeat(60)}${']'.repeat(60)}}`) },
    ],
    [
      'a callback of single sign-on',
      { method: 'GET', path: `/v1/sign-in/single-sign-on/callback?state=${'%41'.repeat(4_900)}` },
    ],
    ['a callback of a connection', { method: 'GET', path: `/oauth/connections/callback?${'a&'.repeat(7_000)}` }],
    ['an inspector', { path: `/inspect/ins_${'0'.repeat(26)}`, body: bodyOf('{}'.repeat(CONTROL / 2)) }],
    ['a cookie of names', header('cookie', 'a=;'.repeat(LONG_HEADER / 3))],
    ['a cookie of blanks', header('cookie', `a=${' '.repeat(LONG_HEADER)}b`)],
    ['an Authorization of blanks', header('authorization', `Bearer${' '.repeat(LONG_HEADER)}x`)],
    ['a long API key', header('authorization', `Bearer pk_${'a'.repeat(LONG_HEADER)}`)],
    ['Basic credentials', header('authorization', `Basic ${'QTo='.repeat(LONG_HEADER / 4)}`)],
    ['a DPoP proof of dots', header('dpop', '.'.repeat(LONG_HEADER))],
    [
      'a DPoP token and proof',
      {
        method: 'GET',
        path: '/v1/channels',
        headers: { authorization: `DPoP ${'e.'.repeat(2_000)}`, dpop: `${'e'.repeat(4_000)}.e.e` },
      },
    ],
    ['a tracestate of blanks', header('tracestate', `a${' '.repeat(LONG_HEADER)}b`)],
    ['a Forwarded-For of commas', header('x-forwarded-for', ','.repeat(LONG_HEADER))],
    ['an Origin of dots', header('origin', `http://${'a.'.repeat(LONG_HEADER / 2)}`)],
    [
      'a media type of parameters',
      {
        path: '/v1/sign-in',
        body: bodyOf('{}'),
        headers: { 'content-type': `application/json${';charset=utf-8'.repeat(1_000)}` },
      },
    ],
    ['an Accept of types', header('accept', 'a/b;q=0.1,'.repeat(LONG_HEADER / 10))],
    [
      'an If-None-Match of tags',
      { method: 'GET', path: '/openapi.json', headers: { 'if-none-match': 'W/"a",'.repeat(LONG_HEADER / 6) } },
    ],
    [
      'an Idempotency-Key',
      { path: '/v1/channels', body: bodyOf('{}'), headers: { 'idempotency-key': 'a'.repeat(LONG_HEADER) } },
    ],
    ['a path of slashes', { method: 'GET', path: '/'.repeat(LONG_HEADER) }],
    ['a path of escapes', { method: 'GET', path: `/v1/channels/${'%2f'.repeat(4_900)}` }],
    ['a path of the dashboard', { method: 'GET', path: `/dashboard/${'../'.repeat(4_900)}` }],
    [
      'a query of 7,000 parameters',
      {
        method: 'GET',
        path: `/v1/channels?${Array.from({ length: 2_500 }, (_, n) => `${n.toString(36)}=`).join('&')}`,
      },
    ],
    ['the document of the API', { method: 'GET', path: '/openapi.json' }],
  ])('with %s', async (_, sent) => {
    const { alone, together, answers } = await heldUp(sent);
    for (const { status } of answers)
      expect([200, 302, 303, 304, 400, 401, 403, 404, 409, 413, 415, 429, 431, 503]).toContain(status);
    expect([alone, together].map((turn) => turn < most)).toEqual([true, true]);
  });
});

/** All that comes back on a connection of its own until it ends. */
async function exchanged(sent: string): Promise<string> {
  const { hostname, port } = new URL(posthorn.url);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => (said += text));
  // The service may close it while it is written to.
  socket.on('error', () => undefined);
  socket.write(sent);
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}
const requestOf = (close = ''): string => `GET /healthz HTTP/1.1\r\nHost: a\r\n${close}\r\n`;
const answersIn = (said: string): number => said.split('HTTP/1.1 200').length - 1;

/** Old: Node dispatched all requests of a read in one turn of the event loop, as many as 64 KiB hold. */
describe('requests that do not wait for the responses to those before them', () => {
  test('are answered, up to 16 at a time', async () => {
    expect(answersIn(await exchanged(requestOf().repeat(15) + requestOf('Connection: close\r\n')))).toBe(16);
  });

  test('end their connection beyond that', async () => {
    let said = '';
    const turn = await longestTurn(async () => {
      [said = ''] = await Promise.all(Array.from({ length: 20 }, () => exchanged(requestOf().repeat(2_200))));
    });
    expect(answersIn(said)).toBeLessThanOrEqual(16);
    expect(turn).toBeLessThan(most);
  });
});

/** Old: each piece of a body was kept until its end, a buffer of some hundred bytes for each byte. */
describe('a body in pieces of one byte', () => {
  const inPieces = (pieces: number): string =>
    `POST /v1/sign-in HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(pieces)}0\r\n\r\n`;

  test('is read', async () => {
    expect(await exchanged(inPieces(10_000))).toMatch(/^HTTP\/1.1 400 /);
  });

  test('ends its connection beyond 65,536 of them', async () => {
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'Chunked' });
    const webhook = await posthorn.request<{ id: string }>('POST', '/v1/webhooks', {
      name: 'In',
      channelId: body.id,
      provider: 'github',
      secrets: ['a secret of GitHub'],
    });
    const large = inPieces(1_000_000).replace('/v1/sign-in', `/v1/webhooks/${webhook.body.id}`);
    expect(await exchanged(large)).toBe('');
  });
});
