import { connect as connectTcp, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { buildConnector } from 'undici';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createConnector } from '../../src/outbound/guard/connector.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { createWebhookSender, type SendResult } from '../../src/outbound/post-webhook.ts';
import { createResolveHost, type ResolveHost } from '../../src/outbound/guard/resolve-host.ts';
import { type RawReceiver, startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

/** Inputs 77 to 84 of src/outbound/guard/address-guard.test.ts: only DNS, or the connection itself, can refuse them. */
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
