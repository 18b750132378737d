import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { buildConnector } from 'undici';
import { createFetchText } from '../../src/outbound/fetch-text.ts';
import { type AddressGuard, createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { createRequestSender } from '../../src/outbound/send-request.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { makeCertificate, type TestCertificate } from '../support/world/certificate.ts';
import { createOutbound, loopbackGuard, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { flood, type RawReceiver, startRawReceiver } from '../support/world/raw-receiver.ts';

/**
 * Bytes of a response that the parser reads and gives to nobody. Before the bound, 20 receivers that flooded them kept half a processor
 * busy until the deadline of each attempt.
 */
const { startReceiver, createSender, end } = createOutbound();
afterEach(end);

const KIB_64 = 65_536;
/** Headers, body and everything else have 64 KiB each, and the read that goes beyond may have as much. */
const MOST_BYTES = 4 * KIB_64;

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';
const TOO_LONG = { class: 'protocol', message: 'the response has more bytes than its headers and body may have' };

/** Sends `head` at a request, and then `more` without end. */
const flooding = (head: string, more: string): Promise<RawReceiver> =>
  startRawReceiver({
    onRequest(socket) {
      socket.write(head);
      flood(socket, more);
    },
  });

/** The guard, and all bytes that were read from the sockets that it has opened. */
function counting(guard: AddressGuard = loopbackGuard): { guard: AddressGuard; bytesRead(): number } {
  const sockets: Socket[] = [];
  const counted: buildConnector.connector = (target, callback) =>
    guard.connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      sockets.push(socket);
      return callback(null, socket);
    });
  return {
    guard: { ...guard, connect: counted },
    bytesRead: () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0),
  };
}

describe('before its headers are complete, an attempt fails at a flood of', () => {
  test.each<[string, string, string]>([
    ['empty lines', '', '\r\n'.repeat(512)],
    ['a reason phrase', 'HTTP/1.1 200 ', 'a'.repeat(1_024)],
    ['spaces before a value', `${OK}x-a:`, ' '.repeat(1_024)],
    ['an interim response', 'HTTP/1.1 103 ', 'a'.repeat(1_024)],
  ])('%s', async (_what, head, more) => {
    const receiver = await startReceiver(flooding(head, more));
    const { guard, bytesRead } = counting();
    const result = await createSender({ guard }).post(webhookRequest(receiver.url));
    expect(result).toMatchObject({ isDelivered: false, error: TOO_LONG });
    expect(result.response).toBeUndefined();
    expect(bytesRead()).toBeLessThanOrEqual(MOST_BYTES);
    await waitFor('the connection to be closed', () => receiver.open() === 0);
    expect(receiver.connections).toBe(1);
  });
});

describe('once its headers are complete, the status of a response decides, and its connection ends at a flood of', () => {
  const floods: [string, string, string, string][] = [
    ['chunk extensions', '1\r\nx\r\n1;a=', 'a'.repeat(1_024), 'x'],
    ['extensions of many chunks', '', `1;a=${'a'.repeat(1_024)}\r\nx\r\n`, 'x'],
    ['zeros before the length of a chunk', '1\r\nx\r\n', '0'.repeat(1_024), 'x'],
    ['spaces in a trailer', '1\r\nx\r\n0\r\nx-a:', ' '.repeat(1_024), 'x'],
    ['trailers', '1\r\nx\r\n0\r\n', 'x-a: b\r\n'.repeat(128), 'x'],
  ];
  test.each(floods)('%s', async (_what, head, more, body) => {
    for (const status of [200, 500]) {
      const receiver = await startReceiver(flooding(`HTTP/1.1 ${status} X\r\n${CHUNKED}${head}`, more));
      const { guard, bytesRead } = counting();
      expect(await createSender({ guard }).post(webhookRequest(receiver.url))).toMatchObject({
        isDelivered: status === 200,
        response: { status, body: expect.stringMatching(new RegExp(`^${body}+$`)) },
        ...(status === 500 && { error: { class: 'status', message: 'answered 500' } }),
      });
      expect(bytesRead()).toBeLessThanOrEqual(MOST_BYTES);
      await waitFor('the connection to be closed', () => receiver.open() === 0);
    }
  });
});

test('bytes that come one by one end the attempt long before they are too many', async () => {
  const drip = (socket: Socket): void => {
    if (!socket.destroyed) socket.write('a', () => setImmediate(drip, socket));
  };
  const receiver = await startReceiver(
    startRawReceiver({
      onRequest(socket) {
        socket.setNoDelay(true);
        socket.write(`${OK}${CHUNKED}1;a=`);
        drip(socket);
      },
    }),
  );
  const { guard, bytesRead } = counting();
  expect(await createSender({ guard }).post(webhookRequest(receiver.url))).toMatchObject({ isDelivered: true });
  expect(bytesRead()).toBeLessThan(KIB_64);
});

