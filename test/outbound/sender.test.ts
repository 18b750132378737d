import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { buildConnector } from 'undici';
import { createAddressGuard } from '../../src/platform/outbound/guard/address-guard.ts';
import { createConnector } from '../../src/platform/outbound/guard/connector.ts';
import { createOwnAddresses, type OwnAddresses } from '../../src/platform/outbound/guard/own-addresses.ts';
import { createResolveHost, type ResolveHost, resolveWithin } from '../../src/platform/outbound/guard/resolve-host.ts';
import { createWebhookSender, type SendResult } from '../../src/platform/outbound/post-webhook.ts';
import { newSigningSecret, readSigningKey, signatureHeader } from '../../src/platform/outbound/sign.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { type NameAnswer, startNameServer } from '../support/world/name-server.ts';
import { createOutbound, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { type RawReceiver, startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';

describe('sender', () => {
  const { startReceiver, createSender, end } = createOutbound();
  afterEach(end);

  describe('the request', () => {
    test('is one HTTP/1.1 POST with the path, the query, the exact bytes and their length', async () => {
      const receiver = await startReceiver();
      const body = Buffer.from('{"é":"日本","n":12345678901234567890,"m":1.10}');
      const url = `${receiver.url}/a%20b?c=d&e#part`;
      expect(await createSender().post(webhookRequest(url, { body }))).toMatchObject({ isDelivered: true });
      const [head = '', sent = ''] = receiver.received[0]?.split('\r\n\r\n') ?? [];
      expect(head.split('\r\n').sort()).toEqual(
        [
          'POST /hook/a%20b?c=d&e HTTP/1.1',
          `host: 127.0.0.1:${receiver.port}`,
          'connection: keep-alive',
          'content-type: application/json',
          'user-agent: posthorn/1.2.3',
          'accept-encoding: identity',
          `content-length: ${body.length}`,
        ].sort(),
      );
      expect(Buffer.from(sent, 'latin1').equals(body)).toBe(true);
    });

    test('verifies with an independent library', async () => {
      const receiver = await startReceiver();
      const secret = newSigningSecret();
      const body = Buffer.from('{"data":{"é":1}}');
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': signatureHeader({ keys: [readSigningKey(secret)], id: 'msg_1', timestamp, body }),
      };
      await createSender().post(webhookRequest(receiver.url, { headers, body }));
      const [head = '', sent = ''] = Buffer.from(receiver.received[0] ?? '', 'latin1')
        .toString()
        .split('\r\n\r\n');
      const received = Object.fromEntries(
        head
          .split('\r\n')
          .slice(1)
          .map((line) => line.split(': ')),
      );
      expect(() => new Webhook(secret).verify(sent, received)).not.toThrow();
    });

    test('may be an empty body or one of 1 MiB', async () => {
      const receiver = await startReceiver();
      const sender = createSender();
      await sender.post(webhookRequest(receiver.url, { body: Buffer.alloc(0) }));
      await sender.post(webhookRequest(receiver.url, { body: Buffer.alloc(1_048_576, 'x') }));
      expect(receiver.received.join('')).toContain('content-length: 0\r\n\r\n');
      expect(receiver.received.join('')).toContain(`content-length: 1048576\r\n\r\n${'x'.repeat(1_048_576)}`);
    });

    test('keeps its own headers whatever the caller gives', async () => {
      const receiver = await startReceiver();
      const headers = {
        Host: 'evil.example',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
        Connection: 'close',
        'User-Agent': 'other',
        'Accept-Encoding': 'gzip',
        Expect: '100-continue',
        'x-kept': 'yes',
      };
      expect(await createSender().post(webhookRequest(receiver.url, { headers }))).toMatchObject({ isDelivered: true });
      expect(receiver.received[0]).toContain('x-kept: yes\r\n');
      expect(receiver.received[0]).not.toMatch(
        /evil|chunked|other|gzip|100-continue|connection: close|content-length: 1\r/i,
      );
    });

    test.each<[string, Record<string, string>]>([
      ['a line break', { 'x-a': 'b\r\nx-c: d' }],
      ['NUL', { 'x-a': 'b\0' }],
      ['a name that is none', { 'x a': 'b' }],
    ])('never holds %s in a header: such a request fails and nothing is sent', async (_what, headers) => {
      const receiver = await startReceiver();
      expect(await createSender().post(webhookRequest(receiver.url, { headers }))).toMatchObject({
        isDelivered: false,
        error: { class: 'protocol' },
      });
      expect(receiver.received.join('')).toBe('');
    });
  });

  describe('the report', () => {
    test('is the answer with its times', async () => {
      const answer = 'HTTP/1.1 201 Made\r\nX-Id: 7\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 4\r\n\r\n';
      const receiver = await startReceiver(
        startRawReceiver({
          onRequest(socket) {
            setTimeout(() => socket.write(answer), 100);
            setTimeout(() => socket.write('done'), 250);
          },
        }),
      );
      const before = Date.now();
      const result = await createSender().post(webhookRequest(receiver.url));
      expect(result).toEqual({
        startedAt: expect.any(Date),
        durationMs: expect.any(Number),
        isDelivered: true,
        response: {
          status: 201,
          headers: { 'x-id': '7', 'set-cookie': 'a=1, b=2', 'content-length': '4' },
          body: 'done',
          latencyMs: expect.any(Number),
        },
        answeredAfterMs: expect.any(Number),
      });
      expect(Math.abs(result.startedAt.getTime() - before)).toBeLessThan(1_000);
      const latencyMs = result.response?.latencyMs ?? 0;
      expect(latencyMs).toBeGreaterThanOrEqual(95);
      expect(latencyMs).toBeLessThan(result.durationMs);
      // Without the time that opening the connection took; latencyMs is a whole number.
      expect(result.answeredAfterMs).toBeGreaterThanOrEqual(95);
      expect(result.answeredAfterMs).toBeLessThanOrEqual(latencyMs + 1);
      expect(result.durationMs).toBeGreaterThanOrEqual(245);
      expect(Number.isInteger(latencyMs) && Number.isInteger(result.durationMs)).toBe(true);
    });

    // Regression: minus infinity for a body that breaks off. The adaptive limit learned nothing any more, and no limit was told.
    test.each(['connection: close\r\ncontent-length: 4', 'connection: close', 'content-length: 9'])(
      'has the time of the answer also where the receiver closes the connection behind it, or within it: %j',
      async (headers) => {
        const receiver = await startReceiver(
          startRawReceiver({
            onRequest: (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\ndone`),
          }),
        );
        const { response, answeredAfterMs } = await createSender().post(webhookRequest(receiver.url));
        expect([response?.body, Number.isFinite(answeredAfterMs)]).toEqual(['done', true]);
        expect(answeredAfterMs).toBeGreaterThanOrEqual(0);
      },
    );

    test.each<[number, string | undefined, number | undefined]>([
      [429, '7', 7_000],
      [503, '0', 0],
      [503, undefined, undefined],
      [503, 'soon', undefined],
      [500, '7', undefined],
      [302, '7', undefined],
      [200, '7', undefined],
    ])('says a wait for a %d with Retry-After %p: %p ms', async (status, retryAfter, expected) => {
      const header = retryAfter === undefined ? '' : `retry-after: ${retryAfter}\r\n`;
      const receiver = await startReceiver(
        startAnswering(`HTTP/1.1 ${status} x\r\n${header}content-length: 0\r\n\r\n`),
      );
      const result = await createSender().post(webhookRequest(receiver.url));
      expect(result.retryAfterMs).toBe(expected);
    });

    test('leaves out a 103 before the answer', async () => {
      const receiver = await startReceiver(
        startAnswering(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${OK_ANSWER}`),
      );
      expect(await createSender().post(webhookRequest(receiver.url))).toMatchObject({
        isDelivered: true,
        response: { status: 200 },
      });
    });
  });
});

describe('tls', () => {
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
      'the receiver does not support TLS 1.2 or later',
    ],
    [
      'good, but HTTP/2 is all it speaks',
      { ...trusted, ALPNProtocols: ['h2'] },
      'the receiver does not offer HTTP/1.1 over TLS; it may support only HTTP/2',
    ],
    [
      'good, but a client certificate is demanded by TLS 1.2',
      { ...trusted, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
      'the receiver rejected the TLS handshake: it requires a client certificate, which the service does not send, or has no cipher in common',
    ],
    [
      'good, but a client certificate is demanded by TLS 1.3',
      { ...trusted, requestCert: true, rejectUnauthorized: true },
      'the receiver requires a client certificate, which the service does not send',
    ],
  ])('a certificate that is %s fails, and no request is sent', async (_what, options, message) => {
    const receiver = await listen(options);
    expect(await post(urlOf(receiver))).toMatchObject({ isDelivered: false, error: { class: 'tls', message } });
    expect(receiver.received.join('')).toBe('');
  });

  const NO_TLS = 'the receiver does not use TLS on this port; it may be one for plain http';

  test.each<[string, (socket: Socket) => void, string]>([
    ['speaks plain HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), NO_TLS],
    ['speaks plain HTTP and closes', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), NO_TLS],
    ['closes within the handshake', (socket) => socket.end(), 'the TLS handshake failed'],
    ['resets within the handshake', (socket) => socket.resetAndDestroy(), 'the TLS handshake failed'],
  ])('a port that %s is a tls failure', async (_what, react, message) => {
    const receiver = await kept(
      startRawReceiver({ onConnection: (socket) => socket.once('data', () => react(socket)) }),
    );
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
});

describe('name lookups', () => {
  const cleanUp: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of cleanUp.splice(0)) await end();
  });

  const NAME = 'hooks.example.com';

  /** Asks a real name server for hooks.example.com, as production does. */
  async function resolveWith(answers: { A: NameAnswer; AAAA: NameAnswer }, limitMs = 4_900) {
    const { server, questions, stop } = await startNameServer((_name, type) => answers[type]);
    cleanUp.push(stop);
    const resolve = createResolveHost(() => true, { servers: [server] });
    return { questions, addresses: await resolveWithin(resolve, NAME, limitMs).catch((error: unknown) => error) };
  }

  describe('a name has', () => {
    test.each<[string, NameAnswer, NameAnswer, string[]]>([
      [
        'all its addresses, IPv4 first',
        ['8.8.8.8', '8.8.4.4'],
        ['2001:4860:4860::8888'],
        ['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888'],
      ],
      ['those of one family when the other has none', ['8.8.8.8'], [], ['8.8.8.8']],
      ['those of IPv6 alone', [], ['2001:4860:4860::8888'], ['2001:4860:4860::8888']],
      [
        'those of one family when the other question fails',
        'SERVFAIL',
        ['2001:4860:4860::8888'],
        ['2001:4860:4860::8888'],
      ],
      [
        'the private ones too, for the guard to refuse',
        ['127.0.0.1'],
        ['::ffff:10.0.0.1'],
        ['127.0.0.1', '::ffff:10.0.0.1'],
      ],
    ])('%s', async (_what, A, AAAA, expected) => {
      const { addresses, questions } = await resolveWith({ A, AAAA });
      expect(addresses).toEqual(expected);
      // The name as it is: no search domain is tried.
      expect(new Set(questions)).toEqual(new Set([`A ${NAME}`, `AAAA ${NAME}`]));
    });
  });

  describe('a name without an address is a dns failure', () => {
    test.each<[string, NameAnswer, string]>([
      ['it does not exist', 'NXDOMAIN', 'the host name does not exist'],
      ['it has no record', [], 'the host name has no address'],
      ['its server fails', 'SERVFAIL', 'the host name could not be resolved'],
    ])('%s', async (_what, answer, message) => {
      const { addresses } = await resolveWith({ A: answer, AAAA: answer });
      expect(addresses).toMatchObject({ class: 'dns', message });
    });

    test('its server is silent, for no longer than allowed', async () => {
      const { addresses } = await resolveWith({ A: 'silence', AAAA: 'silence' }, 200);
      expect(addresses).toMatchObject({ class: 'dns', message: 'the host name could not be resolved within 200 ms' });
    });
  });

  test('silent name servers of many domains hold up nobody else’s lookups', async () => {
    const { server, stop } = await startNameServer(() => 'silence');
    cleanUp.push(stop);
    const resolve = createResolveHost(() => true, { servers: [server] });
    // More than the four threads that dns.lookup and all file access share.
    const silent = Array.from({ length: 12 }, (_, index) =>
      resolveWithin(resolve, `d${index}.example.com`, 4_000).catch(() => 'silent'),
    );
    expect(await Promise.race([lookup('localhost').then(() => 'found'), ...silent])).toBe('found');
    await Promise.all(silent);
  });
});

