import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../src/routes.ts';
import { publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { make } from '../support/make/seed.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { contentsAtRest, tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Resource = { id: string } & Record<string, unknown>;
type Refusal = { error?: { code: string; details?: { field: string; reason: string } } };

const read = async (address: string): Promise<Resource> => (await posthorn.request<Resource>('GET', address)).body;
const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

/** Makes one of each kind with every field that it can have, and gives their addresses. */
async function makeAll(): Promise<{
  channel: string;
  subscription: string;
  apiKey: string;
  machineCredential: string;
  webhook: string;
  secret: string;
  inspector: string;
  connection: string;
  workflow: string;
  app: string;
  key: string;
}> {
  const { live } = posthorn.keys;
  const channel = await make(posthorn, live, '/v1/channels', {
    name: 'orders',
    description: 'Orders of the shop',
    schema,
    schemas: { 'order.paid': schema },
    schemaMode: 'warn',
    retentionDays: 7,
  });
  const subscription = await make(posthorn, live, '/v1/subscriptions', {
    channelId: channel.id,
    name: 'till',
    webhookUrl: receiver.url,
    eventTypes: ['order.*'],
    filter: 'payload.n > 0',
    headers: { 'x-shop': '7' },
    retryPolicy: { maxRetries: 3 },
    timeoutMs: 5_000,
    maxConcurrency: 5,
    rateLimit: 100,
  });
  const rights = { tier: 'pro', limits: { burst: 7 }, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  const apiKey = await make(posthorn, live, '/v1/api-keys', { name: 'till', ...rights });
  const machineCredential = await make(posthorn, live, '/v1/machine-credentials', { name: 'till', ...rights });
  const webhook = await make(posthorn, live, '/v1/webhooks', {
    name: 'bank',
    channelId: channel.id,
    scheme: 'hmac',
    signature: { header: 'X-Sign', prefix: 'v1=', algorithm: 'sha512', timestampHeader: 'X-Time' },
    eventId: { pointer: '/id' },
    eventType: { cel: 'payload.type' },
    payload: { fields: { n: '/n' } },
  });
  const inspector = await make(posthorn, live, '/v1/inspectors', { name: 'see', answer: { status: 503 } });
  const secret = await make(posthorn, live, '/v1/secrets', {
    // A name is taken once in an environment.
    name: `S${randomBytes(8).toString('hex').toUpperCase()}`,
    value: 'a token',
  });
  const connection = await make(posthorn, live, '/v1/connections', {
    connectorId: 'slack',
    name: 'bot',
    credentials: { token: 'xoxb-1' },
  });
  const workflow = await make(posthorn, live, '/v1/workflows', {
    name: 'large orders',
    description: 'for the bank',
    trigger: { type: 'event', config: { channelId: channel.id, filter: 'payload.n > 1.50' } },
    steps: [{ id: 'note', type: 'action', config: { n: 12.5 }, next: null }],
  });
  return {
    workflow: `/v1/workflows/${workflow.id}`,
    connection: `/v1/connections/${connection.id}`,
    secret: `/v1/secrets/${secret.id}`,
    inspector: `/v1/inspectors/${inspector.id}`,
    webhook: `/v1/webhooks/${webhook.id}`,
    channel: `/v1/channels/${channel.id}`,
    subscription: `/v1/subscriptions/${subscription.id}`,
    apiKey: `/v1/api-keys/${apiKey.id}`,
    app: `/v1/apps/${String(apiKey['appId'])}`,
    machineCredential: `/v1/machine-credentials/${machineCredential.id}`,
    key: String(apiKey['key']),
  };
}

/** Without what moves by itself from one look to the next. */
const steady = (resource: Record<string, unknown>) => ({ ...resource, concurrency: undefined });

/** The times of a resource as a caller in another time zone writes them. */
const inOtherZone = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).map(([name, value]) => [
      name,
      name === 'createdAt' || name === 'expiresAt'
        ? `${new Date(Date.parse(String(value)) + 7_200_000).toISOString().slice(0, -1)}+02:00`
        : value,
    ]),
  );

