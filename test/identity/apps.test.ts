import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { App } from '../../src/identity/tenancy/apps/schema.ts';
import { slugOf } from '../../src/identity/tenancy/apps/service.ts';
import type { Organisation } from '../../src/identity/tenancy/organisations/schema.ts';
import type { SignedIn, User } from '../../src/identity/people/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { actIn, joinAs, OWNER, setUp } from '../support/make/people.ts';
import { make } from '../support/make/seed.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/two-apis.ts';
import type { Browser } from '../support/world/browser.ts';
import { asPerson, personScheme } from '../support/world/person-scheme.ts';
import { openStream } from '../support/world/stream-reader.ts';

describe('apps', () => {
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
  /** Sends a request as a user of that organisation. */
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
    test('sees its own app, changes it, and finds no other app of its organisation', async () => {
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
      // Both environments are part of it.
      const test = await posthorn.request('GET', `/v1/apps/${appId}`, undefined, { key: posthorn.keys.test });
      expect(test.body).toEqual(changed.body);

      const other = await posthorn.services.apps.operator.create({ name: 'Other', slug: 'other' }, organisationId);
      expect(refusalOf(await patch({ name: 'mine' }, other.id))).toEqual([404, 'NOT_FOUND', undefined]);
      expect(refusalOf(await posthorn.request('GET', `/v1/apps/${other.id}`))).toEqual([404, 'NOT_FOUND', undefined]);
      expect(refusalOf(await patch({ slug: 'other' }))).toEqual([409, 'CONFLICT', 'slug']);
      expect((await patch({ slug: 'shop' })).status).toBe(200);
    });

    test('for the test environment cannot change its app, which live uses too', async () => {
      const [path, as] = [`/v1/apps/${appId}`, { key: posthorn.keys.test }];
      const { body: before } = await posthorn.request('GET', path);
      for (const body of [{ name: 'x' }, { slug: 'x' }, { settings: { retentionDays: 1 } }])
        expect(refusalOf(await posthorn.request('PATCH', path, body, as))).toEqual([403, 'FORBIDDEN', 'Authorization']);
      expect((await posthorn.request('GET', path)).body).toEqual(before);
    });

    test('cannot change the status of its app: a test key would suspend the live environment', async () => {
      expect(refusalOf(await patch({ name: 'x', status: 'suspended' }))).toEqual([403, 'FORBIDDEN', 'status']);
      expect((await posthorn.request<AppJson>('GET', `/v1/apps/${appId}`)).body).toMatchObject({ name: 'Shop' });
      expect((await patch({ status: 'active' })).status).toBe(200);
    });
  });

  describe('the settings of an app', () => {
    afterEach(() => patch({ settings: null }));
    const webhookUrl = 'https://example.com/in';

    test('apply to resources that are created later without their own, and change no existing one', async () => {
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
      // In the test environment too, but not in what was created before.
      const inTest = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'orders' });
      expect(inTest['retentionDays']).toBe(7);
      const { body } = await posthorn.request('GET', `/v1/subscriptions/${early.id}`);
      expect(body).toMatchObject({ timeoutMs: 15_000, circuitBreaker: true, retryPolicy: { maxRetries: 10 } });
    });

    test('are merged, and reset one by one by null', async () => {
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
    ])('are refused if no resource could have them: %j', async (settings, field) => {
      expect(refusalOf(await patch({ settings }))).toEqual([400, 'INVALID_REQUEST', field]);
    });
  });

  describe('a caller above the environments', () => {
    test('creates an app with both environments and their system channels, and keys for it', async () => {
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
      // Another app's channel is treated as missing.
      expect((await posthorn.request('GET', `/v1/channels/${channel.id}`)).status).toBe(404);
      const taken = await personally('POST', '/v1/apps', { name: 'x', slug: 'laden-markte' });
      expect(refusalOf(taken)).toEqual([409, 'CONFLICT', 'slug']);
    });

    test('sees every app of the organisation in pages, and none of another', async () => {
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

    test('cannot give one slug to two apps at once', async () => {
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
      // Other apps are not affected.
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

    test('also marks resources that are created while it is being suspended', async () => {
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
  ])('the name %j becomes the slug %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  describe('the operator', () => {
    test('names an app by id or slug, or not at all if there is only one', async () => {
      const { operator } = posthorn.services.apps;
      const { slug } = await operator.find(appId);
      expect((await operator.find('laden-markte')).slug).toBe('laden-markte');
      expect(slug).toBe('shop');
      await expect(operator.find(undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(operator.find('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      // Two organisations have an app with that slug by now.
      await expect(operator.create({ name: 'x' }, undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
    });
  });
});

describe('organisations', () => {
  let posthorn: TestPosthorn;
  let own: string;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false, schemes: [personScheme] });
    own = (await posthorn.deps.db.app.findFirstOrThrow()).organisationId;
  });
  afterAll(() => posthorn.stop());

  type Json = Record<keyof Organisation, string> & { error?: { code: string; details?: { field: string } } };
  const ask = (method: string, id: string, body?: object, of = own): Promise<Answer<Json>> =>
    posthorn.request<Json>(method, `/v1/organisations/${id}`, body, { key: null, headers: asPerson(of) });

  test('a user sees and renames their organisation, and can send it back as it was read', async () => {
    const { status, body } = await ask('GET', own);
    expect([status, body.id]).toEqual([200, own]);
    const renamed = await ask('PATCH', own, { name: 'Shops' });
    expect(renamed.body).toEqual({ ...body, name: 'Shops', updatedAt: renamed.body.updatedAt });
    expect((await ask('PATCH', own, renamed.body)).body).toEqual(renamed.body);
    expect((await ask('GET', own)).body).toEqual(renamed.body);
    for (const [field, value] of Object.entries({ id: 'org_1', createdAt: new Date(0).toISOString(), name: 'a\nb' })) {
      const { status: refused, body: problem } = await ask('PATCH', own, { [field]: value });
      expect([refused, problem.error?.details?.field]).toEqual([400, field]);
    }
  });

  describe('further organisations', () => {
    beforeEach(async () => {
      await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
    });
    type Listed = { data: Organisation[]; pagination: { cursor?: string; hasMore: boolean } };

    test('are created by an admin of an organisation, who owns them; all other users find nothing there', async () => {
      const { browser } = await setUp(posthorn);
      const made = await browser.request<Organisation>('POST', '/v1/organisations', { name: 'Shops' });
      expect([made.status, made.body.name]).toEqual([201, 'Shops']);
      const { id } = made.body;
      const { body } = await browser.request<SignedIn>('GET', '/v1/session');
      expect(body.organisations.find((each) => each.id === id)).toMatchObject({ role: 'owner', apps: [] });
      const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
        role: 'admin',
        email: 'nora@example.com',
      });
      for (const [method, sent] of [['GET'], ['PATCH', { name: 'mine' }]] as const) {
        expect((await ask(method, id, sent)).status).toBe(404);
        const names = { headers: { 'posthorn-organisation': own } };
        expect((await nora.browser.request(method, `/v1/organisations/${id}`, sent, names)).status).toBe(404);
      }
      expect((await nora.browser.request('GET', `/v1/organisations/${id}/members`)).status).toBe(404);
      // Without a header the path names the organisation.
      for (const [who, status] of [
        [browser, 200],
        [nora.browser, 404],
      ] as const) {
        expect((await who.request('GET', `/v1/organisations/${id}`)).status).toBe(status);
        expect((await who.request('PATCH', `/v1/organisations/${id}`, { name: 'Shops' })).status).toBe(status);
      }
      expect((await browser.request('GET', '/v1/organisations/org_x')).status).toBe(404);
      const app = { name: 'First', slug: 'first' };
      const inIt = { headers: { 'posthorn-organisation': id } };
      expect((await browser.request('POST', '/v1/apps', app, inIt)).status).toBe(201);
    });

    test('are refused to users who are admin nowhere, and beyond a hundred', async () => {
      const { browser, me } = await setUp(posthorn);
      const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
        role: 'developer',
        email: 'nora@example.com',
      });
      const before = await tableContents(posthorn.deps.pool);
      expect((await nora.browser.request('POST', '/v1/organisations', { name: 'x' })).status).toBe(403);
      expect((await browser.request('POST', '/v1/organisations', { name: 'a\nb' })).status).toBe(400);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
      const { db, newId } = posthorn.deps;
      const more = Array.from({ length: 99 }, (_, index) => ({ id: newId('organisation'), name: `More ${index}` }));
      await db.organisation.createMany({ data: more });
      await db.member.createMany({
        data: more.map(({ id }) => ({ organisationId: id, userId: me.user.id, role: 'viewer' })),
      });
      expect((await browser.request('POST', '/v1/organisations', { name: 'x' })).status).toBe(409);
    });

    test('have members who are listed by their ids, and none of another organisation', async () => {
      const { browser, me } = await setUp(posthorn);
      const nora = await joinAs(posthorn, browser, `/v1/organisations/${own}`, {
        role: 'developer',
        email: 'nora@example.com',
      });
      const other = (await browser.request<Organisation>('POST', '/v1/organisations', { name: 'Other' })).body.id;
      type Members = { data: { userId: string }[]; pagination: { hasMore: boolean } };
      const list = async (of: string, query: string): Promise<string[]> => {
        const { status, body } = await browser.request<Members>('GET', `/v1/organisations/${of}/members?${query}`);
        expect(status).toBe(200);
        return body.data.map(({ userId }) => userId);
      };
      const [mine, hers] = [me.user.id, nora.me.user.id];
      expect(await list(own, `userIds=${hers}`)).toEqual([hers]);
      expect(await list(own, `userIds=${mine},${hers},${hers}`)).toEqual(await list(own, ''));
      expect(await list(own, `userIds=usr_0${'z'.repeat(25)}`)).toEqual([]);
      expect(await list(other, `userIds=${mine},${hers}`)).toEqual([mine]);
      const refused = await browser.request('GET', `/v1/organisations/${own}/members?userIds=${mine},`);
      expect(refused.status).toBe(400);
    });

    test('are listed newest first, page by page, only those of the caller', async () => {
      const { browser } = await setUp(posthorn);
      const made: string[] = [];
      for (const name of ['One', 'Two'])
        made.unshift((await browser.request<Organisation>('POST', '/v1/organisations', { name })).body.id);
      const { id: foreign } = await posthorn.deps.db.organisation.create({
        data: { id: posthorn.deps.newId('organisation'), name: 'Foreign' },
      });
      const first = (await browser.request<Listed>('GET', '/v1/organisations?limit=2')).body;
      expect(first.data.map(({ id }) => id)).toEqual(made);
      const rest = await browser.request<Listed>('GET', `/v1/organisations?cursor=${first.pagination.cursor}`);
      expect(rest.body.data.map(({ id }) => id)).toEqual([own]);
      expect(JSON.stringify([first, rest.body])).not.toContain(foreign);
    });
  });
});

describe('users in suspended apps', () => {
  let posthorn: TestPosthorn;
  let person: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    person = await setUp(posthorn);
    actIn(person.browser, person.me, 'test');
  });
  afterAll(() => posthorn.stop());

  type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

  test('a user in a suspended app reads and changes it but publishes nothing, until they activate it again', async () => {
    const { browser, me } = person;
    const statusOf = async (method: string, path: string, sent?: unknown) =>
      (await browser.request(method, path, sent)).status;
    const app = `/v1/apps/${me.organisations[0]?.apps[0]?.id}`;
    const made = await browser.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
    const publish = () =>
      browser.request<Refusal>('POST', `/v1/channels/${made.body.id}/messages`, { eventType: 'a.b', payload: {} });
    expect(await statusOf('PATCH', app, { status: 'suspended' })).toBe(200);
    const { status, body } = await publish();
    expect([status, body.error.code, body.error.details]).toEqual([
      403,
      'FORBIDDEN',
      { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
    ]);
    expect(await posthorn.deps.db.message.count({ where: { channelId: made.body.id } })).toBe(0);
    expect(await statusOf('GET', `/v1/channels/${made.body.id}`)).toBe(200);
    expect(await statusOf('PATCH', `/v1/channels/${made.body.id}`, { description: 'x' })).toBe(200);
    expect(await statusOf('PATCH', app, { status: 'active', name: 'Changed in test' })).toBe(200);
    expect((await publish()).status).toBe(202);
  });

  // Regression: a session started runs whose steps sent requests, and the test of a connection called its service.
  test('a user cannot start or retry runs, decide approvals or test connections there, but can read the rest', async () => {
    const { browser, me } = person;
    const app = `/v1/apps/${me.organisations[0]?.apps[0]?.id}`;
    const made = async (path: string, body: unknown) =>
      (await browser.request<{ id: string }>('POST', path, body)).body.id;
    const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
    const workflow = await made('/v1/workflows', { name: 'w', status: 'active', trigger: { type: 'manual' }, steps });
    const run = await made(`/v1/workflows/${workflow}/runs`, {});
    const connection = await made('/v1/connections', {
      connectorId: 'http',
      name: 'c',
      credentials: { baseUrl: 'https://service.example.com', value: 'x' },
    });
    expect([workflow, run, connection]).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    expect((await browser.request('PATCH', app, { status: 'suspended' })).status).toBe(200);
    for (const path of [
      `/v1/workflows/${workflow}/runs`,
      `/v1/runs/${run}/retry`,
      `/v1/runs/${run}/approve`,
      `/v1/runs/${run}/reject`,
      `/v1/connections/${connection}/test`,
      `/v1/connections/${connection}/authorize`,
    ]) {
      const { status, body } = await browser.request<Refusal>('POST', path, {});
      expect([path, status, body.error.details]).toEqual([
        path,
        403,
        { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
      ]);
    }
    expect(await posthorn.deps.db.run.count({ where: { workflowId: workflow } })).toBe(1);
    for (const path of [`/v1/runs/${run}`, `/v1/workflows/${workflow}`, `/v1/connections/${connection}`])
      expect([path, (await browser.request('GET', path)).status]).toEqual([path, 200]);
    expect((await browser.request('POST', `/v1/runs/${run}/cancel`)).status).toBe(202);
  });
});

describe('own name', () => {
  let posthorn: TestPosthorn;
  let owner: { browser: Browser; me: SignedIn };
  let nora: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    owner = await setUp(posthorn);
    organisation = owner.me.organisations[0]?.id ?? '';
    const path = `/v1/organisations/${organisation}`;
    nora = await joinAs(posthorn, owner.browser, path, { role: 'viewer', email: 'nora@example.com' });
  });
  afterAll(() => posthorn.stop());

  type Refusal = { error: { details?: { field: string; reason: string } } };
  type Renamed = { actor: { id: string }; target: { id: string }; before: unknown; after: unknown };
  const rename = <T = User>(body: unknown) => nora.browser.request<T>('PATCH', '/v1/user', body);
  const log = async (): Promise<Renamed[]> => {
    const headers = { 'posthorn-organisation': organisation };
    const path = '/v1/audit?action=user.renamed';
    return (await owner.browser.request<{ data: Renamed[] }>('GET', path, undefined, { headers })).body.data;
  };
  const namesOfMembers = async (): Promise<(string | undefined)[]> => {
    const path = `/v1/organisations/${organisation}/members`;
    const { body } = await owner.browser.request<{ data: { email: string; name: string }[] }>('GET', path);
    return ['nora@example.com', OWNER.email].map((email) => body.data.find((each) => each.email === email)?.name);
  };

  test('any user, even a viewer, can change their own name, which members see and the audit log records, and no other name', async () => {
    const { id, email, name } = nora.me.user;
    const renamed = await rename({ name: 'Nora Ñandú' });
    const user = { id, email, name: 'Nora Ñandú' };
    expect([renamed.status, renamed.body]).toEqual([200, user]);
    expect((await nora.browser.request('GET', '/v1/user')).body).toEqual(user);
    expect((await nora.browser.request<SignedIn>('GET', '/v1/session')).body.user).toEqual(user);
    expect(await namesOfMembers()).toEqual(['Nora Ñandú', OWNER.name]);
    expect(await log()).toMatchObject([
      { actor: { id }, target: { id }, before: { name }, after: { name: 'Nora Ñandú' } },
    ]);
  });

  test('a user who is sent back as read is unchanged, and the audit log records nothing', async () => {
    const { body: read } = await nora.browser.request<User>('GET', '/v1/user');
    const entries = (await log()).length;
    const again = await rename(read);
    expect([again.status, again.body, (await log()).length]).toEqual([200, read, entries]);
  });

  test.each<[string, unknown, string]>([
    ['another address', { email: 'else@example.com' }, 'email'],
    ['the id of somebody else', { id: 'usr_01jdk0000000000000000000ab', name: 'Else' }, 'id'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of more than 200 characters', { name: 'n'.repeat(201) }, 'name'],
    ['a name with a control character', { name: 'No\u001bra' }, 'name'],
    ['no name', { name: null }, 'name'],
    ['nothing', {}, 'body'],
  ])('%s is refused, and nothing changes', async (_, body, field) => {
    const before = await posthorn.deps.db.user.findMany({ orderBy: { id: 'asc' } });
    const refused = await rename<Refusal>(body);
    expect([refused.status, refused.body.error.details?.field]).toEqual([400, field]);
    expect(await posthorn.deps.db.user.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });

  test('two changes of a name at once are recorded one after the other', async () => {
    await Promise.all(['First', 'Second', 'Third'].map((name) => rename({ name })));
    const entries = (await log()).slice(0, 3).toReversed();
    expect(entries).toHaveLength(3);
    for (const [index, { before }] of entries.entries())
      if (index > 0) expect(before).toEqual(entries[index - 1]?.after);
    expect((await rename({ name: 'Nora' })).status).toBe(200);
  });
});
