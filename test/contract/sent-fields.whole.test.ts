import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { isSettable } from '../../src/api/http/reading/fields.ts';
import { parseInput } from '../../src/api/http/reading/validate.ts';
import { SYNONYMS } from '../../src/kernel/values/nearest-name.ts';
import { routes } from '../../src/process/routes.ts';
import { CONTRACT, type ResourceIds } from '../support/check/contract-table.ts';
import { PEOPLE } from '../support/check/people-table.ts';
import { objectsOf } from '../support/check/schema-objects.ts';
import { contentsAtRest, tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { make, seedResources } from '../support/make/seed.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('known fields', () => {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  type Resource = { id: string } & Record<string, unknown>;
  type Refusal = { error?: { code: string; details?: { field: string; reason: string } } };

  const create = (path: string, body: Record<string, unknown>): Promise<Resource> =>
    make(posthorn, posthorn.keys.live, path, body);
  const message = { eventType: 'order.paid', payload: {} };

  // Regression: the schema did not have the field, so it was dropped, and the response was 201.
  test.each(['active', 'paused', 'archived'])('a channel created with the status %s has it', async (status) => {
    const channel = await create('/v1/channels', { name: 'orders', status });
    expect(channel['status']).toBe(status);
    expect((await posthorn.request('GET', `/v1/channels/${channel.id}`)).body).toEqual(channel);
    const published = await posthorn.request('POST', `/v1/channels/${channel.id}/messages`, message);
    expect(published.status).toBe(status === 'active' ? 202 : 409);
  });

  // Regression: PATCH dropped `status`, responded with 200, and the subscription stayed active.
  test('a PATCH of the status pauses and resumes a subscription, together with its other changes', async () => {
    const channel = await create('/v1/channels', { name: 'orders' });
    const subscription = await create('/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
    const address = `/v1/subscriptions/${subscription.id}`;
    const paused = await posthorn.request('PATCH', address, { status: 'paused', name: 'till' });
    expect([paused.status, paused.body]).toMatchObject([200, { status: 'paused', name: 'till' }]);
    const first = await publish(posthorn, channel.id, message);
    await waitFor('the delivery to be there', async () => (await deliveryOf(posthorn, first.id))?.status === 'pending');
    const where = { id: subscription.id };
    await posthorn.deps.db.subscription.update({ where, data: { failingSince: new Date(0) } });

    const resumed = await posthorn.request('PATCH', address, { status: 'active', rateLimit: 50 });
    expect([resumed.status, resumed.body]).toMatchObject([200, { status: 'active', rateLimit: 50 }]);
    await waitForDelivery(posthorn, first.id, 'delivered');
    // Its health is reset, as by resume.
    const row = await posthorn.deps.db.subscription.findUniqueOrThrow({ where });
    expect([row.failingSince, row.resumedAt]).toEqual([null, expect.any(Date)]);

    await posthorn.deps.db.subscription.update({ where, data: { status: 'disabled' } });
    expect((await posthorn.request('PATCH', address, { status: 'active' })).body).toMatchObject({ status: 'active' });
    const second = await publish(posthorn, channel.id, message);
    await waitForDelivery(posthorn, second.id, 'delivered');
  });

  test('a PATCH with one invalid field does not change the status', async () => {
    const channel = await create('/v1/channels', { name: 'orders' });
    const { id } = await create('/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
    const bad = { status: 'paused', webhookUrl: 'ftp://example.com/' };
    const answer = await posthorn.request<Refusal>('PATCH', `/v1/subscriptions/${id}`, bad);
    expect([answer.status, answer.body.error?.details?.field]).toEqual([400, 'webhookUrl']);
    expect((await posthorn.request('GET', `/v1/subscriptions/${id}`)).body).toMatchObject({ status: 'active' });
  });

  test('a subscription created as paused waits, and receives the waiting messages once it is resumed', async () => {
    const channel = await create('/v1/channels', { name: 'orders' });
    const subscription = { channelId: channel.id, webhookUrl: receiver.url, status: 'paused' };
    const { id, status } = await create('/v1/subscriptions', subscription);
    expect(status).toBe('paused');
    const { id: messageId } = await publish(posthorn, channel.id, message);
    await waitFor(
      'the delivery to be there',
      async () => (await deliveryOf(posthorn, messageId))?.status === 'pending',
    );
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
    await waitForDelivery(posthorn, messageId, 'delivered');
  });

  // Regression: if the path names the channel, a message's channelId was dropped, and the message went to the channel of the path.
  test('a message may name its channel if the path does, but no other channel', async () => {
    const channel = await create('/v1/channels', { name: 'orders' });
    const other = await create('/v1/channels', { name: 'stock' });
    const path = `/v1/channels/${channel.id}`;
    const own = { ...message, channelId: channel.id };
    const foreign = { ...message, channelId: other.id };
    const calls: [string, number, unknown, string, unknown][] = [
      [`${path}/messages`, 202, own, 'channelId', foreign],
      [
        `${path}/messages/batch`,
        202,
        { messages: [message, own] },
        'messages[1].channelId',
        { messages: [own, foreign] },
      ],
      [`${path}/validate`, 200, own, 'channelId', foreign],
      [`${path}/validate`, 200, { messages: [own] }, 'messages[0].channelId', { messages: [foreign, own] }],
    ];
    for (const [address, status, good, field, bad] of calls) {
      expect([address, (await posthorn.request('POST', address, good)).status]).toEqual([address, status]);
      const before = await contentsAtRest(posthorn);
      const answer = await posthorn.request<Refusal>('POST', address, bad);
      expect([answer.status, answer.body.error?.details]).toEqual([
        400,
        { field, reason: 'must be the channel of the path or be omitted' },
      ]);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    }
  });

  // Regression: a bulk replay accepted any text for a filter and responded that nothing matched.
  test('a body that names a missing resource, or one of the other environment, is refused with its field', async () => {
    const channel = await create('/v1/channels', { name: 'orders' });
    const foreign = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'orders' });
    const foreignTarget = { channelId: foreign.id, webhookUrl: receiver.url };
    const foreignSubscription = await make(posthorn, posthorn.keys.test, '/v1/subscriptions', foreignTarget);
    const missing = [`chn_01m${'0'.repeat(23)}`, 'x', '', foreign.id, channel.id.toUpperCase()];
    const calls: [string, (id: string) => Record<string, unknown>, string, string[]][] = [
      ['/v1/subscriptions', (channelId) => ({ channelId, webhookUrl: receiver.url }), 'channelId', missing],
      [
        '/v1/messages/batch',
        (channelId) => ({ messages: [{ ...message, channelId }] }),
        'messages[0].channelId',
        missing,
      ],
      ['/v1/dlq/replay', (channelId) => ({ channelId }), 'channelId', missing],
      [
        '/v1/dlq/replay',
        (subscriptionId) => ({ subscriptionId, dryRun: true }),
        'subscriptionId',
        [foreignSubscription.id, 'x'],
      ],
      ['/v1/dlq/discard', (channelId) => ({ channelId }), 'channelId', missing],
      ['/v1/dlq/replay', (messageId) => ({ messageId }), 'messageId', [`msg_01m${'0'.repeat(23)}`, 'x']],
      [
        `/v1/channels/${channel.id}/dry-run`,
        (subscriptionId) => ({ ...message, subscriptionId }),
        'subscriptionId',
        [foreignSubscription.id, 'x'],
      ],
      [
        `/v1/channels/${channel.id}/dry-run`,
        (messageId) => ({ messageId }),
        'messageId',
        [`msg_01m${'0'.repeat(23)}`, 'x'],
      ],
    ];
    const { id: published } = await publish(posthorn, channel.id);
    const replayTo = (subscriptionId: string) => ({ subscriptionId });
    calls.push([`/v1/messages/${published}/replay`, replayTo, 'subscriptionId', [foreignSubscription.id, 'x']]);
    const before = await contentsAtRest(posthorn);
    for (const [path, body, field, ids] of calls)
      for (const id of ids) {
        const answer = await posthorn.request<Refusal>('POST', path, body(id));
        const { code, details } = answer.body.error ?? {};
        expect([path, id, answer.status, code, details?.field]).toEqual([path, id, 400, 'INVALID_REQUEST', field]);
      }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });
});

