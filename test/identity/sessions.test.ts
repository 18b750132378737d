import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { actIn, codeOf, joinAs, OWNER, setUp, setUpAnew, signIn } from '../support/make/people.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/two-apis.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('sessions', () => {
  let browser: Browser;
  let me: SignedIn;
  beforeAll(async () => {
    await setUp(posthorn);
  });
  beforeEach(async () => {
    await posthorn.deps.pool.query('DELETE FROM sessions');
    ({ browser, me } = await signIn(posthorn, OWNER));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
  const statusOf = async (method: string, path: string, body?: unknown, headers?: Record<string, string | undefined>) =>
    (await browser.request(method, path, body, { ...(headers && { headers }) })).status;
  const channel = { name: 'orders' };
  const setRole = (role: string) => posthorn.deps.db.member.updateMany({ data: { role } });

  describe('a session', () => {
    test('is listed to its user, newest first, with the current one marked', async () => {
      const { me: second } = await signIn(posthorn, OWNER);
      const { body } = await browser.request<{ data: { id: string; isCurrent: boolean; address: string }[] }>(
        'GET',
        '/v1/sessions',
      );
      expect(body.data.map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
        [second.session.id, false],
        [me.session.id, true],
      ]);
      expect(body.data[0]?.address).toBe('127.0.0.1');
    });

    test('is revoked one by one, or all but the current one, and ends at once', async () => {
      const [second, third] = [await signIn(posthorn, OWNER), await signIn(posthorn, OWNER)];
      expect(await statusOf('DELETE', `/v1/sessions/${second.me.session.id}`)).toBe(204);
      expect((await second.browser.request('GET', '/v1/session')).status).toBe(401);
      expect((await third.browser.request('GET', '/v1/session')).status).toBe(200);
      const { body } = await browser.request('POST', '/v1/sessions/revoke-others');
      expect(body).toEqual({ revoked: 1 });
      expect((await third.browser.request('GET', '/v1/session')).status).toBe(401);
      expect(await statusOf('GET', '/v1/session')).toBe(200);
    });

    test('that belongs to another user is NOT_FOUND like an unknown one, and continues', async () => {
      const { db, newId } = posthorn.deps;
      const userId = newId('user');
      await db.user.create({ data: { id: userId, email: `${userId}@example.com`, name: 'Else' } });
      const later = new Date(Date.now() + 1_000_000);
      const times = { createdAt: later, authenticatedAt: later, lastUsedAt: later, expiresAt: later, address: '::1' };
      const id = newId('session');
      await db.session.create({ data: { id, userId, hash: new Uint8Array(32), ...times } });
      for (const each of [id, newId('session'), 'x', me.user.id])
        expect([each, await statusOf('DELETE', `/v1/sessions/${each}`)]).toEqual([each, 404]);
      expect(await db.session.count({ where: { id } })).toBe(1);
      const { body } = await browser.request<{ data: { id: string }[] }>('GET', '/v1/sessions');
      expect(body.data.map((each) => each.id)).toEqual([me.session.id]);
    });

    test('ends by signing out, and its cookie is deleted', async () => {
      const before = new Map(browser.jar);
      const { status, cookies } = await browser.request('DELETE', '/v1/session');
      expect([status, cookies]).toEqual([204, [expect.stringContaining('posthorn-session=; Max-Age=0')]]);
      for (const [name, value] of before) browser.jar.set(name, value);
      expect(await statusOf('GET', '/v1/session')).toBe(401);
    });

    test.each([
      ['12 hours without use', `last_used_at = now() - interval '12 hours'`, 401],
      ['almost 12 hours without use', `last_used_at = now() - interval '11 hours 59 minutes'`, 200],
      ['7 days, however much it is used', 'expires_at = now()', 401],
    ])('ends after %s', async (_, change, expected) => {
      await posthorn.deps.pool.query(`UPDATE sessions SET ${change}`);
      const { status, body } = await browser.request<Refusal>('GET', '/v1/session');
      expect(status).toBe(expected);
      if (expected === 401) expect(body.error.message).toBe('The session has ended. Sign in again');
    });

    test('is extended by use', async () => {
      await posthorn.deps.pool.query(`UPDATE sessions SET last_used_at = now() - interval '11 hours'`);
      expect(await statusOf('GET', '/v1/session')).toBe(200);
      const { lastUsedAt } = await posthorn.deps.db.session.findFirstOrThrow();
      expect(Date.now() - lastUsedAt.getTime()).toBeLessThan(3_600_000);
    });

    test('is invalid with another secret, with two, or together with an Authorization header', async () => {
      const secret = browser.jar.get('posthorn-session') ?? '';
      const cookies = [
        `posthorn-session=${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
        `posthorn-session=${secret}; posthorn-session=${secret}`,
        `__Host-posthorn-session=${secret}`,
        `posthorn-device=${secret}`,
      ];
      for (const cookie of cookies)
        expect([cookie, await statusOf('GET', '/v1/session', undefined, { cookie })]).toEqual([cookie, 401]);
      const twice = { headers: { cookie: cookies[1] } };
      const { body } = await browser.request<Refusal>('GET', '/v1/session', undefined, twice);
      expect(body.error.details?.reason).toContain('only one session cookie');
      expect(await statusOf('GET', '/v1/session', undefined, { authorization: 'Bearer svc_live_x' })).toBe(401);
      const key = await statusOf('GET', '/v1/session', undefined, { authorization: `Bearer ${posthorn.keys.live}` });
      expect(key).toBe(403);
    });
  });

  describe('a user in an environment', () => {
    beforeEach(() => setRole('owner'));

    test('has the rights of the role there, counted by user with the limits of tier pro', async () => {
      actIn(browser, me);
      const made = await browser.request<{ id: string }>('POST', '/v1/channels', channel);
      expect(made.status).toBe(201);
      expect(made.headers.get('x-ratelimit-limit')).toBe('6000');
      const { browser: second } = await signIn(posthorn, OWNER);
      const left = async (by: Browser) =>
        Number((await by.request('GET', '/v1/session')).headers.get('x-ratelimit-remaining'));
      await waitFor('two requests within one minute', async () => (await left(second)) - (await left(browser)) === 1);
      const seen = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/channels');
      expect(seen.body.data.map(({ id }) => id)).toContain(made.body.id);
      actIn(browser, me, 'test');
      expect((await browser.request('GET', `/v1/channels/${made.body.id}`)).status).toBe(404);
    });

    test.each([
      ['viewer', [200, 403, 403]],
      ['developer', [200, 201, 403]],
      ['admin', [200, 201, 201]],
      ['owner', [200, 201, 201]],
    ])('who is %s has the rights of that role, from the next request on', async (role, expected) => {
      actIn(browser, me);
      await setRole(role);
      expect([
        await statusOf('GET', '/v1/channels'),
        await statusOf('POST', '/v1/channels', channel),
        await statusOf('POST', '/v1/api-keys', { name: 'key' }),
      ]).toEqual(expected);
    });

    test('creates keys of tier pro unless another is named, with the scopes of the role, and changes and revokes them', async () => {
      actIn(browser, me);
      const { status, body } = await browser.request<{ id: string; key: string }>('POST', '/v1/api-keys', {
        name: 'key',
      });
      expect([status, body]).toMatchObject([201, { tier: 'pro', environment: 'live' }]);
      const limits = { batchPerMinute: 1_000_000 };
      for (const tier of ['enterprise', 'free'])
        expect(await statusOf('PATCH', `/v1/api-keys/${body.id}`, { tier, limits })).toBe(200);
      expect(await statusOf('POST', `/v1/api-keys/${body.id}/rotate`)).toBe(200);
      expect(await statusOf('DELETE', `/v1/api-keys/${body.id}`)).toBe(204);
      expect((await posthorn.request('GET', '/v1/channels', undefined, { key: body.key })).status).toBe(401);
    });

    test('must give the password again before creating a key, after ten minutes', async () => {
      actIn(browser, me);
      await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '10 minutes 1 second'`);
      const refused = await browser.request<Refusal>('POST', '/v1/api-keys', { name: 'key' });
      expect([refused.status, refused.body.error.details?.field]).toEqual([403, 'session']);
      expect(await statusOf('GET', '/v1/api-keys')).toBe(200);
      const before = browser.jar.get('posthorn-session');
      const wrong = await browser.request('POST', '/v1/session/authenticate', { password: 'not the right one' });
      expect(wrong.status).toBe(401);
      expect(await statusOf('POST', '/v1/api-keys', { name: 'key' })).toBe(403);
      expect(await statusOf('POST', '/v1/session/authenticate', { password: OWNER.password })).toBe(200);
      expect(browser.jar.get('posthorn-session')).not.toBe(before);
      expect(await statusOf('POST', '/v1/api-keys', { name: 'key' })).toBe(201);
    });

    test('who gives five wrong passwords in a session blocks this check, and not the account', async () => {
      const ask = (password: string) => statusOf('POST', '/v1/session/authenticate', { password });
      for (let time = 0; time < 5; time += 1) expect(await ask('not the right one')).toBe(401);
      expect(await ask(OWNER.password)).toBe(429);
      expect((await signIn(posthorn, OWNER)).me.user.id).toBe(me.user.id);
    });

    test('is the only one to get the response stored under their Idempotency-Key', async () => {
      actIn(browser, me);
      const headers = { 'idempotency-key': 'one' };
      const first = await browser.request('POST', '/v1/channels', channel, { headers });
      const again = await browser.request('POST', '/v1/channels', channel, { headers });
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
      const byKey = await posthorn.request('POST', '/v1/channels', channel, { headers });
      expect(byKey.headers.get('idempotent-replayed')).toBeNull();
    });
  });

  describe('naming where to act', () => {
    const nameOf = ({ organisations }: SignedIn) => ({
      organisation: organisations[0]?.id ?? '',
      app: organisations[0]?.apps[0]?.id ?? '',
    });

    test('is required for an environment, and the error says which header is missing', async () => {
      const { status, body } = await browser.request<Refusal>('GET', '/v1/channels');
      expect([status, body.error.details?.field]).toEqual([403, 'posthorn-app']);
      const { app } = nameOf(me);
      const half = await browser.request<Refusal>('GET', '/v1/channels', undefined, {
        headers: { 'posthorn-app': app },
      });
      expect([half.status, half.body.error.details?.field]).toEqual([403, 'posthorn-app']);
    });

    test('has the same response for another organisation, its app, and what does not exist, and changes nothing', async () => {
      const { db, newId } = posthorn.deps;
      const foreign = { organisation: newId('organisation'), app: newId('app') };
      await db.organisation.create({ data: { id: foreign.organisation, name: 'Foreign' } });
      await db.app.create({
        data: {
          id: foreign.app,
          organisationId: foreign.organisation,
          name: 'Foreign',
          slug: 'foreign',
          environments: { create: { id: newId('environment'), kind: 'live' } },
        },
      });
      const { organisation, app } = nameOf(me);
      const before = await tableContents(posthorn.deps.pool);
      const cases: [Record<string, string>, string][] = [
        [{ 'posthorn-app': foreign.app, 'posthorn-environment': 'live' }, 'posthorn-app'],
        [{ 'posthorn-app': newId('app'), 'posthorn-environment': 'live' }, 'posthorn-app'],
        [{ 'posthorn-app': 'x', 'posthorn-environment': 'live' }, 'posthorn-app'],
        [
          { 'posthorn-app': app, 'posthorn-environment': 'live', 'posthorn-organisation': foreign.organisation },
          'posthorn-app',
        ],
        [
          { 'posthorn-app': foreign.app, 'posthorn-environment': 'live', 'posthorn-organisation': organisation },
          'posthorn-app',
        ],
        [{ 'posthorn-organisation': foreign.organisation }, 'posthorn-organisation'],
        [{ 'posthorn-organisation': newId('organisation') }, 'posthorn-organisation'],
        [{ 'posthorn-organisation': 'x' }, 'posthorn-organisation'],
        [{ 'posthorn-app': app, 'posthorn-environment': 'prod' }, 'posthorn-environment'],
        [{ 'posthorn-environment': 'live' }, 'posthorn-app'],
      ];
      for (const [headers, field] of cases) {
        const { status, body } = await browser.request<Refusal>('POST', '/v1/channels', channel, { headers });
        expect([headers, status, body.error.code, body.error.details?.field]).toEqual([
          headers,
          403,
          'FORBIDDEN',
          field,
        ]);
        if (headers['posthorn-environment'] === 'live' && 'posthorn-app' in headers)
          expect(body.error.details?.reason).toBe('must name an organisation or app that you have access to');
      }
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });

    test('is refused to a user who is no longer a member anywhere, who may still sign out', async () => {
      const { browser: own, me: seen } = await signIn(posthorn, OWNER);
      actIn(own, seen);
      const members = await posthorn.deps.db.member.findMany();
      await posthorn.deps.db.member.deleteMany();
      try {
        expect((await own.request('GET', '/v1/channels')).status).toBe(403);
        for (const name of Object.keys(own.names)) delete own.names[name];
        expect((await own.request<SignedIn>('GET', '/v1/session')).body.organisations).toEqual([]);
        expect((await own.request('DELETE', '/v1/session')).status).toBe(204);
      } finally {
        await posthorn.deps.db.member.createMany({ data: members });
      }
    });
  });

  describe('a page of another site', () => {
    const evil = 'https://evil.example';
    const site = 'sec-fetch-site';

    test.each([
      ['says that it is one', { [site]: 'cross-site', origin: evil }],
      ['is of a neighbouring host', { [site]: 'same-site', origin: 'http://other.localhost' }],
      ['is told by its Origin alone, over plain http', { [site]: undefined, origin: evil }],
      ['hides its origin', { [site]: undefined, origin: 'null' }],
      ['tells nothing of itself', { [site]: undefined }],
    ])('that %s changes nothing in the name of a user', async (_, headers) => {
      actIn(browser, me);
      const before = await tableContents(posthorn.deps.pool);
      const { status, body } = await browser.request<Refusal>('POST', '/v1/channels', channel, { headers });
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
      expect(await statusOf('DELETE', '/v1/session', undefined, headers)).toBe(403);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });

    test('cannot send a form, which browsers would allow', async () => {
      actIn(browser, me);
      const headers = { 'content-type': 'text/plain', [site]: 'same-origin' };
      expect(await statusOf('POST', '/v1/channels', '{"name":"x"}', headers)).toBe(415);
    });

    test("is distinguished from the service's own page over plain http, which only has an Origin", async () => {
      actIn(browser, me);
      const headers = { [site]: undefined, origin: posthorn.url };
      expect(await statusOf('POST', '/v1/channels', channel, headers)).toBe(201);
    });

    test('does not affect API keys, which no browser sends by itself', async () => {
      const headers = { [site]: 'cross-site', origin: evil };
      expect((await posthorn.request('POST', '/v1/channels', channel, { headers })).status).toBe(201);
    });
  });
});