test('a connection that is flooded after the response is closed, and the next request has another one', async () => {
  const receiver = await startReceiver(flooding(OK_ANSWER, '\r\n'.repeat(512)));
  const { guard, bytesRead } = counting();
  const sender = createSender({ guard });
  expect(await sender.post(webhookRequest(receiver.url))).toMatchObject({ isDelivered: true });
  await waitFor('the connection to be closed', () => receiver.open() === 0);
  expect(bytesRead()).toBeLessThanOrEqual(MOST_BYTES);
  expect(await sender.post(webhookRequest(receiver.url))).toMatchObject({ isDelivered: true });
  expect(receiver.connections).toBe(2);
});

test('each request has the whole bound, on a kept connection too', async () => {
  const body = 'x'.repeat(KIB_64);
  const receiver = await startReceiver(
    startRawReceiver({ onRequest: (socket) => socket.write(`${OK}content-length: ${KIB_64}\r\n\r\n${body}`) }),
  );
  const sender = createSender();
  for (let round = 0; round < 5; round += 1)
    expect(await sender.post(webhookRequest(receiver.url))).toMatchObject({ isDelivered: true });
  expect(receiver.connections).toBe(1);
});

test('the response of a workflow step has the bound of its own body', async () => {
  const body = 'x'.repeat(4 * KIB_64);
  const receiver = await startReceiver(
    startRawReceiver({
      onRequest(socket, request) {
        if (request.startsWith('GET /flood')) {
          socket.write(`${OK}${CHUNKED}1\r\nx\r\n1;a=`);
          flood(socket, 'a'.repeat(1_024));
        } else socket.write(`${OK}content-length: ${body.length}\r\n\r\n${body}`);
      },
    }),
  );
  const { guard, bytesRead } = counting();
  const sender = createRequestSender({ guard, version: '0.0.0', clock: () => new Date() });
  try {
    const get = (path: string) =>
      sender.send({
        method: 'GET',
        url: `http://127.0.0.1:${receiver.port}${path}`,
        headers: {},
        timeoutMs: 30_000,
        maxBytes: body.length,
      });
    expect(await get('/')).toMatchObject({ status: 200, body, isCut: false, isBroken: false });
    const before = bytesRead();
    expect(await get('/flood')).toMatchObject({ status: 200, body: 'x', isCut: false, isBroken: true });
    expect(bytesRead() - before).toBeLessThanOrEqual(body.length + 3 * KIB_64);
  } finally {
    await sender.close();
  }
});

describe('over TLS', () => {
  const startTls = (certificate: TestCertificate, head: string, more: string): Promise<RawReceiver> =>
    startRawReceiver(
      {
        onRequest(socket) {
          socket.write(head);
          flood(socket, more);
        },
      },
      createTlsServer(certificate),
      'secureConnection',
    );
  const guardFor = ({ cert }: TestCertificate): AddressGuard =>
    createAddressGuard({
      allowCidrs: ['127.0.0.0/8'],
      allowHttp: false,
      own: createOwnAddresses([]),
      resolve: async () => ['127.0.0.1'],
      trustedCertificates: [cert],
    });

  test('an attempt fails at a flood, too', async () => {
    const certificate = makeCertificate(['hooks.example.com']);
    const receiver = await startReceiver(startTls(certificate, `${OK}x-a:`, ' '.repeat(16_000)));
    const { guard, bytesRead } = counting(guardFor(certificate));
    const url = `https://hooks.example.com:${receiver.port}/hook`;
    expect(await createSender({ guard }).post(webhookRequest(url))).toMatchObject({
      isDelivered: false,
      error: TOO_LONG,
    });
    expect(bytesRead()).toBeLessThanOrEqual(MOST_BYTES);
  });

  test('a text that is fetched fails at a flood', async () => {
    const certificate = makeCertificate(['hooks.example.com']);
    const receiver = await startReceiver(startTls(certificate, `${OK}${CHUNKED}1;a=`, 'a'.repeat(16_000)));
    const { guard, bytesRead } = counting(guardFor(certificate));
    const fetchText = createFetchText({ guard, version: '0.0.0' });
    await expect(fetchText(`https://hooks.example.com:${receiver.port}/cert`)).rejects.toThrow(TOO_LONG.message);
    expect(bytesRead()).toBeLessThanOrEqual(MOST_BYTES);
  });
});