describe('null fields', () => {
  let ids: ResourceIds;

  beforeAll(async () => {
    ids = await seedResources(posthorn, posthorn.keys.live);
  });

  type Body = Record<string, unknown>;

  const withBody = routes
    .filter(({ isOAuth }) => isOAuth !== true)
    .flatMap((route) => {
      const good = CONTRACT.find(({ method, path }) => method === route.method && path === route.path)?.body;
      const ofPeople = (): Body =>
        PEOPLE.find(({ endpoint }) => endpoint === `${route.method} ${route.path}`)?.body ?? {};
      return route.body === undefined ? [] : [{ ...route, schema: route.body, good: good ?? ofPeople }];
    });
  const settable = (object: z.ZodObject): string[] =>
    Object.keys(object.shape).filter((name) => isSettable(object.shape[name] as z.ZodType));
  const mayBeAbsent = (object: z.ZodObject, name: string): boolean =>
    (object.shape[name] as z.ZodType)._zod.optin !== undefined;

  /** Returns a copy of the body with that member of the object at the path; missing objects on the way are created. */
  function withMember(body: Body, path: readonly string[], name: string, value: unknown): Body {
    const [first, ...rest] = path;
    if (first === undefined) return { ...body, [name]: value };
    if (first === 'messages') {
      const [, ...inMessage] = rest;
      const message = { eventType: 'order.created', payload: {}, channelId: ids.channelId };
      return { messages: [withMember(message, inMessage, name, value)] };
    }
    // `as`: the contract's bodies have objects where their schemas do.
    return { ...body, [first]: withMember((body[first] ?? {}) as Body, rest, name, value) };
  }

  test('every object of every body and query refuses unknown fields', () => {
    // RFC 6749 §3.2: the token endpoint ignores unknown fields.
    const strict = routes.filter(({ isOAuth }) => isOAuth !== true);
    const objects = strict.flatMap(({ method, path, body, query }) =>
      [body, query]
        .flatMap((schema) => objectsOf(schema))
        .map(({ object, path: at }) => ({ method, path, at, object })),
    );
    expect(objects.length).toBeGreaterThan(30);
    // Browsers write the contents of `passkey`, and newer ones add to it (WebAuthn Level 3, section 5.1.6).
    const ours = objects.filter(({ at }) => at[0] !== 'passkey');
    expect(ours.length).toBeLessThan(objects.length);
    const open = ours.filter(({ object }) => object.def.catchall?._zod.def.type !== 'never');
    expect(open.map(({ method, path, at }) => [method, path, ...at].join(' '))).toEqual([]);
  });

  test('every synonym belongs to fields or parameters of some request', () => {
    const known = routes.flatMap(({ body, query }) =>
      [body, query].flatMap((schema) => objectsOf(schema)).flatMap(({ object }) => settable(object)),
    );
    const unknown = Object.entries(SYNONYMS).flatMap(([given, meant]) =>
      meant.filter((name) => !known.includes(name)).map((name) => `${given} -> ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  /** Requests about everything that a filter matches, which null would widen. */
  const OF_ALL_THAT_MATCH = ['/v1/dlq/replay', '/v1/dlq/discard', '/v1/deliveries/retry'];

  describe.each(withBody.filter(({ path }) => OF_ALL_THAT_MATCH.includes(path)))('$method $path', ({ schema }) => {
    test('refuses null for a part of the filter, which might be an id that a program has lost', () => {
      const names = objectsOf(schema).flatMap(({ object }) => settable(object));
      expect(names).toContain('subscriptionId');
      expect(names.filter((name) => typeof outcome(schema, { [name]: null }) !== 'string')).toEqual([]);
    });
  });

  // Regression: null was accepted only where a field happened to be declared nullable (filter, rateLimit).
  const others = withBody.filter(({ method, path }) => method === 'POST' && !OF_ALL_THAT_MATCH.includes(path));
  describe.each(others)('$method $path', ({ schema, good }) => {
    test('accepts null for an optional field, with the meaning of leaving it out', () => {
      const fields = objectsOf(schema).flatMap(({ path, object }) =>
        settable(object)
          .filter((name) => mayBeAbsent(object, name))
          .map((name) => ({ path, name })),
      );
      for (const { path, name } of fields) {
        // Some fields are required only together with others: then both bodies are refused alike.
        const without = withMember(good(ids), path, name, undefined);
        const answer = outcome(schema, JSON.parse(JSON.stringify(without)));
        expect([path, name, outcome(schema, withMember(good(ids), path, name, null))]).toEqual([path, name, answer]);
      }
      const required = objectsOf(schema).flatMap(({ path, object }) =>
        Object.keys(object.shape)
          .filter((name) => !mayBeAbsent(object, name))
          .map((name) => ({ path, name })),
      );
      for (const { path, name } of required)
        expect([path, name, outcome(schema, withMember(good(ids), path, name, null))]).toEqual([
          path,
          name,
          expect.stringMatching(/must be/),
        ]);
      expect(fields.length + required.length).toBeGreaterThan(0);
    });
  });

  /** Returns the body as parsed by the schema, or why it is refused. */
  function outcome(schema: z.ZodType, body: unknown): unknown {
    try {
      return parseInput(schema, body);
    } catch (refusal) {
      return String(refusal);
    }
  }

  const PATCHED: { path: string; resource: () => string; clears: string[] }[] = [
    { path: '/v1/channels/:channelId', resource: () => ids.channelId, clears: ['description', 'schema', 'schemas'] },
    {
      path: '/v1/subscriptions/:subscriptionId',
      resource: () => ids.subscriptionId,
      clears: ['owner', 'filter', 'maxConcurrency', 'rateLimit'],
    },
    { path: '/v1/api-keys/:apiKeyId', resource: () => ids.apiKeyId, clears: ['limits', 'expiresAt'] },
    { path: '/v1/apps/:appId', resource: () => ids.appId, clears: ['description', 'settings'] },
    {
      path: '/v1/machine-credentials/:machineCredentialId',
      resource: () => ids.machineCredentialId,
      clears: ['limits', 'expiresAt'],
    },
    { path: '/v1/workflows/:workflowId', resource: () => ids.workflowId, clears: ['description'] },
    { path: '/v1/connections/:connectionId', resource: () => ids.connectionId, clears: [] },
    { path: '/v1/secrets/:secretId', resource: () => ids.secretId, clears: [] },
    { path: '/v1/inspectors/:inspectorId', resource: () => ids.inspectorId, clears: [] },
    {
      path: '/v1/webhooks/:webhookId',
      resource: () => ids.webhookId,
      clears: ['eventId', 'eventType', 'payload'],
    },
  ];

  test('null clears what is optional for a resource, and is refused otherwise', async () => {
    const patches = withBody.filter(
      ({ method, access }) => method === 'PATCH' && typeof access === 'object' && access.level !== 'organisation',
    );
    expect(patches.map(({ path }) => path).toSorted()).toEqual(PATCHED.map(({ path }) => path).toSorted());
    for (const { path, resource, clears } of PATCHED) {
      const address = path.replace(/:\w+/, resource());
      const [whole] = objectsOf(patches.find((row) => row.path === path)?.schema);
      for (const name of whole === undefined ? [] : settable(whole.object)) {
        const answer = await posthorn.request<{ error?: { details: { field: string; reason: string } } } & Body>(
          'PATCH',
          address,
          { [name]: null },
        );
        if (clears.includes(name)) {
          expect([name, answer.status]).toEqual([name, 200]);
          expect((await posthorn.request('GET', address)).body[name] ?? null).toEqual(CLEARED[name] ?? null);
        } else {
          expect([answer.status, answer.body.error?.details.field]).toEqual([400, name]);
          expect(answer.body.error?.details.reason).toMatch(/^must be .*, not null$/);
        }
      }
    }
  });

  /** Values of fields that show a default once null has cleared them. */
  const CLEARED: Record<string, unknown> = {
    settings: {
      retentionDays: 30,
      retryPolicy: { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 },
      timeoutMs: 15_000,
      circuitBreaker: true,
    },
    limits: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 },
  };
});

describe('sent back', () => {
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

  /** Creates one of each kind with every field that it can have, and returns their addresses. */
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
      // A name is unique in an environment.
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

  /** Without the fields that change by themselves between two reads. */
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

  // Regression: fields that only the service sets were silently dropped, so a wrong one was a 200 as well, and a webhookUrl that was
  // sent back reset the health of its subscription.
  test('a resource that is sent back as GET returned it, with traffic in between, is unchanged', async () => {
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
    // Organisations and members have tests of their own, because API keys have no access above environments.
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

  test('a resource that the service has changed meanwhile can be sent back too: disabled, expired, revoked, archived, the system channel', async () => {
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

  test('one wrong value of a field that identifies a resource, or is set elsewhere, makes PATCH refuse everything', async () => {
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
      [all.subscription, subscription, 'channelId', otherId(other.channel), /create a new subscription/],
      [all.subscription, subscription, 'createdAt', later, /^cannot change$/],
      [all.subscription, subscription, 'status', 'disabled', /must be active or paused/],
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

  test('a create request with a field that only the service sets is refused, and nothing is created', async () => {
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
        expect(answer.body.error?.details?.reason).toMatch(
          /^(is (set|made|not set)|must (not be given|be active or paused)|cannot be set here)\b/,
        );
      }
    }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });
});
