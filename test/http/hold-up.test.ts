import { once } from 'node:events';
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

type Sent = { method?: string; path: string; body?: Buffer; headers?: Record<string, string> };
type Answered = { status: number; text: string };

/** Sends requests from a thread of its own, so that the turns that are measured are the service's alone. */
const SENDER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ url, times, body, ...init }) => {
    const answers = await Promise.all(Array.from({ length: times }, async () => {
      const answer = await fetch(url, { ...init, redirect: 'manual', ...(body !== undefined && { body }) });
      return { status: answer.status, text: await answer.text() };
    }));
    parentPort.postMessage(answers);
  });`;
const sender = new Worker(SENDER, { eval: true });

async function send(times: number, { method = 'POST', path, body, headers }: Sent): Promise<Answered[]> {
  const answers = once(sender, 'message');
  sender.postMessage({
    url: posthorn.url + path,
    times,
    method,
    body,
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
