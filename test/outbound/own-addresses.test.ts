import { connect as connectTcp, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { buildConnector } from 'undici';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createConnector } from '../../src/outbound/guard/connector.ts';
import { createOwnAddresses, type OwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import type { ResolveHost } from '../../src/outbound/guard/resolve-host.ts';
import { createOutbound, OK_ANSWER, webhookRequest } from '../support/world/outbound.ts';
import { startAnswering, startRawReceiver } from '../support/world/raw-receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

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
  const elsewhere = await startReceiver(startAnswering(OK_ANSWER.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
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
