import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalNames, createResolveHost } from '../../src/platform/outbound/guard/resolve-host.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type NameAnswer, startNameServer } from '../support/world/name-server.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';

describe('named targets', () => {
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

  describe('a name that resolves to an allowed address can be saved, and receives deliveries', () => {
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
      const { status, body } = await posthorn.request<Json>('POST', '/v1/subscriptions', {
        channelId: own,
        webhookUrl,
      });
      expect([status, body]).toMatchObject([201, { webhookUrl }]);
      expect(body).not.toHaveProperty('warnings');
      const message = await publish(posthorn, own);
      await waitForDelivery(posthorn, message.id, 'delivered');
      expect(receiver.requests).toHaveLength(1);
    });
  });

  describe('a name that resolves to another address is refused, and nothing is changed', () => {
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

  test('a name that does not resolve yet is saved with a warning, which stays until it does', async () => {
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

  // Regression: the form of these names is that of public ones, so they had no warning.
  test.each(['hooks.shop.test', 'nowhere.invalid', 'hooks.shop.example'])(
    'a name for tests and examples (%s) is saved with a warning too: the public DNS never has it',
    async (host) => {
      const { status, body } = await create<Json>(host);
      expect([status, body.warnings]).toEqual([201, [UNRESOLVED]]);
      expect((await posthorn.request<Json>('GET', `/v1/subscriptions/${body.id}`)).body.warnings).toEqual([UNRESOLVED]);
    },
  );

  test('a public name that cannot be looked up has no warning, because the service may be offline', async () => {
    const { status, body } = await create<Json>('hooks.example.com');
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('warnings');
  });

  test('a workflow and a connection are checked against the same addresses', async () => {
    const workflow = (url: string) => ({
      name: 'asks',
      trigger: { type: 'manual' },
      steps: [{ id: 'ask', type: 'action', config: { action: 'http', url } }],
    });
    const connection = (baseUrl: string) => ({
      connectorId: 'http',
      name: 'asks',
      credentials: { baseUrl, value: 'x' },
    });
    for (const [path, bodyOf, field] of [
      ['/v1/workflows', workflow, 'steps[0].config.url'],
      ['/v1/connections', connection, 'credentials.baseUrl'],
    ] as const) {
      const taken = await posthorn.request<object>('POST', path, bodyOf('http://vm:8080/x'));
      expect([path, taken.status]).toEqual([path, 201]);
      const refused = await posthorn.request<Refusal>('POST', path, bodyOf('http://elsewhere:8080/x'));
      expect([path, refused.status, refused.body.error.details]).toMatchObject([
        path,
        400,
        { field, reason: ELSEWHERE },
      ]);
    }
  });
});

describe('own targets', () => {
  /**
   * The service's own API as a target. Old mechanism: nobody told the guard which addresses are own ones, so a subscription to
   * its own `/test`, with an API key in its headers, made 153 deliveries in 8 seconds.
   */
  const REASON = 'must not be an address of this service or of what it runs on';
  const ONE_TRY = { maxRetries: 0 };

  type Refusal = { error: { code: string; details: { field: string; reason: string } } };
  type Warned = { warnings?: { field: string; reason: string }[] };

  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene('off');
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  const portOf = (url: string): string => new URL(url).port;
  /** The API's own port, spelt in ways of which each leads to it. */
  const spellings = (): string[] =>
    ['localhost', '127.0.0.1', '127.0.0.2', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]'].map(
      (host) => `http://${host}:${portOf(scene.posthorn.url)}`,
    );

  test('an address of the service itself cannot be saved in any spelling, in a new subscription or a stored one, and nothing is changed', async () => {
    const { posthorn } = scene;
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
    const path = `/v1/subscriptions/${subscriptionId}`;
    const refused = { code: 'INVALID_REQUEST', details: { field: 'webhookUrl', reason: REASON } };
    for (const origin of spellings()) {
      const webhookUrl = `${origin}${path}/test`;
      const created = await posthorn.request<Refusal>('POST', '/v1/subscriptions', { channelId, webhookUrl });
      expect([created.status, created.body.error]).toMatchObject([400, refused]);
      const patched = await posthorn.request<Refusal>('PATCH', path, { name: 'other', webhookUrl });
      expect([patched.status, patched.body.error]).toMatchObject([400, refused]);
    }
    const { body } = await posthorn.request('GET', path);
    expect(body).toMatchObject({ webhookUrl: receiver.url });
    expect(body).not.toHaveProperty('warnings');
    expect(await posthorn.deps.db.subscription.count({ where: { channelId } })).toBe(1);
  });

  test('one that was stored before receives nothing: its deliveries fail as blocked_address, without a message', async () => {
    const { posthorn } = scene;
    const { db } = posthorn.deps;
    const { channelId, subscriptionId } = await scene.subscribed([200], { retryPolicy: ONE_TRY });
    const path = `/v1/subscriptions/${subscriptionId}`;
    const headers = { authorization: `Bearer ${posthorn.keys.live}` };
    const webhookUrl = `${posthorn.url}${path}/test`;
    await db.subscription.update({ where: { id: subscriptionId }, data: { webhookUrl, headers } });
    const message = await publish(posthorn, channelId);
    const delivery = await waitForDelivery(posthorn, message.id, 'failed');
    expect(await scene.attemptsOf(delivery.id)).toMatchObject([
      { outcome: 'failed', errorClass: 'blocked_address', errorMessage: `the webhook URL ${REASON}` },
    ]);
    const { body } = await posthorn.request<Warned>('GET', path);
    expect(body.warnings).toEqual([
      { field: 'webhookUrl', reason: `cannot be used, and nothing is sent: it ${REASON}` },
    ]);
    expect(await db.message.count({ where: { channelId } })).toBe(1);
  });

  test('a kept-alive connection to a receiver is not mistaken for one to the port that the service uses later', async () => {
    const { posthorn } = scene;
    const { receiver, channelId } = await scene.subscribed([200], { retryPolicy: ONE_TRY });
    const first = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, first.id, 'delivered');
    posthorn.deps.own.add({ host: 'localhost', port: Number(portOf(receiver.url)) });
    const second = await publish(posthorn, channelId);
    const delivery = await waitForDelivery(posthorn, second.id, 'failed');
    expect(await scene.attemptsOf(delivery.id)).toMatchObject([{ errorClass: 'blocked_address' }]);
    expect(receiver.requests).toHaveLength(1);
  });

  test('other receivers on this machine receive deliveries', async () => {
    const { posthorn } = scene;
    const { receiver } = await scene.subscribed([200]);
    const { id: channelId } = await createChannel(posthorn);
    const webhookUrl = receiver.url.replace('127.0.0.1', 'localhost');
    await createSubscription(posthorn, { channelId, webhookUrl });
    await publish(posthorn, channelId);
    await waitFor('the request', () => receiver.requests.length === 1);
  });
});

