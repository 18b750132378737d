import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startDeadline } from '../../src/outbound/exchange/deadline.ts';
import { createConnectionPool } from '../../src/outbound/exchange/connections.ts';
import { createWebhookSender } from '../../src/outbound/post-webhook.ts';
import { createOutbound, loopbackGuard, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { type RawReceiver, startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

const { startReceiver, createSender, end } = createOutbound();
afterEach(end);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A receiver whose answers wait until the test lets them go. */
async function startHolding(): Promise<{ receiver: RawReceiver; held: Socket[]; answerAll(): void }> {
  const held: Socket[] = [];
  const receiver = await startReceiver(startRawReceiver({ onRequest: (socket) => held.push(socket) }));
  return { receiver, held, answerAll: () => held.splice(0).forEach((socket) => socket.write(OK_ANSWER)) };
}

describe('connections', () => {
  test('are kept and used again, one after the other', async () => {
    const receiver = await startReceiver();
    const sender = createSender();
    for (let count = 0; count < 5; count += 1) await sender.post(webhookRequest(receiver.url));
    expect(receiver.connections).toBe(1);
  });

  test('are all kept, however many a burst has opened', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const sender = createSender();
    for (let round = 0; round < 2; round += 1) {
      const posts = Array.from({ length: 120 }, () => sender.post(webhookRequest(receiver.url)));
      await waitFor('all to be there', () => held.length === 120);
      answerAll();
      await Promise.all(posts);
    }
    expect(receiver.connections).toBe(120);
  });

  test('are closed when idle, although the receiver offers a minute', async () => {
    const receiver = await startReceiver(
      startAnswering(OK_ANSWER.replace('content-', 'keep-alive: timeout=60\r\ncontent-')),
    );
    const startedAt = performance.now();
    await createSender().post(webhookRequest(receiver.url));
    // Before the minute is over, and not at once.
    await waitFor('the idle connection to be closed', () => receiver.open() === 0);
    expect(performance.now() - startedAt).toBeGreaterThan(3_000);
  });

  test('that a receiver has closed meanwhile are replaced', async () => {
    const receiver = await startReceiver(startRawReceiver({ onRequest: (socket) => socket.end(OK_ANSWER) }));
    const sender = createSender();
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.post(webhookRequest(receiver.url))).toMatchObject({ isDelivered: true });
      // The sender has seen it closed and closed its own side.
      await waitFor('the connection to be closed', () => receiver.open() === 0);
    }
    expect(receiver.connections).toBe(3);
  });

  test('are not used again after an answer was cut', async () => {
    const long = `HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n${'x'.repeat(100_000)}`;
    const receiver = await startReceiver(startAnswering(long));
    const sender = createSender();
    await sender.post(webhookRequest(receiver.url));
    await sender.post(webhookRequest(receiver.url));
    expect(receiver.connections).toBe(2);
    await waitFor('both to be closed', () => receiver.open() === 0);
  });

  test('to one origin are at most as many as allowed; the others wait, first come first served', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const sender = createSender({ connectionsPerGroup: 3 });
    const order: number[] = [];
    const posts = Array.from({ length: 8 }, async (_, index) => {
      const result = await sender.post(webhookRequest(receiver.url));
      order.push(index);
      return result;
    });
    for (const count of [3, 3, 2]) {
      await waitFor('as many requests as may be', () => held.length === count);
      answerAll();
    }
    expect((await Promise.all(posts)).every(({ isDelivered }) => isDelivered)).toBe(true);
    expect(receiver.connections).toBe(3);
    expect(new Set(order.slice(6))).toEqual(new Set([6, 7]));
  });

  test('that are all in use do not hold up another origin', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const healthy = await startReceiver();
    const sender = createSender({ connectionsPerGroup: 1 });
    const stuck = [sender.post(webhookRequest(receiver.url)), sender.post(webhookRequest(receiver.url))];
    // The first two are answered after this one.
    expect(await sender.post(webhookRequest(healthy.url))).toMatchObject({ isDelivered: true });
    for (let turn = 0; turn < 2; turn += 1) {
      await waitFor('a request', () => held.length === 1);
      answerAll();
    }
    expect(await Promise.all(stuck)).toMatchObject([{ isDelivered: true }, { isDelivered: true }]);
  });

  test('that one group has all in use do not hold up another group at the same origin', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const sender = createSender({ connectionsPerGroup: 1 });
    const stuck = [1, 2, 3].map(() => sender.post({ ...webhookRequest(receiver.url), group: 'slow' }));
    const other = sender.post({ ...webhookRequest(receiver.url), group: 'quick' });
    // One of each group is there; two of the slow one wait for their own.
    await waitFor('one of each group', () => held.length === 2);
    expect(receiver.connections).toBe(2);
    answerAll();
    expect(await other).toMatchObject({ isDelivered: true });
    for (let turn = 0; turn < 2; turn += 1) {
      await waitFor('the next one', () => held.length === 1);
      answerAll();
    }
    expect((await Promise.all(stuck)).every(({ isDelivered }) => isDelivered)).toBe(true);
  });

  test('the deadline covers the wait for one, and such a request is never sent', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const sender = createSender({ connectionsPerGroup: 1 });
    const first = sender.post(webhookRequest(receiver.url));
    await waitFor('the first request', () => held.length === 1);
    const second = await sender.post(webhookRequest(receiver.url, { timeoutMs: 100 }));
    expect(second).toMatchObject({
      isDelivered: false,
      error: { class: 'timeout', message: 'no connection to the receiver was free within 100 ms' },
    });
    answerAll();
    expect(await first).toMatchObject({ isDelivered: true });
    await pause(50);
    expect(receiver.received.join('').match(/POST/g)).toHaveLength(1);
    expect(receiver.connections).toBe(1);
  });

  test('after a timeout leave their place to the next request', async () => {
    const { receiver } = await startHolding();
    const sender = createSender({ connectionsPerGroup: 1 });
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.post(webhookRequest(receiver.url, { timeoutMs: 1_000 }))).toMatchObject({
        error: { class: 'timeout' },
      });
    }
    await waitFor('all to be closed', () => receiver.open() === 0);
    // One each: no connection is opened for a request that has been given up.
    expect(receiver.connections).toBe(3);
  });

  test('to the origins used least recently are closed beyond the bound', async () => {
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    const sender = createSender({ maxOrigins: 2 });
    for (const { url } of receivers) await sender.post(webhookRequest(url));
    await waitFor('the first one to be closed', () => receivers[0]?.open() === 0);
    expect(receivers.map((receiver) => receiver.open())).toEqual([0, 1, 1]);
  });

  test('that are idle give way to new ones beyond the bound', async () => {
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    const sender = createSender({ maxConnections: 2 });
    for (const { url } of receivers) await sender.post(webhookRequest(url));
    await waitFor('the first one to be closed', () => receivers[0]?.open() === 0);
    expect(receivers.map((receiver) => receiver.open())).toEqual([0, 1, 1]);
    // Closed ones do not count: the two that are kept are used again.
    for (const { url } of receivers.slice(1)) await sender.post(webhookRequest(url));
    expect(receivers.map((receiver) => receiver.connections)).toEqual([1, 1, 1]);
  });

  test('in use are never closed for another origin', async () => {
    const connections = createConnectionPool({
      connect: loopbackGuard.connect,
      perGroup: 1,
      maxOrigins: 1,
      maxConnections: 1,
    });
    const deadline = startDeadline(60_000);
    const one = await connections.acquire('http://127.0.0.1:3001', '', deadline);
    const two = await connections.acquire('http://127.0.0.1:3002', '', deadline);
    expect(connections.origins).toBe(2);
    expect(one.client.closed).toBe(false);
    one.release();
    one.release();
    expect(connections.origins).toBe(1);
    two.release();
    await connections.close();
    deadline.stop();
    expect(connections.origins).toBe(0);
  });
});

describe('close', () => {
  test('waits for what is under way and for what waits, and then refuses', async () => {
    const { receiver, held, answerAll } = await startHolding();
    const sender = createWebhookSender({ guard: loopbackGuard, version: '1.2.3', connectionsPerGroup: 1 });
    const posts = [sender.post(webhookRequest(receiver.url)), sender.post(webhookRequest(receiver.url))];
    await waitFor('the first request', () => held.length === 1);
    let isClosed = false;
    const closing = sender.close().then(() => {
      isClosed = true;
    });
    await expect(sender.post(webhookRequest(receiver.url))).rejects.toThrow('closed');
    answerAll();
    await waitFor('the second request', () => held.length === 1);
    expect(isClosed).toBe(false);
    answerAll();
    expect(await Promise.all(posts)).toMatchObject([{ isDelivered: true }, { isDelivered: true }]);
    await closing;
    await waitFor('the connection to be closed', () => receiver.open() === 0);
  });
});