describe('sign in', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    await setUp(posthorn);
  });
  afterAll(() => posthorn.stop());
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE sign_in_attempts, known_devices');
  });

  type Refusal = { error: { code: string; message: string; retryAfter?: number } };
  const WRONG = { error: { code: 'UNAUTHORIZED', message: 'The email address or the password is wrong' } };
  const tryOnce = (browser: Browser, body: object = {}) =>
    browser.request<Refusal>('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password, ...body });
  const fail = (browser = createBrowser(posthorn), email = OWNER.email) =>
    tryOnce(browser, { email, password: 'not the right one' });
  const endWindows = () => posthorn.deps.pool.query(`UPDATE sign_in_attempts SET ends_at = now() - interval '1 s'`);

  describe('signing in', () => {
    test('returns a cookie that scripts cannot read, and rate-limit headers on every response', async () => {
      const browser = createBrowser(posthorn);
      const { status, headers, cookies } = await tryOnce(browser);
      expect(status).toBe(200);
      expect(cookies).toEqual([
        expect.stringMatching(/^posthorn-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
        expect.stringMatching(/^posthorn-device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
      expect(headers.get('cache-control')).toBe('no-store');
      for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
      expect((await fail()).headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    });

    test('accepts the address in any case, and the password in any Unicode composition', async () => {
      const { browser } = await signIn(posthorn, { ...OWNER, email: 'OWNER@Example.com' });
      const accented = 'm\u00FChle am kleinen bach';
      const sent = { password: OWNER.password, newPassword: accented };
      expect((await browser.request('POST', '/v1/user/password', sent)).status).toBe(200);
      expect((await tryOnce(createBrowser(posthorn), { password: accented.normalize('NFD') })).status).toBe(200);
      await browser.request('POST', '/v1/user/password', { password: accented, newPassword: OWNER.password });
    });

    test('starts a session with another id each time, and ends the one that the browser had', async () => {
      const { browser, me } = await signIn(posthorn, OWNER);
      const before = browser.jar.get('posthorn-session');
      const { body } = await tryOnce(browser);
      expect(browser.jar.get('posthorn-session')).not.toBe(before);
      expect(body).not.toMatchObject({ session: { id: me.session.id } });
      const old = createBrowser(posthorn);
      old.jar.set('posthorn-session', before ?? '');
      expect((await old.request('GET', '/v1/session')).status).toBe(401);
    });

    test('hashes the password again if the stored hash has other parameters', async () => {
      const weaker = await hash(OWNER.password, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
      await posthorn.deps.db.user.updateMany({ data: { passwordHash: weaker } });
      await signIn(posthorn, OWNER);
      const { passwordHash } = await posthorn.deps.db.user.findFirstOrThrow();
      expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      await signIn(posthorn, OWNER);
      expect((await posthorn.deps.db.user.findFirstOrThrow()).passwordHash).toBe(passwordHash);
    });

    test('is refused from a page of another site, even with the right password', async () => {
      const headers = { 'sec-fetch-site': 'cross-site' };
      const browser = createBrowser(posthorn);
      const body = { email: OWNER.email, password: OWNER.password };
      const { status, cookies } = await browser.request('POST', '/v1/sign-in', body, { headers });
      expect([status, cookies]).toEqual([403, []]);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await browser.request('POST', '/v1/sign-in', 'email=a', { headers: form })).status).toBe(415);
    });
  });

  test('shows a browser by its own name, without control characters', async () => {
    const { signIn: service } = createServices(posthorn.deps);
    const visit = { address: '192.0.2.7', host: 'localhost', cookie: [], userAgent: 'A\u001b[31mB' };
    const { answer } = await service.byPassword({ email: OWNER.email, password: OWNER.password }, visit);
    expect(answer).toMatchObject({ session: { address: '192.0.2.7', userAgent: 'A[31mB' } });
  });

  describe('a wrong password', () => {
    test('has the response of an account that does not exist, and of one without a password', async () => {
      await posthorn.deps.db.user.create({
        data: { id: posthorn.deps.newId('user'), email: 'sso@example.com', name: 'S' },
      });
      for (const email of [OWNER.email, 'nobody@example.com', 'sso@example.com']) {
        const { status, body, cookies } = await fail(createBrowser(posthorn), email);
        expect([email, status, body, cookies]).toEqual([email, 401, WRONG, []]);
      }
    });

    // Guards against a response in a tenth of the time: without a dummy hash an unknown account would be that fast.
    test('costs a hash whether the account exists or not', async () => {
      const measure = async (email: string): Promise<number> => {
        const before = process.cpuUsage();
        for (let time = 0; time < 5; time += 1) await fail(createBrowser(posthorn), email);
        const { user, system } = process.cpuUsage(before);
        await endWindows();
        return user + system;
      };
      await measure(OWNER.email);
      // The minimum of several, because garbage collection may slow one down.
      const least = async (email: string): Promise<number> => {
        const measured: number[] = [];
        for (let round = 0; round < 4; round += 1) measured.push(await measure(email));
        return Math.min(...measured);
      };
      const [known, unknown] = [await least(OWNER.email), await least('nobody@example.com')];
      // Processor time, which does not depend on how busy the machine is as elapsed time does.
      expect(unknown).toBeGreaterThan(known / 2);
    });

    test('five times locks the account for other browsers, even with the right password, until the window ends', async () => {
      for (let time = 0; time < 5; time += 1) expect((await fail()).status).toBe(401);
      const refused = await tryOnce(createBrowser(posthorn));
      expect([refused.status, refused.body.error.code, refused.cookies]).toEqual([429, 'RATE_LIMITED', []]);
      expect(refused.body.error.retryAfter).toBeGreaterThan(600);
      expect(refused.headers.get('retry-after')).toBe(String(refused.body.error.retryAfter));
      await endWindows();
      expect((await tryOnce(createBrowser(posthorn))).status).toBe(200);
    });

    test('is counted for an account that does not exist as for one that does', async () => {
      const statuses = [];
      for (let time = 0; time < 6; time += 1) statuses.push((await fail(undefined, 'nobody@example.com')).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    });

    test('from a stranger never locks the account for a browser in which its user has signed in before', async () => {
      const { browser } = await signIn(posthorn, OWNER);
      await browser.request('DELETE', '/v1/session');
      for (let time = 0; time < 6; time += 1) await fail();
      expect((await tryOnce(createBrowser(posthorn))).status).toBe(429);
      expect((await tryOnce(browser)).status).toBe(200);
    });

    test('is counted for a known browser too, and a forged cookie makes no browser known', async () => {
      const { browser } = await signIn(posthorn, OWNER);
      const statuses = [];
      for (let time = 0; time < 6; time += 1) statuses.push((await fail(browser)).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
      for (let time = 0; time < 5; time += 1) await fail();
      const forged = createBrowser(posthorn);
      forged.jar.set('posthorn-device', 'A'.repeat(43));
      expect((await tryOnce(forged)).status).toBe(429);
    });

    test('is counted as a stranger’s in a browser in which another user has signed in', async () => {
      const { db, newId } = posthorn.deps;
      const { passwordHash } = await db.user.findUniqueOrThrow({ where: { email: OWNER.email } });
      const email = 'other@example.com';
      await db.user.create({ data: { id: newId('user'), email, name: 'Other', passwordHash } });
      const { browser } = await signIn(posthorn, OWNER);
      for (let time = 0; time < 5; time += 1) await fail(undefined, email);
      expect((await tryOnce(browser, { email })).status).toBe(429);
    });

    test('is forgotten after the right one', async () => {
      for (let round = 0; round < 2; round += 1) {
        for (let time = 0; time < 4; time += 1) await fail();
        expect((await tryOnce(createBrowser(posthorn))).status).toBe(200);
      }
    });

    test('is counted by all processes together', async () => {
      const second = await startSecondApi(posthorn);
      try {
        for (let time = 0; time < 3; time += 1) await fail();
        for (let time = 0; time < 2; time += 1) await fail(createBrowser(second));
        expect((await tryOnce(createBrowser(second))).status).toBe(429);
      } finally {
        await second.stop();
      }
    });

    test('or a right one is refused by address after 30 attempts a minute, whatever accounts they name', async () => {
      const second = await startSecondApi(posthorn);
      try {
        const browser = createBrowser(second);
        const statuses: number[] = [];
        // Requests without a password: counted as all others, and quickly answered.
        for (let time = 0; time < 30; time += 1)
          statuses.push((await browser.request('POST', '/v1/sign-in', { email: `u${time}@example.com` })).status);
        expect(new Set(statuses)).toEqual(new Set([400]));
        const last = await tryOnce(browser);
        expect([last.status, last.headers.get('x-ratelimit-limit')]).toEqual([429, '30']);
      } finally {
        await second.stop();
      }
    });
  });

  describe('another password', () => {
    test('requires the old one, ends the other sessions and gives this one a new secret', async () => {
      const { browser } = await signIn(posthorn, OWNER);
      const { browser: other } = await signIn(posthorn, OWNER);
      const before = browser.jar.get('posthorn-session');
      const newPassword = 'seven lanterns at noon';
      const change = (password: string, to: string) =>
        browser.request<Refusal>('POST', '/v1/user/password', { password, newPassword: to });
      expect((await change('not the right one', newPassword)).status).toBe(401);
      expect((await change(OWNER.password, 'password1234')).status).toBe(400);
      expect((await other.request('GET', '/v1/session')).status).toBe(200);
      expect((await change(OWNER.password, newPassword)).status).toBe(200);
      expect((await other.request('GET', '/v1/session')).status).toBe(401);
      expect((await browser.request('GET', '/v1/session')).status).toBe(200);
      expect(browser.jar.get('posthorn-session')).not.toBe(before);
      expect((await tryOnce(createBrowser(posthorn))).status).toBe(401);
      expect((await tryOnce(createBrowser(posthorn), { password: newPassword })).status).toBe(200);
      await change(newPassword, OWNER.password);
    });
  });
});

describe('concurrent ways in', () => {
  // Two concurrent requests, of which one ends what the other opens. A lock of the test holds the first one in the middle.
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeEach(async () => {
    ({ owner, organisation } = await setUpAnew(posthorn));
  });

  const statusOf = async (request: Promise<{ status: number }>): Promise<number> => (await request).status;

  describe('a link that resets a password, created while its user joins another organisation', () => {
    /** Eve owns an organisation, of which the victim is a viewer, and the owner of the first one has invited the victim. */
    async function scene() {
      const eve = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'eve@example.com' });
      const made = await eve.browser.request<{ id: string }>('POST', '/v1/organisations', { name: 'Evil' });
      const evil = `/v1/organisations/${made.body.id}`;
      const victim = await joinAs(posthorn, eve.browser, evil, { role: 'viewer', email: 'victim@example.com' });
      const invited = await owner.browser.request<{ link: string }>('POST', `${organisation}/invitations`, {
        email: 'victim@example.com',
        role: 'admin',
      });
      const makeLink = () =>
        eve.browser.request<{ link: string }>('POST', `${evil}/members/${victim.me.user.id}/password-reset`);
      const join = () => victim.browser.request('POST', '/v1/invitations/accept', { code: codeOf(invited.body.link) });
      return { victim, makeLink, join };
    }
    const hold = <T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> =>
      // The last statement of accepting: the victim is a member by then, but not visibly to others.
      holding(
        posthorn.deps.pool,
        ['SELECT FROM audit_heads WHERE organisation_id = $1 FOR UPDATE', owner.me.organisations[0]?.id],
        work,
      );

    test('is refused, although the new member is not visible yet', async () => {
      const { makeLink, join } = await scene();
      await hold(async (release) => {
        const joining = join();
        await untilStuck(posthorn.deps.pool, 1, joining);
        const making = makeLink();
        await untilStuck(posthorn.deps.pool, 2, making);
        await release();
        expect([await statusOf(joining), await statusOf(making)]).toEqual([200, 403]);
      });
    });

    test('ends with the joining if it was created before', async () => {
      const { makeLink, join } = await scene();
      const { status, body } = await makeLink();
      expect([status, await statusOf(join())]).toEqual([201, 200]);
      const reset = { code: codeOf(body.link), password: 'evil long password 123' };
      expect(await statusOf(createBrowser(posthorn).request('POST', '/v1/password-reset', reset))).toBe(403);
    });
  });

  describe('a sign-in with a password that is changed at the same moment', () => {
    async function scene() {
      const path = `${organisation}/members`;
      const viewer = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'v@example.com' });
      const link = await owner.browser.request<{ link: string }>('POST', `${path}/${viewer.me.user.id}/password-reset`);
      const thief = createBrowser(posthorn);
      const reset = { code: codeOf(link.body.link), password: 'brand new long password 5' };
      return {
        userId: viewer.me.user.id,
        thief,
        signIn: () => thief.request('POST', '/v1/sign-in', { email: 'v@example.com', password: viewer.password }),
        reset: () => createBrowser(posthorn).request('POST', '/v1/password-reset', reset),
      };
    }

    test('has no session afterwards if it came first', async () => {
      const { thief, signIn, reset } = await scene();
      // A wrong attempt, whose count the right one removes in its transaction.
      expect(await statusOf(thief.request('POST', '/v1/sign-in', { email: 'v@example.com', password: 'wrong' }))).toBe(
        401,
      );
      const counted = `SELECT FROM sign_in_attempts ORDER BY ends_at DESC LIMIT 1 FOR KEY SHARE`;
      await holding(posthorn.deps.pool, [counted], async (release) => {
        const entering = signIn();
        await untilStuck(posthorn.deps.pool, 1, entering);
        const resetting = reset();
        await untilStuck(posthorn.deps.pool, 2, resetting);
        await release();
        expect([await statusOf(entering), await statusOf(resetting)]).toEqual([200, 204]);
      });
      expect(await statusOf(thief.request('GET', '/v1/session'))).toBe(401);
    });

    test('is refused if it came second', async () => {
      const { userId, thief, signIn } = await scene();
      const written = 'UPDATE users SET password_hash = $2 WHERE id = $1';
      await holding(posthorn.deps.pool, [written, userId, 'another one'], async (release) => {
        const entering = signIn();
        await untilStuck(posthorn.deps.pool, 1, entering);
        await release();
        expect(await entering).toMatchObject({
          status: 401,
          body: { error: { code: 'UNAUTHORIZED', message: 'The password has just been changed. Sign in again' } },
        });
      });
      expect([thief.jar.size, await posthorn.deps.db.session.count({ where: { userId } })]).toEqual([0, 1]);
    });
  });
});