// The old mechanism: fields that only the service sets were dropped unseen, so a wrong one was 200 as well, and a
// webhookUrl that was sent back reset the health of its subscription.
test('every resource can be sent back as GET has shown it, with traffic in between, and is as it was', async () => {
  const all = await makeAll();
  const addresses = [
    all.channel,
    all.subscription,
    all.apiKey,
    all.machineCredential,
    all.app,
    all.webhook,
    all.secret,
    all.inspector,
    all.connection,
    all.workflow,
  ];
  // Organisations and members have tests of their own: no API key is above environments.
  const open = routes.filter(({ access }) => typeof access === 'object' && access.level !== 'organisation');
  expect(open.filter(({ method }) => method === 'PATCH')).toHaveLength(addresses.length);
  const shown = await Promise.all(addresses.map(read));

  const message = await publish(posthorn, String(shown[1]?.['channelId']), {
    eventType: 'order.paid',
    payload: { n: 1 },
  });
  await waitForDelivery(posthorn, message.id, 'delivered');
  await posthorn.request('GET', '/v1/channels', undefined, { key: all.key });
  await waitFor('lastUsedAt to be noted', async () => (await read(all.apiKey))['lastUsedAt'] !== undefined);
  const failing = { failingSince: new Date(0), circuitOpenedAt: new Date(0), circuitProbeAt: new Date(8.64e12) };
  const where = { id: String(shown[1]?.id) };
  await posthorn.deps.db.subscription.update({ where, data: failing });
  const versionOf = async () =>
    (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: String(shown[0]?.id) } })).configVersion;
  const version = await versionOf();

  for (const [index, address] of addresses.entries()) {
    const before = await read(address);
    for (const body of [shown[index], before, inOtherZone(shown[index] as Resource)]) {
      const answer = await posthorn.request('PATCH', address, body);
      expect([address, answer.status, steady(answer.body)]).toEqual([address, 200, steady(before)]);
    }
    expect(steady(await read(address))).toEqual(steady(before));
  }
  expect(await posthorn.deps.db.subscription.findUniqueOrThrow({ where })).toMatchObject(failing);
  expect(await versionOf()).toBe(version);
});

test('so can what the service has changed meanwhile: disabled, expired, revoked, archived, its own channel', async () => {
  const all = await makeAll();
  const { db } = posthorn.deps;
  const [channel, subscription, apiKey] = await Promise.all([all.channel, all.subscription, all.apiKey].map(read));
  await db.subscription.update({ where: { id: String(subscription?.id) }, data: { status: 'disabled' } });
  await db.apiKey.update({ where: { id: String(apiKey?.id) }, data: { expiresAt: new Date(0) } });
  const revoked = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'gone' });
  await posthorn.request('DELETE', `/v1/api-keys/${revoked.id}`);
  await posthorn.request('PATCH', all.channel, { status: 'archived' });
  const system = `/v1/channels/${await systemChannelOf(posthorn)}`;
  for (const address of [all.channel, all.subscription, all.apiKey, `/v1/api-keys/${revoked.id}`, system]) {
    const before = await read(address);
    const answer = await posthorn.request('PATCH', address, before);
    expect([address, answer.status, answer.body]).toEqual([address, 200, before]);
  }
  expect((await posthorn.request('PATCH', all.channel, { ...channel, status: 'archived', name: 'x' })).status).toBe(
    409,
  );
  expect((await posthorn.request('PATCH', system, { name: 'mine' })).status).toBe(409);
});

