import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { App } from '../../src/identity/apps/schema.ts';
import { slugOf } from '../../src/identity/apps/service.ts';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { make } from '../support/make/seed.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/two-apis.ts';
import { asPerson, personScheme } from '../support/world/person-scheme.ts';
import { openStream } from '../support/world/stream-reader.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';

let posthorn: TestPosthorn;
let appId: string;
let organisationId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, schemes: [personScheme] });
  const app = await posthorn.deps.db.app.findFirstOrThrow();
  ({ id: appId, organisationId } = app);
});
afterAll(() => posthorn.stop());

type AppJson = Omit<App, 'createdAt' | 'updatedAt'>;
type Refusal = { error?: { code: string; message: string; details?: { field: string; reason: string } } };

const patch = <T = AppJson & Refusal>(body: object, id = appId): Promise<Answer<T>> =>
  posthorn.request<T>('PATCH', `/v1/apps/${id}`, body);
/** Asks as a person of that organisation. */
const personally = <T = AppJson & Refusal>(
  method: string,
  path: string,
  body?: object,
  of = organisationId,
): Promise<Answer<T>> => posthorn.request<T>(method, path, body, { key: null, headers: asPerson(of) });
const refusalOf = ({ status, body }: Answer<Refusal>): unknown[] => [
  status,
  body.error?.code,
  body.error?.details?.field,
];
const otherOrganisation = async (): Promise<string> => {
  const id = posthorn.deps.newId('organisation');
  await posthorn.deps.db.organisation.create({ data: { id, name: 'Other' } });
  return id;
};

describe('an API key', () => {
  test('sees its own app, changes it, and finds no other one of its organisation', async () => {
    const shown = await posthorn.request<AppJson>('GET', `/v1/apps/${appId}`);
    expect(shown.body).toMatchObject({
      id: appId,
      organisationId,
      slug: 'test',
      status: 'active',
      settings: { retentionDays: 30, timeoutMs: 15_000, circuitBreaker: true },
    });
    const changed = await patch({ name: 'Shop', slug: 'shop', description: 'Sells' });
    expect(changed.body).toMatchObject({ name: 'Shop', slug: 'shop', description: 'Sells' });
    // Both environments are parts of it.
    const test = await posthorn.request('GET', `/v1/apps/${appId}`, undefined, { key: posthorn.keys.test });
    expect(test.body).toEqual(changed.body);

    const other = await posthorn.services.apps.operator.create({ name: 'Other', slug: 'other' }, organisationId);
    expect(refusalOf(await patch({ name: 'mine' }, other.id))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(refusalOf(await posthorn.request('GET', `/v1/apps/${other.id}`))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(refusalOf(await patch({ slug: 'other' }))).toEqual([409, 'CONFLICT', 'slug']);
    expect((await patch({ slug: 'shop' })).status).toBe(200);
  });

  test('for the test environment changes nothing of its app, which live uses too', async () => {
    const [path, as] = [`/v1/apps/${appId}`, { key: posthorn.keys.test }];
    const { body: before } = await posthorn.request('GET', path);
    for (const body of [{ name: 'x' }, { slug: 'x' }, { settings: { retentionDays: 1 } }])
      expect(refusalOf(await posthorn.request('PATCH', path, body, as))).toEqual([403, 'FORBIDDEN', 'Authorization']);
    expect((await posthorn.request('GET', path)).body).toEqual(before);
  });

  test('cannot change the status of its app: a test key would end the live environment', async () => {
    expect(refusalOf(await patch({ name: 'x', status: 'suspended' }))).toEqual([403, 'FORBIDDEN', 'status']);
    expect((await posthorn.request<AppJson>('GET', `/v1/apps/${appId}`)).body).toMatchObject({ name: 'Shop' });
    expect((await patch({ status: 'active' })).status).toBe(200);
  });
});

describe('the settings of an app', () => {
  afterEach(() => patch({ settings: null }));
  const webhookUrl = 'https://example.com/in';

  test('hold for resources that are made later without their own, and change none that is there', async () => {
    const before = await createChannel(posthorn);
    const early = await createSubscription(posthorn, { channelId: before.id, webhookUrl });
    const retryPolicy = { maxRetries: 2, initialDelay: 1_000, maxDelay: 8_000, backoffMultiplier: 2 };
    const settings = { retentionDays: 7, retryPolicy, timeoutMs: 2_000, circuitBreaker: false };
    expect((await patch({ settings })).body.settings).toEqual(settings);

    const channel = await createChannel(posthorn);
    expect(channel).toMatchObject({ retentionDays: 7 });
    expect(await createChannel(posthorn, { retentionDays: 9 })).toMatchObject({ retentionDays: 9 });
    const subscription = await createSubscription(posthorn, { channelId: channel.id, webhookUrl });
    expect(subscription).toMatchObject({ retryPolicy, timeoutMs: 2_000, circuitBreaker: false });
    const own = { timeoutMs: 3_000, circuitBreaker: true, retryPolicy: { maxRetries: 5, maxDelay: 500 } };
    expect(await createSubscription(posthorn, { channelId: channel.id, webhookUrl, ...own })).toMatchObject({
      ...own,
      retryPolicy: { maxRetries: 5, initialDelay: 500, maxDelay: 500, backoffMultiplier: 2 },
    });
    // In the test environment too, and not in what was made before.
    const inTest = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'orders' });
    expect(inTest['retentionDays']).toBe(7);
    const { body } = await posthorn.request('GET', `/v1/subscriptions/${early.id}`);
    expect(body).toMatchObject({ timeoutMs: 15_000, circuitBreaker: true, retryPolicy: { maxRetries: 10 } });
  });

  test('are merged, and given back by null one by one', async () => {
    await patch({ settings: { retentionDays: 7, timeoutMs: 2_000, retryPolicy: { maxRetries: 1 } } });
    const { body } = await patch({ settings: { timeoutMs: null, retryPolicy: { initialDelay: 100 } } });
    expect(body.settings).toEqual({
      retentionDays: 7,
      timeoutMs: 15_000,
      circuitBreaker: true,
      retryPolicy: { maxRetries: 1, initialDelay: 100, maxDelay: 21_600_000, backoffMultiplier: 3 },
    });
    expect((await patch({ settings: { retryPolicy: null } })).body.settings.retryPolicy.maxRetries).toBe(10);
  });

  test.each([
    [{ retentionDays: 0 }, 'settings.retentionDays'],
    [{ retentionDays: 366 }, 'settings.retentionDays'],
    [{ timeoutMs: 999 }, 'settings.timeoutMs'],
    [{ circuitBreaker: 'no' }, 'settings.circuitBreaker'],
    [{ retryPolicy: { maxRetries: 101 } }, 'settings.retryPolicy.maxRetries'],
    [{ retryPolicy: { initialDelay: 2_000, maxDelay: 1_000 } }, 'settings.retryPolicy.maxDelay'],
    [{ retention: 1 }, 'settings.retention'],
  ])('are refused where no resource could have them: %j', async (settings, field) => {
    expect(refusalOf(await patch({ settings }))).toEqual([400, 'INVALID_REQUEST', field]);
  });
});

