import type { Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { createWebhookSender, type SendResult } from '../../src/outbound/post-webhook.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { type RawReceiver, startRawReceiver } from '../support/world/raw-receiver.ts';

/** Certificates that must be refused, on real handshakes. */
const trusted = makeCertificate(['localhost', '127.0.0.1']);
const otherHost = makeCertificate(['other.example']);
const expired = makeCertificate(['127.0.0.1'], {
  notBefore: new Date('2020-01-01T00:00:00Z'),
  notAfter: new Date('2020-02-01T00:00:00Z'),
});
const rules = {
  own: createOwnAddresses([]),
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  allowHttp: true,
  trustedCertificates: [trusted.cert, otherHost.cert, expired.cert],
};
const TIMEOUT_MS = 30_000;
// Handshakes have a time that no stall of the machine reaches, but for the one that is to be given up.
const senderWith = (connectTimeoutMs: number) =>
  createWebhookSender({ guard: createAddressGuard({ ...rules, connectTimeoutMs }), version: '0.0.0' });
const [sender, impatient] = [senderWith(TIMEOUT_MS), senderWith(500)];
const receivers: RawReceiver[] = [];

const kept = async (starting: Promise<RawReceiver>): Promise<RawReceiver> => {
  const receiver = await starting;
  receivers.push(receiver);
  return receiver;
};
const post = (url: string, by = sender): Promise<SendResult> =>
  by.post({ url, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}'), timeoutMs: TIMEOUT_MS });

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(() => Promise.all([sender.close(), impatient.close()]));

const ok = 'HTTP/1.1 200 OK\r\n';
const listen = async (options: TlsOptions, answer = `${ok}content-length: 2\r\n\r\nhi`): Promise<RawReceiver> => {
  const onRequest = (socket: Socket): boolean => socket.write(answer);
  return kept(startRawReceiver({ onRequest }, createTlsServer(options), 'secureConnection'));
};
const urlOf = ({ port }: RawReceiver, host = '127.0.0.1'): string => `https://${host}:${port}/hook`;

test('a trusted certificate is accepted, for an address and for a name', async () => {
  const receiver = await listen(trusted);
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await post(urlOf(receiver, host))).toMatchObject({ isDelivered: true, response: { body: 'hi' } });
  }
});

test.each<[string, TlsOptions, string]>([
  ['self-signed', makeCertificate(['127.0.0.1']), 'the TLS certificate is self-signed'],
  ['for another host', otherHost, 'the TLS certificate is for another host name'],
  ['expired', expired, 'the TLS certificate has expired'],
  [
    'good, but TLS 1.1 is all it speaks',
    { ...trusted, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
    'the receiver does not speak TLS 1.2 or later',
  ],
  [
    'good, but HTTP/2 is all it speaks',
    { ...trusted, ALPNProtocols: ['h2'] },
    'the receiver does not offer HTTP/1.1 over TLS, such as one with HTTP/2 alone',
  ],
  [
    'good, but a client certificate is demanded by TLS 1.2',
    { ...trusted, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    'the receiver refused the TLS handshake: it demands a client certificate, which the service does not send, or has no cipher in common',
  ],
  [
    'good, but a client certificate is demanded by TLS 1.3',
    { ...trusted, requestCert: true, rejectUnauthorized: true },
    'the receiver demands a client certificate, which the service does not send',
  ],
])('a certificate that is %s fails, and no request is sent', async (_what, options, message) => {
  const receiver = await listen(options);
  expect(await post(urlOf(receiver))).toMatchObject({ isDelivered: false, error: { class: 'tls', message } });
  expect(receiver.received.join('')).toBe('');
});

const NO_TLS = 'the receiver does not speak TLS at this port, such as one for plain http';

test.each<[string, (socket: Socket) => void, string]>([
  ['speaks plain HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), NO_TLS],
  ['speaks plain HTTP and closes', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), NO_TLS],
  ['closes within the handshake', (socket) => socket.end(), 'the TLS handshake failed'],
  ['resets within the handshake', (socket) => socket.resetAndDestroy(), 'the TLS handshake failed'],
])('a port that %s is a tls failure', async (_what, react, message) => {
  const receiver = await kept(startRawReceiver({ onConnection: (socket) => socket.once('data', () => react(socket)) }));
  expect(await post(urlOf(receiver))).toMatchObject({
    isDelivered: false,
    error: { class: 'tls', message },
  });
});

test('a handshake that does not end is given up after the time for connecting', async () => {
  const result = await post(urlOf(await kept(startRawReceiver({}))), impatient);
  expect(result.error).toEqual({ class: 'tls', message: 'the TLS handshake was not complete within 500 ms' });
  expect(result.durationMs).toBeLessThan(TIMEOUT_MS);
});

test('plain HTTP on a TLS port is answered with nothing that is HTTP', async () => {
  const receiver = await listen(trusted);
  expect(await post(receiver.url)).toMatchObject({ isDelivered: false, error: { class: 'connect' } });
});
