import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { actIn, OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
let browser: Browser;
let me: SignedIn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  await setUp(posthorn);
});
afterAll(() => posthorn.stop());
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
  test('is listed to its person, newest first, with the current one marked', async () => {
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

  test('is revoked one by one, or all but the own, and ends at once', async () => {
    const [second, third] = [await signIn(posthorn, OWNER), await signIn(posthorn, OWNER)];
    expect(await statusOf('DELETE', `/v1/sessions/${second.me.session.id}`)).toBe(204);
    expect((await second.browser.request('GET', '/v1/session')).status).toBe(401);
    expect((await third.browser.request('GET', '/v1/session')).status).toBe(200);
    const { body } = await browser.request('POST', '/v1/sessions/revoke-others');
    expect(body).toEqual({ revoked: 1 });
    expect((await third.browser.request('GET', '/v1/session')).status).toBe(401);
    expect(await statusOf('GET', '/v1/session')).toBe(200);
  });

  test('that is somebody else’s is NOT_FOUND, as one that never was, and goes on', async () => {
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

  test('ends by signing out, and its cookie is forgotten', async () => {
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
    if (expected === 401) expect(body.error.message).toBe('The session has ended: sign in again');
  });

  test('goes on by being used', async () => {
    await posthorn.deps.pool.query(`UPDATE sessions SET last_used_at = now() - interval '11 hours'`);
    expect(await statusOf('GET', '/v1/session')).toBe(200);
    const { lastUsedAt } = await posthorn.deps.db.session.findFirstOrThrow();
    expect(Date.now() - lastUsedAt.getTime()).toBeLessThan(3_600_000);
  });

  test('is no session with another secret, with two, or beside an Authorization header', async () => {
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
    expect(body.error.details?.reason).toContain('more than once');
    expect(await statusOf('GET', '/v1/session', undefined, { authorization: 'Bearer svc_live_x' })).toBe(401);
    const key = await statusOf('GET', '/v1/session', undefined, { authorization: `Bearer ${posthorn.keys.live}` });
    expect(key).toBe(403);
  });
});

describe('a person in an environment', () => {
  beforeEach(() => setRole('owner'));

  test('has what the role may do there, counted for the person with the limits of tier pro', async () => {
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
  ])('who is %s may do what that role may, from the next request on', async (role, expected) => {
    actIn(browser, me);
    await setRole(role);
    expect([
      await statusOf('GET', '/v1/channels'),
      await statusOf('POST', '/v1/channels', channel),
      await statusOf('POST', '/v1/api-keys', { name: 'key' }),
    ]).toEqual(expected);
  });

  test('makes keys of tier pro unless another one is named, with the scopes of the role, and changes and revokes them', async () => {
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

  test('is asked for the password again before a key is made, once ten minutes have gone', async () => {
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

  test('five wrong passwords in a session close this question, and not the account', async () => {
    const ask = (password: string) => statusOf('POST', '/v1/session/authenticate', { password });
    for (let time = 0; time < 5; time += 1) expect(await ask('not the right one')).toBe(401);
    expect(await ask(OWNER.password)).toBe(429);
    expect((await signIn(posthorn, OWNER)).me.user.id).toBe(me.user.id);
  });

  test('an answer under an Idempotency-Key is the same person’s alone', async () => {
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

  test('is needed for an environment, and says which header is missing', async () => {
    const { status, body } = await browser.request<Refusal>('GET', '/v1/channels');
    expect([status, body.error.details?.field]).toEqual([403, 'posthorn-app']);
    const { app } = nameOf(me);
    const half = await browser.request<Refusal>('GET', '/v1/channels', undefined, { headers: { 'posthorn-app': app } });
    expect([half.status, half.body.error.details?.field]).toEqual([403, 'posthorn-app']);
  });

  test('another organisation, its app, and what does not exist, have one answer, and nothing changes', async () => {
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
      expect([headers, status, body.error.code, body.error.details?.field]).toEqual([headers, 403, 'FORBIDDEN', field]);
      if (headers['posthorn-environment'] === 'live' && 'posthorn-app' in headers)
        expect(body.error.details?.reason).toBe('names nothing that you are a member of');
    }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test('a person who is a member of nothing any more may still sign out, and no more', async () => {
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
  ])('that %s changes nothing in the name of a person', async (_, headers) => {
    actIn(browser, me);
    const before = await tableContents(posthorn.deps.pool);
    const { status, body } = await browser.request<Refusal>('POST', '/v1/channels', channel, { headers });
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(await statusOf('DELETE', '/v1/session', undefined, headers)).toBe(403);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test('cannot send a form, which browsers allow it', async () => {
    actIn(browser, me);
    const headers = { 'content-type': 'text/plain', [site]: 'same-origin' };
    expect(await statusOf('POST', '/v1/channels', '{"name":"x"}', headers)).toBe(415);
  });

  test('is no hindrance for an own page over plain http, which only has an Origin', async () => {
    actIn(browser, me);
    const headers = { [site]: undefined, origin: posthorn.url };
    expect(await statusOf('POST', '/v1/channels', channel, headers)).toBe(201);
  });

  test('is no concern of API keys, which no browser sends by itself', async () => {
    const headers = { [site]: 'cross-site', origin: evil };
    expect((await posthorn.request('POST', '/v1/channels', channel, { headers })).status).toBe(201);
  });
});