describe('somebody above the environments', () => {
  test('makes an app with both environments and their system channels, and keys for it', async () => {
    const made = await personally('POST', '/v1/apps', { name: 'Läden & Märkte', settings: { retentionDays: 3 } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ organisationId, slug: 'laden-markte', settings: { retentionDays: 3 } });
    const environments = await posthorn.deps.db.environment.findMany({
      where: { appId: made.body.id },
      include: { channels: true },
    });
    expect(environments.map(({ kind }) => kind).toSorted()).toEqual(['live', 'test']);
    expect(environments.map(({ channels }) => channels.map(({ kind }) => kind))).toEqual([['system'], ['system']]);

    const draft = { environment: 'live', name: 'its own', tier: 'pro', appId: made.body.id } as const;
    const { key, appId: ofKey } = await posthorn.services.apiKeys.operator.create(draft);
    expect(ofKey).toBe(made.body.id);
    const channel = await make(posthorn, key, '/v1/channels', { name: 'orders' });
    expect(channel['retentionDays']).toBe(3);
    // Another app's channel is as good as missing.
    expect((await posthorn.request('GET', `/v1/channels/${channel.id}`)).status).toBe(404);
    const taken = await personally('POST', '/v1/apps', { name: 'x', slug: 'laden-markte' });
    expect(refusalOf(taken)).toEqual([409, 'CONFLICT', 'slug']);
  });

  test('sees every app of the organisation in pages, and of no other one', async () => {
    const other = await otherOrganisation();
    const foreign = await personally('POST', '/v1/apps', { name: 'Test', slug: 'test' }, other);
    expect(foreign.status).toBe(201);
    for (const name of ['One', 'Two']) await personally('POST', '/v1/apps', { name });
    const rows = await posthorn.deps.db.app.findMany({ where: { organisationId }, orderBy: { id: 'desc' } });

    const ids: string[] = [];
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const { body }: Answer<PageJson<AppJson>> = await personally('GET', `/v1/apps${query}`);
      ids.push(...body.data.map(({ id }) => id));
      query = body.pagination.cursor === undefined ? undefined : `?limit=2&cursor=${body.pagination.cursor}`;
      if (query !== undefined)
        expect(refusalOf(await personally('GET', `/v1/apps${query}`, undefined, other))).toEqual([
          400,
          'INVALID_REQUEST',
          'cursor',
        ]);
    }
    expect(ids).toEqual(rows.map(({ id }) => id));
    const path = `/v1/apps/${foreign.body.id}`;
    expect((await personally('GET', path)).status).toBe(404);
    expect((await personally('PATCH', path, { name: 'mine' })).status).toBe(404);
    expect((await personally('GET', path, undefined, other)).body).toMatchObject({ name: 'Test' });
  });

  test('two apps that ask for one slug at once do not both get it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => personally('POST', '/v1/apps', { name: 'Race', slug: 'race' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });
});

