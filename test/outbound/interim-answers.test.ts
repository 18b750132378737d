import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { createOutbound, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';

/**
 * Interim answers (RFC 9110 §15.2). Old mechanism: undici ends the connection at a 100 that was not asked for, so a receiver
 * that sends one was tried maxRetries + 1 times and never delivered to.
 */
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n';

const { startReceiver, createSender, end } = createOutbound();
afterEach(end);

const delivered = { isDelivered: true, response: { status: 200, body: 'ok' } };

test.each<[string, string]>([
  ['a 100', CONTINUE],
  ['a 100 with headers', 'HTTP/1.1 100 Continue\r\nserver: x\r\nx-status: HTTP/1.1 100\r\n\r\n'],
  ['a 100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['three of them', CONTINUE.repeat(3)],
  ['an empty line and a 100', `\r\n${CONTINUE}`],
  ['a 102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['a 103', HINTS],
  ['a 100, a 103 and a 100', CONTINUE + HINTS + CONTINUE],
  ['as many as are read', CONTINUE.repeat(100)],
])('%s before a 200 is read over', async (_what, interim) => {
  const receiver = await startReceiver(startAnswering(interim + OK_ANSWER));
  const sender = createSender();
  // Twice, on one connection: each request waits for a head of its own.
  expect(await sender.post(webhookRequest(receiver.url))).toMatchObject(delivered);
  expect(await sender.post(webhookRequest(receiver.url))).toMatchObject(delivered);
  expect(receiver.connections).toBe(1);
});

test('a 100 that comes byte by byte is read over', async () => {
  const dribble = async (socket: Socket): Promise<void> => {
    for (const letter of CONTINUE + HINTS + CONTINUE + OK_ANSWER) {
      socket.write(letter);
      await turn();
    }
  };
  const receiver = await startReceiver(startRawReceiver({ onRequest: (socket) => void dribble(socket) }));
  expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject(delivered);
});

test('a 100 over TLS is read over', async () => {
  const trusted = makeCertificate(['hooks.example.com']);
  const receiver = await startReceiver(
    startRawReceiver(
      { onRequest: (socket) => socket.write(CONTINUE + OK_ANSWER) },
      createTlsServer(trusted),
      'secureConnection',
    ),
  );
  const guard = createAddressGuard({
    allowCidrs: ['127.0.0.0/8'],
    allowHttp: false,
    own: createOwnAddresses([]),
    resolve: async () => ['127.0.0.1'],
    trustedCertificates: [trusted.cert],
  });
  const url = `https://hooks.example.com:${receiver.port}/hook`;
  expect(await createSender({ guard }).post(webhookRequest(url))).toMatchObject(delivered);
});

describe('bytes that look like a 100 and are none stay as they are', () => {
  test.each<[string, string]>([
    ['in the body of a 200', CONTINUE],
    ['in the body of a 200 after a 100', `${CONTINUE}HTTP/1.1 100 Continue`],
  ])('%s', async (what, body) => {
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const receiver = await startReceiver(startAnswering(what.endsWith('100') ? CONTINUE + answer : answer));
    expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject({
      isDelivered: true,
      response: { status: 200, body },
    });
  });

  test('in a body that comes in a packet of its own', async () => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${CONTINUE.length}\r\n\r\n`;
    const receiver = await startReceiver(
      startRawReceiver({
        onRequest: (socket) => socket.write(head, () => setTimeout(() => socket.write(CONTINUE), 50)),
      }),
    );
    const result = await createSender().post(webhookRequest(receiver.url));
    expect(result.response?.body).toBe(CONTINUE);
  });
});

test('a failure after a 100 is the failure', async () => {
  const failing = 'HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n';
  const receiver = await startReceiver(startAnswering(CONTINUE + failing));
  expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject({
    isDelivered: false,
    response: { status: 503 },
    error: { class: 'status', message: 'answered 503' },
    retryAfterMs: 7_000,
  });
});

test('a connection that ends after a 100 is a connect failure, and the request is not written again', async () => {
  const receiver = await startReceiver(startRawReceiver({ onRequest: (socket) => socket.end(CONTINUE) }));
  expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject({
    isDelivered: false,
    error: { class: 'connect' },
  });
  expect(receiver.connections).toBe(1);
});