test('one wrong field of what identifies a resource, or is set elsewhere, refuses all of the PATCH', async () => {
  const all = await makeAll();
  const other = await makeAll();
  const [channel, subscription, apiKey, credential, app] = await Promise.all(
    [all.channel, all.subscription, all.apiKey, all.machineCredential, all.app].map(read),
  );
  const otherId = (address: string): string => address.split('/').at(-1) ?? '';
  const later = new Date(Date.now() + 1_000).toISOString();
  const cases: [string, Resource | undefined, string, unknown, RegExp][] = [
    [all.channel, channel, 'id', otherId(other.channel), /^cannot change$/],
    [all.channel, channel, 'id', null, /^must be a string, not null$/],
    [all.channel, channel, 'createdAt', later, /^cannot change$/],
    [all.channel, channel, 'createdAt', 'then', /^must be a date-time/],
    [all.channel, channel, 'status', 'deleted', /^must be one of/],
    [all.subscription, subscription, 'id', otherId(other.subscription), /^cannot change$/],
    [all.subscription, subscription, 'channelId', otherId(other.channel), /make a new subscription/],
    [all.subscription, subscription, 'createdAt', later, /^cannot change$/],
    [all.subscription, subscription, 'status', 'disabled', /by the service; active and paused/],
    [all.subscription, subscription, 'secret', 'whsec_mine', /secret\/rotate/],
    [all.apiKey, apiKey, 'appId', otherId(other.channel), /^cannot change$/],
    [all.app, app, 'id', otherId(other.channel), /^cannot change$/],
    [all.app, app, 'organisationId', otherId(other.channel), /^cannot change$/],
    [all.app, app, 'createdAt', later, /^cannot change$/],
    [all.app, app, 'slug', 'My Shop', /^must consist of/],
    [all.apiKey, apiKey, 'id', otherId(other.apiKey), /^cannot change$/],
    [all.apiKey, apiKey, 'environment', 'test', /^cannot change$/],
    [all.apiKey, apiKey, 'prefix', 'svc_live_zzz', /rotate/],
    [all.apiKey, apiKey, 'last4', 'zzzz', /rotate/],
    [all.apiKey, apiKey, 'createdAt', later, /^cannot change$/],
    [all.apiKey, apiKey, 'status', 'revoked', /DELETE/],
    [all.machineCredential, credential, 'id', otherId(other.machineCredential), /^cannot change$/],
    [all.machineCredential, credential, 'environment', 'test', /^cannot change$/],
    [all.machineCredential, credential, 'clientSecret', 'ocs_mine', /rotate/],
    [all.machineCredential, credential, 'status', 'revoked', /DELETE \/v1\/machine-credentials/],
  ];
  const before = await contentsAtRest(posthorn);
  for (const [address, resource, field, value, reason] of cases) {
    const body = { ...resource, name: 'renamed', [field]: value };
    const answer = await posthorn.request<Refusal>('PATCH', address, body);
    const { code, details } = answer.body.error ?? {};
    expect([address, answer.status, code, details?.field]).toEqual([address, 400, 'INVALID_REQUEST', field]);
    expect(details?.reason).toMatch(reason);
  }
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});

test('a new resource takes no field that the service sets, and nothing is made', async () => {
  const all = await makeAll();
  const [channel, subscription, apiKey] = await Promise.all([all.channel, all.subscription, all.apiKey].map(read));
  const message = { eventType: 'order.paid', payload: { n: 1 } };
  const cases: [string, Record<string, unknown>, string][] = [
    ['/v1/channels', { name: 'x' }, 'id createdAt updatedAt'],
    [
      '/v1/subscriptions',
      { channelId: channel?.id, webhookUrl: receiver.url },
      'id createdAt updatedAt circuit concurrency status=disabled',
    ],
    ['/v1/api-keys', { name: 'x' }, 'id prefix last4 createdAt lastUsedAt lastUsedAddress key status'],
    ['/v1/machine-credentials', { name: 'x' }, 'id secrets createdAt lastUsedAt lastUsedAddress clientSecret status'],
    [`${all.channel}/messages`, message, 'publishedAt deliveryStatus erasedAt'],
  ];
  const before = await contentsAtRest(posthorn);
  const shown: Record<string, unknown> = { ...channel, ...subscription, ...apiKey };
  for (const [path, body, fields] of cases) {
    for (const [field = '', value = shown[field] ?? 'x'] of fields.split(' ').map((each) => each.split('='))) {
      const answer = await posthorn.request<Refusal>('POST', path, { ...body, [field]: value });
      expect([path, field, answer.status, answer.body.error?.details?.field]).toEqual([path, field, 400, field]);
      expect(answer.body.error?.details?.reason).toMatch(/^is (set|made|not set) /);
    }
  }
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});