describe('own addresses', () => {
  /**
   * Own endpoints at the connection, where only addresses are known. Old mechanism: own hosts were compared by name, and nobody
   * named any, so with loopback allowed every port of the service and of what it runs on was connected to.
   */
  const { startReceiver, createSender, end } = createOutbound();
  afterEach(end);

  const ALLOWED = ['127.0.0.0/8', '::1/128', '::/128', '0.0.0.0/8'];
  const allow = (own: OwnAddresses, resolve: ResolveHost, allowCidrs = ALLOWED) =>
    createAddressGuard({ allowCidrs, allowHttp: true, own, resolve });

  const interfaceAddresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ scopeid }) => scopeid === undefined || scopeid === 0)
    .map(({ address }) => address);

  describe('a name that leads to an own endpoint is refused before any packet is sent', () => {
    test.each<[string[]]>([
      [['127.0.0.1']],
      [['127.0.0.2']],
      [['::1']],
      [['::ffff:127.0.0.1']],
      [['0.0.0.0']],
      [['::']],
      ...interfaceAddresses.map((address): [string[]] => [[address]]),
      [['8.8.8.8', '127.0.0.1']],
    ])('%j', async (addresses) => {
      const receiver = await startReceiver();
      const own = createOwnAddresses([{ host: '127.0.0.1', port: receiver.port }]);
      const guard = allow(own, async () => addresses, [...ALLOWED, '0.0.0.0/0', '::/0']);
      const url = `http://hooks.example.com:${receiver.port}/hook`;
      const result = await createSender({ guard }).post(webhookRequest(url));
      expect(result).toMatchObject({
        isDelivered: false,
        error: { class: 'blocked_address', message: 'blocked address' },
      });
      expect(receiver.connections).toBe(0);
    });

    test('also where the endpoint is named and only its address tells that both are the same', async () => {
      const receiver = await startReceiver();
      const own = createOwnAddresses([{ host: 'db.example.com', port: receiver.port }], async () => ['127.0.0.9']);
      const guard = allow(own, async () => ['127.0.0.1']);
      const url = `http://hooks.example.com:${receiver.port}/hook`;
      // The first connection of all waits for the own names.
      const result = await createSender({ guard }).post(webhookRequest(url));
      expect(result).toMatchObject({ isDelivered: false, error: { class: 'blocked_address' } });
      expect(receiver.connections).toBe(0);
    });

    test('the same name at another port is delivered to', async () => {
      const receiver = await startReceiver();
      const own = createOwnAddresses([{ host: 'localhost', port: receiver.port + 1 }]);
      const guard = allow(own, async () => ['127.0.0.1']);
      const url = `http://hooks.example.com:${receiver.port}/hook`;
      expect(await createSender({ guard }).post(webhookRequest(url))).toMatchObject({ isDelivered: true });
    });
  });

  test('a name that leads elsewhere first and here afterwards is refused at its next connection', async () => {
    const elsewhere = await startReceiver(
      startAnswering(OK_ANSWER.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
    );
    const own = createOwnAddresses([{ host: '10.0.0.1', port: elsewhere.port }]);
    let asked = 0;
    const flipFlop: ResolveHost = async () => (++asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
    const sender = createSender({ guard: allow(own, flipFlop, ['127.0.0.0/8', '10.0.0.0/8']) });
    const url = `http://hooks.example.com:${elsewhere.port}/hook`;
    expect(await sender.post(webhookRequest(url))).toMatchObject({ isDelivered: true });
    expect(await sender.post(webhookRequest(url))).toMatchObject({ error: { class: 'blocked_address' } });
    expect(elsewhere.connections).toBe(1);
  });

  test('a redirect to an own endpoint is a failure by status, and is not followed', async () => {
    const own = createOwnAddresses([]);
    const endpoint = await startReceiver();
    own.add({ host: 'localhost', port: endpoint.port });
    const location = `http://localhost:${endpoint.port}/v1/channels`;
    const redirect = `HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
    const receiver = await startReceiver(startAnswering(redirect));
    const sender = createSender({ guard: allow(own, async () => ['127.0.0.1']) });
    expect(await sender.post(webhookRequest(receiver.url))).toMatchObject({
      isDelivered: false,
      error: { class: 'status', message: 'answered 307' },
    });
    expect(endpoint.connections).toBe(0);
  });

  test('a connection that ends up at an own endpoint is cut before a byte is sent', async () => {
    const endpoint = await startReceiver(startRawReceiver({}));
    const own = createOwnAddresses([{ host: '127.0.0.1', port: endpoint.port }]);
    // Something between us and the network sends the packets elsewhere: a proxy, a NAT rule, a bug.
    const dial = (): Socket => connectTcp({ host: '127.0.0.1', port: endpoint.port });
    const connect = createConnector({
      isAllowed: (...at) => !own.isOwnAddress(...at),
      prepare: own.refresh,
      resolve: async () => ['8.8.8.8'],
      dnsTimeoutMs: 30_000,
      connectTimeoutMs: 30_000,
      trustedCertificates: [],
      dial,
    });
    const target: buildConnector.Options = { hostname: 'hooks.example.com', protocol: 'http:', port: '80' };
    const error = await new Promise((resolve) => connect(target, (...[failure]) => resolve(failure)));
    expect(error).toMatchObject({ class: 'blocked_address', message: 'blocked address' });
    await waitFor('the connection to be cut', () => endpoint.connections === 1 && endpoint.open() === 0);
    expect(endpoint.received.join('')).toBe('');
  });
});