describe('a suspended app', () => {
  let ofApp: { id: string; key: string; keyId: string };
  beforeEach(async () => {
    const { id } = await posthorn.services.apps.operator.create(
      { name: 'Suspended', slug: posthorn.deps.newId('app').replace('_', '-') },
      organisationId,
    );
    const draft = { environment: 'live', name: 'key', tier: 'enterprise', appId: id } as const;
    const made = await posthorn.services.apiKeys.operator.create(draft);
    ofApp = { id, key: made.key, keyId: made.id };
  });
  const setStatus = (status: string): Promise<Answer<AppJson & Refusal>> =>
    personally('PATCH', `/v1/apps/${ofApp.id}`, { status });
  const asked = (url = posthorn.url): Promise<Response> =>
    fetch(`${url}/v1/channels`, { headers: { authorization: `Bearer ${ofApp.key}` } });

  test('has its credentials refused at once here, with a reason, until it is active', async () => {
    expect((await asked()).status).toBe(200);
    expect((await setStatus('suspended')).body.status).toBe('suspended');
    const refused = await asked();
    expect(refused.status).toBe(403);
    // `as`: the envelope.
    expect(((await refused.json()) as Refusal).error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The app of this credential is suspended',
    });
    // Other apps go on.
    expect((await posthorn.request('GET', '/v1/channels')).status).toBe(200);
    expect((await setStatus('active')).status).toBe(200);
    expect((await asked()).status).toBe(200);
  });

  test('has them refused within 5 s in every other process', async () => {
    let now = Date.now();
    const { db, tenants, newId, log } = posthorn.deps;
    const other = apiKeysOf({ db, tenants, clock: () => new Date(now), newId, log });
    expect((await other.authenticate(ofApp.key))?.appId).toBe(ofApp.id);
    await setStatus('suspended');
    now += 5_000;
    await expect(other.authenticate(ofApp.key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await setStatus('active');
    now += 5_000;
    expect((await other.authenticate(ofApp.key))?.appId).toBe(ofApp.id);
    await other.settled();
  });

  test('ends its streams, in another process too', async () => {
    const channel = await make(posthorn, ofApp.key, '/v1/channels', { name: 'orders' });
    const second = await startSecondApi(posthorn);
    try {
      const path = `/v1/channels/${channel.id}/stream`;
      const streams = await Promise.all(
        [posthorn.url, second.url].map((url) => openStream({ url: url + path, key: ofApp.key })),
      );
      await setStatus('suspended');
      for (const stream of streams) expect(await stream.waitForEnd()).toBe('whole');
    } finally {
      await second.stop();
    }
  });

  test('marks what is made while it is being suspended as well', async () => {
    const { services } = posthorn;
    for (let round = 0; round < 5; round += 1) {
      const channel = await make(posthorn, ofApp.key, '/v1/channels', { name: 'orders' });
      const body = { channelId: channel.id, webhookUrl: 'https://example.com/in' };
      const options = { key: ofApp.key };
      await Promise.all([
        services.apps.operator.setStatus(ofApp.id, 'suspended'),
        ...Array.from({ length: 4 }, () => posthorn.request('POST', '/v1/subscriptions', body, options)),
        ...Array.from({ length: 4 }, () => posthorn.request('POST', '/v1/channels', { name: 'x' }, options)),
      ]);
      const where = { environment: { appId: ofApp.id }, kind: 'user', appSuspendedAt: null };
      expect(await posthorn.deps.db.channel.count({ where })).toBe(0);
      const channels = await posthorn.deps.db.channel.findMany({ where: { environment: { appId: ofApp.id } } });
      const ofThem = { channelId: { in: channels.map(({ id }) => id) }, appSuspendedAt: null };
      expect(await posthorn.deps.db.subscription.count({ where: ofThem })).toBe(0);
      await services.apps.operator.setStatus(ofApp.id, 'active');
      await services.apiKeys.forgetEverywhere(ofApp.id);
    }
  });
});

test.each([
  ['Shop', 'shop'],
  ['  Läden & Märkte  ', 'laden-markte'],
  ['a'.repeat(200), 'a'.repeat(63)],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ['店', 'app'],
  ['--', 'app'],
])('the name %j makes the slug %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

describe('the operator', () => {
  test('names an app by id or slug, or not at all where there is one', async () => {
    const { operator } = posthorn.services.apps;
    const { slug } = await operator.find(appId);
    expect((await operator.find('laden-markte')).slug).toBe('laden-markte');
    expect(slug).toBe('shop');
    await expect(operator.find(undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(operator.find('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Two organisations have one of that slug by now.
    await expect(operator.create({ name: 'x' }, undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
