import { connect as connectTcp, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { buildConnector } from 'undici';
import { createConnectionPool, startDeadline } from '../../src/platform/outbound/exchange/connections.ts';
import { createAddressGuard } from '../../src/platform/outbound/guard/address-guard.ts';
import { createConnector } from '../../src/platform/outbound/guard/connector.ts';
import { createOwnAddresses } from '../../src/platform/outbound/guard/own-addresses.ts';
import { createResolveHost, type ResolveHost } from '../../src/platform/outbound/guard/resolve-host.ts';
import { createWebhookSender, type SendResult } from '../../src/platform/outbound/post-webhook.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { createOutbound, loopbackGuard, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { type RawReceiver, startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';

describe('connector', () => {
  /** Inputs 77 to 84 of src/platform/outbound/guard/address-guard.test.ts: only DNS, or the connection itself, can refuse them. */
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  const PUBLIC = '8.8.8.8';
  const NONE = createOwnAddresses([]);
  const cleanUp: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of cleanUp.splice(0).reverse()) await end();
  });

  async function startReceiver(starting: Promise<RawReceiver> = startAnswering(OK)): Promise<RawReceiver> {
    const receiver = await starting;
    cleanUp.push(() => receiver.stop());
    return receiver;
  }

  type Target = {
    port: number;
    resolve: ResolveHost;
    allowCidrs?: string[];
    timeoutMs?: number;
    dnsTimeoutMs?: number;
    host?: string;
  };
  // No stall of the machine lasts so long: a test of a timeout sets its own.
  const PATIENT_MS = 30_000;

  /** Posts to http://hooks.example.com:<port>, whose addresses are what `resolve` says. */
  async function postTo(target: Target): Promise<SendResult> {
    const { port, resolve, allowCidrs = [], timeoutMs = PATIENT_MS, dnsTimeoutMs = PATIENT_MS, host } = target;
    const times = { dnsTimeoutMs, connectTimeoutMs: PATIENT_MS };
    const guard = createAddressGuard({ allowCidrs, allowHttp: true, own: NONE, resolve, ...times });
    const sender = createWebhookSender({ guard, version: '0.0.0' });
    cleanUp.push(() => sender.close());
    const url = `http://${host ?? 'hooks.example.com'}:${port}/hook`;
    return sender.post({ url, headers: {}, body: Buffer.from('{}'), timeoutMs });
  }

  /** Failure of the connector, as undici would be told; null when it connects. */
  const connectWith = (connect: buildConnector.connector, target: buildConnector.Options): Promise<Error | null> =>
    new Promise((resolve) => connect(target, (...[failure]) => resolve(failure)));

  describe('a name one of whose addresses is not allowed is refused before any packet is sent', () => {
    test.each<[string, string[]]>([
      ['77: 127.0.0.1', ['127.0.0.1']],
      ['78: a public one and 127.0.0.1', [PUBLIC, '127.0.0.1']],
      ['78: 127.0.0.1 and a public one', ['127.0.0.1', PUBLIC]],
      ['79: ::ffff:127.0.0.1', ['::ffff:127.0.0.1']],
      ['83: the metadata service behind a CNAME', ['169.254.169.254']],
      ['::1', ['::1']],
      ['a private network', ['10.0.0.1']],
      ['NAT64 of a private network', ['64:ff9b::a00:1']],
      ['another spelling of loopback', ['127.1']],
      ['what is no address', ['localhost']],
    ])('%s', async (_what, addresses) => {
      const receiver = await startReceiver();
      const result = await postTo({ port: receiver.port, resolve: async () => addresses });
      expect(result).toMatchObject({
        isDelivered: false,
        error: { class: 'blocked_address', message: 'blocked address' },
      });
      expect(result.response).toBeUndefined();
      expect(receiver.connections).toBe(0);
    });

    test('84: a redirect to the metadata service is a failure by status', async () => {
      const answer = 'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n';
      const receiver = await startReceiver(startAnswering(answer));
      const asked: string[] = [];
      const resolve: ResolveHost = async (hostname) => {
        asked.push(hostname);
        return ['127.0.0.1'];
      };
      const result = await postTo({ port: receiver.port, resolve, allowCidrs: ['127.0.0.0/8'] });
      expect(result).toMatchObject({ isDelivered: false, error: { class: 'status', message: 'answered 302' } });
      expect(asked).toEqual(['hooks.example.com']);
    });
  });

  describe('a name that cannot be resolved is a dns failure', () => {
    const failing =
      (code: string): ResolveHost =>
      () =>
        Promise.reject(Object.assign(new Error(code), { code }));
    test.each<[string, ResolveHost, string]>([
      ['81: it does not exist', failing('ENOTFOUND'), 'the host name does not exist'],
      ['81: it has no address', failing('ENODATA'), 'the host name has no address'],
      ['81: the answer is empty', async () => [], 'the host name has no address'],
      ['82: the server fails', failing('ESERVFAIL'), 'the host name could not be resolved'],
      ['82: nobody answers', () => new Promise(() => undefined), 'the host name could not be resolved within 300 ms'],
    ])('%s', async (_what, resolve, message) => {
      const result = await postTo({ port: 3_000, resolve, dnsTimeoutMs: 300 });
      expect(result).toMatchObject({ isDelivered: false, error: { class: 'dns', message } });
      expect(result.durationMs).toBeLessThan(PATIENT_MS);
    });

    test('a question that takes too long is withdrawn', async () => {
      const withdrawn = new Promise<boolean>((resolve) => {
        const never: ResolveHost = (_hostname, signal) =>
          new Promise(() => signal.addEventListener('abort', () => resolve(true)));
        void postTo({ port: 3_000, resolve: never, dnsTimeoutMs: 300 });
      });
      expect(await withdrawn).toBe(true);
    });

    test('the total deadline covers the lookup, and nothing is sent after it', async () => {
      const receiver = await startReceiver();
      let answer: (addresses: string[]) => void = () => undefined;
      const slow: ResolveHost = () => new Promise((resolve) => (answer = resolve));
      const result = await postTo({ port: receiver.port, resolve: slow, allowCidrs: ['127.0.0.0/8'], timeoutMs: 100 });
      expect(result).toMatchObject({ isDelivered: false, error: { class: 'timeout' } });
      answer(['127.0.0.1']);
      await sleep(200);
      expect(receiver.received.join('')).toBe('');
      expect(receiver.open()).toBe(0);
    });
  });

  describe('the connection itself', () => {
    const times = { dnsTimeoutMs: PATIENT_MS, connectTimeoutMs: PATIENT_MS };
    const options = { resolve: async () => [PUBLIC], prepare: NONE.refresh, ...times, trustedCertificates: [] };
    const publicOnly = createAddressGuard({ allowCidrs: [], allowHttp: true, own: NONE }).isAllowed;

    test.each(['http:', 'https:'])(
      'to an address that is not the checked one is cut before a byte is sent (%s)',
      async (protocol) => {
        const receiver = await startReceiver(startRawReceiver({}));
        // Something between us and the network sends the packets elsewhere: a proxy, a NAT rule, a bug.
        const dial = (): Socket => connectTcp({ host: '127.0.0.1', port: receiver.port });
        const connect = createConnector({ ...options, isAllowed: publicOnly, dial });
        const error = await connectWith(connect, { hostname: 'hooks.example.com', protocol, port: '443' });
        expect(error).toMatchObject({ class: 'blocked_address', message: 'blocked address' });
        await waitFor('the connection to be cut', () => receiver.connections === 1 && receiver.open() === 0);
        expect(receiver.received.join('')).toBe('');
      },
    );

    test('80: to a name that is public when checked and 127.0.0.1 afterwards goes to the public address', async () => {
      const asked: string[] = [];
      const flipFlop: ResolveHost = async (hostname) => (asked.push(hostname) === 1 ? [PUBLIC] : ['127.0.0.1']);
      const looked: unknown[] = [];
      const dial = (target: TcpNetConnectOpts): Socket => {
        target.lookup?.('any', { all: true }, (_error, list) => looked.push(list));
        return connectTcp({ host: '127.0.0.1', port: 1 });
      };
      const connect = createConnector({ ...options, resolve: flipFlop, isAllowed: publicOnly, dial });
      const target = { hostname: 'hooks.example.com', protocol: 'http:', port: '80' };
      await connectWith(connect, target);
      expect(asked).toEqual(['hooks.example.com']);
      expect(looked).toEqual([[{ address: PUBLIC, family: 4 }]]);
      // The next connection asks again, and is refused.
      expect(await connectWith(connect, target)).toMatchObject({ class: 'blocked_address' });
      expect(looked).toHaveLength(1);
    });

    test('goes to the addresses that were checked and asks nobody again', async () => {
      const dialled: TcpNetConnectOpts[] = [];
      const dial = (target: TcpNetConnectOpts): Socket => {
        dialled.push(target);
        return connectTcp({ host: '127.0.0.1', port: 1 });
      };
      const addresses = [PUBLIC, '2606:4700:4700::1111'];
      const connect = createConnector({ ...options, resolve: async () => addresses, isAllowed: publicOnly, dial });
      await connectWith(connect, { hostname: 'hooks.example.com', protocol: 'https:', port: '' });
      expect(dialled).toHaveLength(1);
      expect(dialled[0]).toMatchObject({ port: 443, autoSelectFamily: true });
      const looked = await new Promise((resolve, reject) =>
        dialled[0]?.lookup?.('any', { all: true }, (error, list) => (error ? reject(error) : resolve(list))),
      );
      expect(looked).toEqual([
        { address: PUBLIC, family: 4 },
        { address: '2606:4700:4700::1111', family: 6 },
      ]);
    });

    test('tries the next address when the first does not answer', async () => {
      const receiver = await startReceiver();
      const resolve: ResolveHost = async () => ['127.0.0.99', '::1', '127.0.0.1'];
      const allowCidrs = ['127.0.0.0/8', '::1/128'];
      expect(await postTo({ port: receiver.port, resolve, allowCidrs })).toMatchObject({ isDelivered: true });
    });

    test('that is never open is given up after the time for connecting', async () => {
      // A socket that is never told to connect stands for an address that swallows packets.
      const impatient = { ...options, connectTimeoutMs: 500 };
      const connect = createConnector({ ...impatient, isAllowed: publicOnly, dial: () => new Socket() });
      const error = await connectWith(connect, { hostname: 'hooks.example.com', protocol: 'http:', port: '80' });
      expect(error).toMatchObject({ class: 'connect', message: 'the connection was not open within 500 ms' });
    });
  });

  describe('literal addresses are judged at the connection too, where no lookup happens', () => {
    test.each(['127.0.0.1', '::1', '169.254.169.254', '::ffff:10.0.0.1', '64:ff9b::a9fe:a9fe'])(
      '%s',
      async (hostname) => {
        const { connect } = createAddressGuard({ allowCidrs: [], allowHttp: true, own: NONE });
        const error = await connectWith(connect, { hostname, protocol: 'http:', port: '80' });
        expect(error).toMatchObject({ class: 'blocked_address', message: 'blocked address' });
      },
    );

    test('a URL that is refused by its form is not sent to', async () => {
      const receiver = await startReceiver();
      const resolve: ResolveHost = async () => [PUBLIC];
      const result = await postTo({ port: receiver.port, resolve, host: '127.0.0.1' });
      expect(result.error).toEqual({
        class: 'blocked_address',
        message: 'the webhook URL must not be a private, local or reserved address',
      });
      expect(receiver.connections).toBe(0);
    });
  });

  describe('localhost', () => {
    const resolveHost = (...allowed: string[]) => createResolveHost((address) => allowed.includes(address));
    const { signal } = new AbortController();

    test('is those loopback addresses that are allowed, without asking anyone', async () => {
      expect(await resolveHost('127.0.0.1', '::1')('localhost', signal)).toEqual(['127.0.0.1', '::1']);
      expect(await resolveHost('127.0.0.1')('localhost', signal)).toEqual(['127.0.0.1']);
      expect(await resolveHost()('localhost', signal)).toEqual([]);
    });

    test('is delivered to when the operator allows loopback', async () => {
      const receiver = await startReceiver();
      const guard = createAddressGuard({ allowCidrs: ['127.0.0.0/8'], allowHttp: true, own: NONE });
      const sender = createWebhookSender({ guard, version: '0.0.0' });
      cleanUp.push(() => sender.close());
      const url = `http://localhost:${receiver.port}/hook`;
      expect(await sender.post({ url, headers: {}, body: Buffer.from('{}'), timeoutMs: PATIENT_MS })).toMatchObject({
        isDelivered: true,
      });
      expect(receiver.received[0]).toContain(`host: localhost:${receiver.port}\r\n`);
    });
  });
});

describe('connections', () => {
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
});

describe('interim answers', () => {
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
});
