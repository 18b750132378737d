import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalNames } from '../../src/outbound/guard/local-names.ts';
import { createResolveHost } from '../../src/outbound/guard/resolve-host.ts';
import { createChannel, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type NameAnswer, startNameServer } from '../support/world/name-server.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';

/**
 * Receivers by the names of Compose, Kubernetes and hosts files, where the operator has allowed ranges. Old mechanism: a rule for names
 * stood before the rule for addresses, and refused every name that is not a public one, wherever it led.
 */
type Json = { id: string; warnings?: { field: string; reason: string }[] };
type Refusal = { error: { code: string; details: { field: string; reason: string } } };

const ADDRESSES: Record<string, NameAnswer> = {
  vm: ['127.0.0.1'],
  my_service: ['127.0.0.1'],
  'orders.shop.svc.cluster.local': ['127.0.0.1'],
  'billing.svc.cluster.local': ['127.0.0.1'],
  'complete.example': ['127.0.0.1'],
  elsewhere: ['10.0.0.5'],
  'split.example': ['10.0.0.5'],
  mixed: ['127.0.0.1', '10.0.0.5'],
  'metadata.internal': ['169.254.169.254'],
};
const ELSEWHERE = 'must not be a private, local or reserved address';
const UNRESOLVED = {
  field: 'webhookUrl',
  reason: 'cannot be reached yet: the host name does not exist',
};

const receivers = createReceivers();
let folder: string;
let names: Awaited<ReturnType<typeof startNameServer>>;
let posthorn: TestPosthorn;
let channelId: string;
let receiver: Receiver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-names-'));
  const [hostsFile, resolvConf] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  await writeFile(hostsFile, '# a comment\n127.0.0.1\thost.docker.internal gateway # both\n\nnonsense vm\n');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\nsearch shop.svc.cluster.local svc.cluster.local.\n');
  names = await startNameServer((name, type) => (type === 'A' ? (ADDRESSES[name] ?? 'NXDOMAIN') : 'NXDOMAIN'));
  const resolve = createResolveHost((address) => address === '127.0.0.1' || address === '::1', {
    servers: [names.server],
    local: createLocalNames({ hostsFile, resolvConf }),
  });
  posthorn = await startPosthorn({ resolve });
  channelId = (await createChannel(posthorn)).id;
});
afterEach(receivers.end);
afterAll(async () => {
  await posthorn.stop();
  await names.stop();
  await rm(folder, { recursive: true });
});

const create = <T>(host: string, port = 8080) =>
  posthorn.request<T>('POST', '/v1/subscriptions', { channelId, webhookUrl: `http://${host}:${port}/hook` });

describe('a name that leads to an allowed address can be saved, and is delivered to', () => {
  test.each([
    ['of a container', 'vm'],
    ['with an underscore', 'my_service'],
    ['of a Kubernetes service', 'orders.shop.svc.cluster.local'],
    ['of a Kubernetes service, short', 'orders'],
    ['of a Kubernetes service, with its namespace', 'billing'],
    ['of the hosts file', 'host.docker.internal'],
    ['of this machine', 'app.localhost'],
    ['with a dot at its end', 'complete.example.'],
  ])('%s', async (_what, host) => {
    receiver = await receivers.start({ answers: [200] });
    const own = (await createChannel(posthorn)).id;
    const webhookUrl = `http://${host}:${new URL(receiver.url).port}/hook`;
    const { status, body } = await posthorn.request<Json>('POST', '/v1/subscriptions', { channelId: own, webhookUrl });
    expect([status, body]).toMatchObject([201, { webhookUrl }]);
    expect(body).not.toHaveProperty('warnings');
    const message = await publish(posthorn, own);
    await waitForDelivery(posthorn, message.id, 'delivered');
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('a name that leads elsewhere is refused, and nothing is changed', () => {
  test.each([
    ['to a range that is not allowed', 'elsewhere', ELSEWHERE],
    ['though it could be public', 'split.example', ELSEWHERE],
    ['with one of its addresses', 'mixed', ELSEWHERE],
    ['to a metadata service', 'metadata.internal', ELSEWHERE],
  ])('%s', async (_what, host, reason) => {
    const before = await posthorn.deps.db.subscription.count();
    const { status, body } = await create<Refusal>(host);
    expect([status, body.error]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', details: { field: 'webhookUrl', reason } },
    ]);
    expect(await posthorn.deps.db.subscription.count()).toBe(before);
  });

  test('to this service itself', async () => {
    const { status, body } = await create<Refusal>('vm', Number(new URL(posthorn.url).port));
    const reason = 'must not be an address of this service or of what it runs on';
    expect([status, body.error]).toMatchObject([400, { details: { field: 'webhookUrl', reason } }]);
  });
});

test('a name that does not resolve yet is saved with a warning, which its page has until it does', async () => {
  const { status, body } = await create<Json>('later');
  expect([status, body.warnings]).toEqual([201, [UNRESOLVED]]);
  const path = `/v1/subscriptions/${body.id}`;
  expect((await posthorn.request<Json>('GET', path)).body.warnings).toEqual([UNRESOLVED]);
  const paused = await posthorn.request<Json>('POST', `${path}/pause`);
  expect(paused.body.warnings).toEqual([UNRESOLVED]);
  // Another name, since a name is remembered for some seconds.
  const patched = await posthorn.request<Json>('PATCH', path, { webhookUrl: 'http://vm:8080/hook' });
  expect([patched.status, patched.body]).toMatchObject([200, { webhookUrl: 'http://vm:8080/hook' }]);
  expect(patched.body).not.toHaveProperty('warnings');
});

// Old mechanism: the form of these names is that of public ones, so they had no warning.
test.each(['hooks.shop.test', 'nowhere.invalid', 'hooks.shop.example'])(
  'a name for tests and examples (%s) is saved with a warning too: the public DNS never has it',
  async (host) => {
    const { status, body } = await create<Json>(host);
    expect([status, body.warnings]).toEqual([201, [UNRESOLVED]]);
    expect((await posthorn.request<Json>('GET', `/v1/subscriptions/${body.id}`)).body.warnings).toEqual([UNRESOLVED]);
  },
);

test('a public name that cannot be looked up has no warning: whoever saves it may be offline', async () => {
  const { status, body } = await create<Json>('hooks.example.com');
  expect(status).toBe(201);
  expect(body).not.toHaveProperty('warnings');
});

test('a workflow and a connection are judged by the same addresses', async () => {
  const workflow = (url: string) => ({
    name: 'asks',
    trigger: { type: 'manual' },
    steps: [{ id: 'ask', type: 'action', config: { action: 'http', url } }],
  });
  const connection = (baseUrl: string) => ({ connectorId: 'http', name: 'asks', credentials: { baseUrl, value: 'x' } });
  for (const [path, bodyOf, field] of [
    ['/v1/workflows', workflow, 'steps[0].config.url'],
    ['/v1/connections', connection, 'credentials.baseUrl'],
  ] as const) {
    const taken = await posthorn.request<object>('POST', path, bodyOf('http://vm:8080/x'));
    expect([path, taken.status]).toEqual([path, 201]);
    const refused = await posthorn.request<Refusal>('POST', path, bodyOf('http://elsewhere:8080/x'));
    expect([path, refused.status, refused.body.error.details]).toMatchObject([path, 400, { field, reason: ELSEWHERE }]);
  }
});
