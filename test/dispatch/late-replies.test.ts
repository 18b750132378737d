import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

// Two scans for orphaned claims, each at least 5 s after the one before; on a starved machine most of a minute.
const SCANNED_WITHIN_MS = 120_000;
const SCANS = 3;

let posthorn: TestPosthorn;
let receiver: Receiver;
const held: ServerResponse[] = [];
const answerAll = (): void => {
  for (const response of held.splice(0)) response.writeHead(200).end();
};
beforeAll(async () => {
  // Everything goes through the drain, which reads a delivery that is not fresh before it sends.
  posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  receiver = await startReceiver({ answer: () => (response) => void held.push(response) });
});
afterAll(async () => {
  answerAll();
  await receiver.close();
  await posthorn.stop();
});

type Query = (asked: unknown, ...more: unknown[]) => Promise<unknown>;
const isNamed = (asked: unknown, name: string): boolean =>
  typeof asked === 'object' && asked !== null && 'name' in asked && asked.name === name;

// Old: the claims were released as orphaned, this process claimed and sent one of them, and sent it once more when the reply came.
test('a delivery whose publish is answered late by PostgreSQL is sent once', async () => {
  const { pool } = posthorn.deps;
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, timeoutMs: 30_000 });
  let scans = 0;
  let committed = false;
  let pass = (): void => {};
  const isPassed = new Promise<void>((resolve) => (pass = resolve));
  const query = pool.query.bind(pool) as unknown as Query;
  // `as`: one of the overloads of pg. The rows are committed while their reply is on its way.
  pool.query = (async (asked: unknown, ...more: unknown[]) => {
    const result = await query(asked, ...more);
    if (isNamed(asked, 'held_by') && committed) scans += 1;
    if (isNamed(asked, 'publish') && !committed) {
      committed = true;
      await isPassed;
    }
    return result;
  }) as unknown as typeof pool.query;

  const publishing = publish(posthorn, channelId);
  await waitFor(
    'scans for orphaned claims, or a request',
    () => scans >= SCANS || receiver.requests.length > 0,
    SCANNED_WITHIN_MS,
  );
  const early = receiver.requests.length;
  pass();
  const { id: messageId } = await publishing;
  await waitFor('the request', () => receiver.countOf(messageId) > 0);
  // A later message is queued after everything that the late reply has brought.
  const { id: later } = await publish(posthorn, channelId);
  await waitFor('the next request', () => receiver.countOf(later) > 0);
  answerAll();
  await waitForDelivery(posthorn, messageId, 'delivered');

  expect([early, receiver.countOf(messageId)]).toEqual([0, 1]);
});