describe('warnings', () => {
  /**
   * Subscriptions that are older than a rule. Old mechanism: `Cookie`, `X_Forwarded_For` and the like could be saved and were
   * sent; a rule that came later was asked at every PATCH that repeated the stored value, and nothing showed that it was broken.
   */
  const OLD_HEADERS = {
    Cookie: 'session=1',
    X_Forwarded_For: '10.0.0.1',
    'X-CSRF-Token': 'a',
    Proxy: 'b',
    'X-Shop': '1',
    Authorization: 'Bearer x',
  };
  const REFUSED = ['Cookie', 'X_Forwarded_For', 'X-CSRF-Token', 'Proxy'];
  const OLD_URL = 'http://10.0.0.1/hook';
  // One try, so that a refused delivery is over at once.
  const ONE_TRY = { maxRetries: 0 };

  type Json = {
    id: string;
    name: string;
    headers: Record<string, string>;
    warnings?: { field: string; reason: string }[];
  };
  type Refusal = { error: { code: string; details: { field: string; reason: string } } };

  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene('off');
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  /** A subscription whose row has what the API would not take today. */
  async function older(data: { headers?: Record<string, string>; webhookUrl?: string }) {
    const made = await scene.subscribed([200], { retryPolicy: ONE_TRY });
    await scene.posthorn.deps.db.subscription.update({ where: { id: made.subscriptionId }, data });
    return { ...made, path: `/v1/subscriptions/${made.subscriptionId}` };
  }

  const patch = <T = Json>(path: string, body: object) => scene.posthorn.request<T>('PATCH', path, body);
  const headerWarnings = REFUSED.map((name) => ({
    field: `headers["${name}"]`,
    reason: expect.stringMatching(/^is not sent, because it must not be set/),
  }));

  test('such a header cannot be saved, in a new subscription or a stored one, and nothing is changed', async () => {
    const { channelId, receiver, subscriptionId } = await scene.subscribed([200], { headers: { 'X-Shop': '1' } });
    const path = `/v1/subscriptions/${subscriptionId}`;
    for (const name of REFUSED) {
      const refused = { code: 'INVALID_REQUEST', details: { field: `headers["${name}"]`, reason: expect.any(String) } };
      const headers = { 'X-Shop': '2', [name]: 'x' };
      const body = { channelId, webhookUrl: receiver.url, headers };
      const created = await scene.posthorn.request<Refusal>('POST', '/v1/subscriptions', body);
      expect([created.status, created.body.error]).toMatchObject([400, refused]);
      const patched = await patch<Refusal>(path, { name: 'other', headers });
      expect([patched.status, patched.body.error]).toMatchObject([400, refused]);
    }
    const { body } = await scene.posthorn.request<Json>('GET', path);
    expect(body.headers).toEqual({ 'X-Shop': '1' });
    expect(body).not.toHaveProperty('warnings');
  });

  describe('stored headers that could not be saved today', () => {
    test('are not sent, and the others are', async () => {
      const { receiver, channelId } = await older({ headers: OLD_HEADERS });
      const message = await publish(scene.posthorn, channelId);
      await waitForDelivery(scene.posthorn, message.id, 'delivered');
      expect(receiver.requests).toHaveLength(1);
      const sent = receiver.requests[0]?.headers ?? {};
      expect(sent).toMatchObject({ 'x-shop': '1', authorization: 'Bearer x' });
      for (const name of REFUSED) expect(sent).not.toHaveProperty(name.toLowerCase());
    });

    test('are shown as warnings, one each, wherever the subscription is shown', async () => {
      const { path, channelId } = await older({ headers: OLD_HEADERS });
      const list = await scene.posthorn.request<PageJson<Json>>('GET', `/v1/subscriptions?channelId=${channelId}`);
      const one = await scene.posthorn.request<Json>('GET', path);
      const paused = await scene.posthorn.request<Json>('POST', `${path}/pause`);
      const resumed = await scene.posthorn.request<Json>('POST', `${path}/resume`);
      for (const shown of [list.body.data[0], one.body, paused.body, resumed.body]) {
        expect(shown?.headers).toEqual(OLD_HEADERS);
        expect(shown?.warnings).toEqual(headerWarnings);
      }
    });

    test('do not prevent another change, stay when they are sent back, and disappear when they are replaced', async () => {
      const { path } = await older({ headers: OLD_HEADERS });
      const renamed = await patch(path, { name: 'renamed' });
      expect([renamed.status, renamed.body.name, renamed.body.warnings]).toEqual([200, 'renamed', headerWarnings]);
      const sameOtherOrder = Object.fromEntries(Object.entries(OLD_HEADERS).reverse());
      expect((await patch(path, { name: 'again', headers: sameOtherOrder })).status).toBe(200);
      const { body: read } = await scene.posthorn.request<Json>('GET', path);
      const sentBack = await patch(path, read);
      expect([sentBack.status, sentBack.body.warnings]).toEqual([200, read.warnings]);
      expect(read.warnings).toHaveLength(REFUSED.length);
      // Regression: one entry with another value had all of them judged anew.
      const besides = { ...OLD_HEADERS, 'X-Shop': '2', 'X-New': 'n' };
      const changed = await patch(path, { headers: besides });
      expect([changed.status, changed.body.headers, changed.body.warnings]).toEqual([200, besides, headerWarnings]);
      for (const other of [{ Cookie: 'session=2' }, { cookie: OLD_HEADERS.Cookie }, { Cookie2: 'a' }]) {
        const refused = await patch<Refusal>(path, { headers: { ...besides, ...other } });
        const [name] = Object.keys(other);
        expect([refused.status, refused.body.error.details.field]).toEqual([400, `headers["${name}"]`]);
      }
      expect((await scene.posthorn.request<Json>('GET', path)).body.headers).toEqual(besides);
      const replaced = await patch(path, { headers: { 'X-Shop': '2' } });
      expect([replaced.status, replaced.body.headers]).toEqual([200, { 'X-Shop': '2' }]);
      expect(replaced.body).not.toHaveProperty('warnings');
    });
  });

  describe('a stored URL that could not be saved today', () => {
    test('receives nothing: the attempt is refused as blocked_address, with a plain message', async () => {
      const { receiver, channelId } = await older({ webhookUrl: OLD_URL });
      const message = await publish(scene.posthorn, channelId);
      const delivery = await waitForDelivery(scene.posthorn, message.id, 'failed');
      expect(await scene.attemptsOf(delivery.id)).toMatchObject([
        {
          outcome: 'failed',
          errorClass: 'blocked_address',
          errorMessage: 'the webhook URL must not be a private, local or reserved address',
        },
      ]);
      expect(receiver.requests).toEqual([]);
    });

    test('is shown as a warning, and does not prevent another change', async () => {
      const { path, receiver } = await older({ webhookUrl: OLD_URL });
      const reason = 'cannot be used, and nothing is sent: it must not be a private, local or reserved address';
      const renamed = await patch(path, { name: 'renamed', webhookUrl: OLD_URL });
      expect([renamed.status, renamed.body.name]).toEqual([200, 'renamed']);
      expect(renamed.body.warnings).toEqual([{ field: 'webhookUrl', reason }]);
      const other = await patch<Refusal>(path, { webhookUrl: 'http://10.0.0.2/hook' });
      expect([other.status, other.body.error.details.field]).toEqual([400, 'webhookUrl']);
      const mended = await patch(path, { webhookUrl: receiver.url });
      expect(mended.status).toBe(200);
      expect(mended.body).not.toHaveProperty('warnings');
      expect((await scene.posthorn.request('GET', path)).body).not.toHaveProperty('warnings');
    });
  });
});
