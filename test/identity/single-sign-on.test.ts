import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { base64url, generateKeyPair } from 'jose';
import type { Role } from '../../src/kernel/words/rights.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { addPasskey, requestOptions, totpCode } from '../support/make/factors.ts';
import { codeOf, joinAs, OWNER, setUp, setUpAnew, signIn } from '../support/make/people.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { type ForgingProvider, startForgingProvider } from '../support/world/forging-provider.ts';
import {
  type IdentityProvider,
  type ProviderPerson,
  startIdentityProvider,
} from '../support/world/identity-provider.ts';

describe('single sign on', () => {
  const START = '/v1/sign-in/single-sign-on';
  const PROOF = '/v1/session/authenticate/single-sign-on';
  const NORA = { sub: 'nora-1', name: 'Nora', email: 'Nora@example.com', email_verified: true };

  let provider: IdentityProvider;
  let posthorn: TestPosthorn;
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    const OIDC_ROLES = 'cn=ops dc=example=admin, staff=viewer, builders=developer';
    posthorn = await startPosthorn({ withWorker: false, variables: { ...provider.variables, OIDC_ROLES } });
  });
  afterAll(async () => {
    await posthorn.stop();
    await provider.close();
  });
  beforeEach(async () => {
    ({ owner, organisation } = await setUpAnew(posthorn));
  });

  type Started = { url: string };
  const start = async (browser: Browser, path = START, body: object = {}) =>
    (await browser.request<Started>('POST', path, body)).body.url;
  const back = async (browser: Browser, target: string) => {
    const { status, headers } = await browser.request('GET', target, undefined, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    return { status, location: headers.get('location') };
  };
  const me = async (browser: Browser) => (await browser.request<SignedIn>('GET', '/v1/session')).body;
  /** The whole way of a person in a browser. */
  async function comeBy(person: ProviderPerson, browser = createBrowser(posthorn)) {
    const target = await provider.visit(await start(browser), person);
    return { browser, target, ...(await back(browser, target)) };
  }
  const inGroups = (...groups: string[]) => ({ ...NORA, groups });
  const roleOf = async (email: string): Promise<Role | undefined> => {
    const list = await owner.browser.request<{ data: { email: string; role: Role }[] }>(
      'GET',
      `${organisation}/members`,
    );
    return list.body.data.find((each) => each.email === email)?.role;
  };
  const pageOf = (path: string) => ({ status: 303, location: `http://localhost:3000/dashboard${path}` });
  const signInProblem = (problem: string) => pageOf(`/sign-in#problem=${problem}`);

  test('the page for signing in learns of it', async () => {
    const { body } = await createBrowser(posthorn).request('GET', '/v1/sign-in');
    expect(body).toEqual({ password: 'everyone', singleSignOn: { name: 'single sign-on' } });
  });

  describe('one who comes back', () => {
    test('is signed in with the role of the highest group, where they wanted to go, for a day', async () => {
      const browser = createBrowser(posthorn);
      const url = await start(browser, START, { returnTo: '/messages?type=order.paid' });
      const target = await provider.visit(url, inGroups('staff', 'builders'));
      expect(await back(browser, target)).toEqual(pageOf('/messages?type=order.paid'));
      const { user, session, organisations } = await me(browser);
      expect([user.email, user.name, organisations.map(({ role }) => role)]).toEqual([
        'nora@example.com',
        'Nora',
        ['developer'],
      ]);
      expect(Date.parse(String(session.expiresAt)) - Date.parse(String(session.createdAt))).toBe(24 * 3_600_000);
      expect([...browser.jar.keys()].toSorted()).toEqual(['posthorn-session']);
      // The provider was asked to say when it last asked for a password: just now.
      expect(Date.now() - Date.parse(String(session.authenticatedAt))).toBeLessThan(600_000);
      const { db } = posthorn.deps;
      expect(await db.singleSignOnAttempt.count()).toBe(0);
      expect((await db.user.findUniqueOrThrow({ where: { email: 'nora@example.com' } })).passwordHash).toBeNull();
    });

    test('has an account whose password was never made: nobody signs in by one', async () => {
      await comeBy(inGroups('staff'));
      for (const password of ['', 'null', 'tangerine orbit mill'])
        await expect(signIn(posthorn, { email: 'nora@example.com', password })).rejects.toThrow(/answered 40[01]/);
    });

    test('is the same person the next time, by the subject and not by the address', async () => {
      const first = await me((await comeBy(inGroups('staff'))).browser);
      const again = await comeBy({ ...inGroups('staff'), email: 'other@example.com', email_verified: false });
      expect((await me(again.browser)).user).toEqual(first.user);
    });

    test('has the account of that address, with its rights', async () => {
      await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'nora@example.com' });
      const { browser } = await comeBy(inGroups('builders'));
      expect((await me(browser)).organisations[0]?.role).toBe('developer');
      expect(await posthorn.deps.db.user.count()).toBe(2);
    });

    test('accepts what the address is invited to', async () => {
      await owner.browser.request('POST', `${organisation}/invitations`, {
        email: 'nora@example.com',
        role: 'developer',
      });
      await posthorn.deps.pool.query("UPDATE invitations SET expires_at = now() - interval '1 s'");
      expect(await comeBy(NORA)).toMatchObject(signInProblem('not_invited'));
      expect(await posthorn.deps.db.user.count()).toBe(1);
      await owner.browser.request('POST', `${organisation}/invitations`, {
        email: 'nora@example.com',
        role: 'developer',
      });
      const { browser } = await comeBy(inGroups('staff'));
      // Groups decide in an organisation that the settings name, from then on.
      expect((await me(browser)).organisations[0]?.role).toBe('viewer');
      expect(await posthorn.deps.db.invitation.count()).toBe(0);
    });

    test('two at once for the first time are one account', async () => {
      const both = await Promise.all(
        [createBrowser(posthorn), createBrowser(posthorn)].map(async (browser) => {
          const url = await start(browser);
          return { browser, url };
        }),
      );
      const targets: string[] = [];
      for (const { url } of both) targets.push(await provider.visit(url, inGroups('staff')));
      const seen = await Promise.all(both.map(({ browser }, index) => back(browser, targets[index] ?? '')));
      expect(seen.map(({ location }) => location)).toEqual(Array(2).fill('http://localhost:3000/dashboard/'));
      expect(await posthorn.deps.db.identity.count()).toBe(1);
    });
  });

  describe('groups', () => {
    test('that somebody is in no more take the role, its invitations and all other sessions with it', async () => {
      const { browser } = await comeBy(inGroups('cn=ops dc=example'));
      expect(await roleOf('nora@example.com')).toBe('admin');
      await browser.request('POST', `${organisation}/invitations`, { email: 'x@example.com', role: 'viewer' });
      const lesser = await comeBy(inGroups('staff'));
      expect([await roleOf('nora@example.com'), await posthorn.deps.db.invitation.count()]).toEqual(['viewer', 0]);
      expect((await browser.request('GET', '/v1/session')).status).toBe(401);
      await comeBy(NORA);
      expect(await roleOf('nora@example.com')).toBeUndefined();
      expect((await me(lesser.browser)).organisations).toEqual([]);
    });

    test('take no ownership', async () => {
      const { browser } = await comeBy({ sub: 'olga', email: OWNER.email, email_verified: true, groups: ['staff'] });
      expect((await me(browser)).organisations.map(({ role }) => role)).toEqual(['owner']);
    });

    test('are told in the audit log', async () => {
      const { browser } = await comeBy(inGroups('staff'));
      const { user } = await me(browser);
      const { rows } = await posthorn.deps.pool.query<{ action: string }>(
        'SELECT action FROM audit_entries WHERE target_id = $1 ORDER BY position',
        [user.id],
      );
      expect(rows.map(({ action }) => action)).toEqual(['member.role_changed', 'identity.linked']);
    });
  });

  describe('nobody gets in', () => {
    async function refused(act: () => Promise<{ status: number; location: string | null }>, problem: string) {
      const before = await tableContents(posthorn.deps.pool);
      expect(await act()).toMatchObject(signInProblem(problem));
      expect({ ...(await tableContents(posthorn.deps.pool)), single_sign_on_attempts: undefined }).toEqual({
        ...before,
        single_sign_on_attempts: undefined,
      });
    }

    test.each([
      ['whose address is not verified', { email_verified: false }],
      ['whose address is said to be so by a text', { email_verified: 'false' }],
      ['whose provider says nothing of it', { email_verified: undefined }],
      ['without an address', { email: undefined }],
      ['with an address that is none', { email: 'nora' }],
    ])('%s', async (_, claims) => {
      const made = { ...inGroups('staff'), ...claims };
      await refused(() => comeBy(JSON.parse(JSON.stringify(made)) as ProviderPerson), 'address_not_verified');
    });

    test('who is in no group and not invited', () => refused(() => comeBy(NORA), 'not_invited'));

    test('before there is an administrator: setup stays open', async () => {
      await posthorn.deps.pool.query('TRUNCATE users CASCADE');
      await refused(() => comeBy(inGroups('staff')), 'not_set_up');
      await setUp(posthorn);
    });

    test('who has got the address of an account that is somebody else there', async () => {
      await comeBy(inGroups('staff'));
      await refused(() => comeBy({ ...inGroups('staff'), sub: 'nora-2' }), 'linked_otherwise');
    });

    test('who has said no there', async () => {
      const browser = createBrowser(posthorn);
      const target = await provider.visit(await start(browser), 'no');
      await refused(() => back(browser, target), 'denied');
    });

    test('by coming back twice', async () => {
      const { browser, target } = await comeBy(inGroups('staff'));
      await refused(() => back(browser, target), 'expired');
    });

    test('in another browser than the one that was sent there, with its own attempt or none', async () => {
      const victim = createBrowser(posthorn);
      const target = await provider.visit(await start(createBrowser(posthorn)), inGroups('staff'));
      await refused(() => back(victim, target), 'expired');
      await start(victim);
      await refused(() => back(victim, target), 'invalid');
    });

    test('after ten minutes', async () => {
      const browser = createBrowser(posthorn);
      const target = await provider.visit(await start(browser), inGroups('staff'));
      await posthorn.deps.pool.query("UPDATE single_sign_on_attempts SET expires_at = now() - interval '1 s'");
      await refused(() => back(browser, target), 'expired');
    });

    test.each([
      ['another state', (at: URL) => at.searchParams.set('state', 'x')],
      ['no state', (at: URL) => at.searchParams.delete('state')],
      ['another code', (at: URL) => at.searchParams.set('code', 'x')],
      ['no code', (at: URL) => at.searchParams.delete('code')],
      ['another issuer', (at: URL) => at.searchParams.set('iss', 'https://evil.example')],
      ['no issuer', (at: URL) => at.searchParams.delete('iss')],
      ['a code twice', (at: URL) => at.searchParams.append('code', 'x')],
    ])('with %s', async (_, change) => {
      const browser = createBrowser(posthorn);
      const at = new URL(await provider.visit(await start(browser), inGroups('staff')), posthorn.url);
      change(at);
      await refused(() => back(browser, at.pathname + at.search), 'invalid');
    });
  });

  test('the command line forgets who somebody is there, and ends the sessions; the next one with the address is linked', async () => {
    const { browser } = await comeBy(inGroups('staff'));
    const run = () =>
      runPosthorn(['admin', 'unlink-identity', 'Nora@example.com'], { DATABASE_URL: posthorn.database.url });
    expect((await run()).output).toContain('Unlinked Nora@example.com from the identity provider');
    expect((await browser.request('GET', '/v1/session')).status).toBe(401);
    const again = await run();
    expect([again.exitCode, again.errors]).toEqual([1, expect.stringContaining('has never signed in')]);
    expect((await comeBy({ ...inGroups('staff'), sub: 'nora-2' })).location).toBe('http://localhost:3000/dashboard/');
  });

  describe('proving once more who one is', () => {
    const dangerous = (browser: Browser) =>
      browser.request('POST', `${organisation}/invitations`, { email: 'x@example.com', role: 'viewer' });
    const long = () => posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '1 h'");

    test('is asked of the provider, and makes the session fresh, under another secret', async () => {
      const { browser } = await comeBy(inGroups('cn=ops dc=example'));
      await long();
      expect((await dangerous(browser)).status).toBe(403);
      const before = browser.jar.get('posthorn-session');
      const url = await start(browser, PROOF, { returnTo: '/members' });
      expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ prompt: 'login', max_age: '120' });
      expect(await back(browser, await provider.visit(url, inGroups('cn=ops dc=example')))).toEqual({
        status: 303,
        location: 'http://localhost:3000/dashboard/members',
      });
      expect(browser.jar.get('posthorn-session')).not.toBe(before);
      expect((await dangerous(browser)).status).toBe(201);
    });

    test('by another person of the provider is refused', async () => {
      const { browser } = await comeBy(inGroups('cn=ops dc=example'));
      await long();
      const url = await start(browser, PROOF);
      expect(await back(browser, await provider.visit(url, { sub: 'eve', groups: ['staff'] }))).toEqual(
        pageOf('/#problem=other_person'),
      );
      expect((await dangerous(browser)).status).toBe(403);
    });

    test('is refused to somebody whom the provider does not know', async () => {
      const { status, body } = await owner.browser.request('POST', PROOF, {});
      expect([status, body]).toMatchObject([409, { error: { code: 'CONFLICT' } }]);
    });

    test('does nothing for a session that was revoked meanwhile', async () => {
      const { browser } = await comeBy(inGroups('cn=ops dc=example'));
      const url = await start(browser, PROOF);
      await posthorn.deps.pool.query('DELETE FROM sessions');
      expect((await back(browser, await provider.visit(url, inGroups('staff')))).location).toContain('other_person');
      expect(await posthorn.deps.db.session.count()).toBe(0);
    });
  });
});

describe('single sign on accounts', () => {
  const START = '/v1/sign-in/single-sign-on';
  const NORA = { email: 'nora@example.com', email_verified: true };

  let provider: ForgingProvider;
  let posthorn: TestPosthorn;
  let strict: TestPosthorn;
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeAll(async () => {
    provider = await startForgingProvider();
    const variables = { ...provider.variables, OIDC_ROLES: 'staff=admin' };
    posthorn = await startPosthorn({ withWorker: false, variables });
    strict = await startPosthorn({ withWorker: false, variables: { ...variables, OIDC_ONLY: 'true' } });
  });
  afterAll(async () => {
    await posthorn.stop();
    await strict.stop();
    await provider.close();
  });
  beforeEach(() => begin(posthorn));

  async function begin(of: TestPosthorn): Promise<void> {
    await of.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
    owner = await setUp(of);
    organisation = `/v1/organisations/${owner.me.organisations[0]?.id}`;
  }

  /** A person comes by the provider with these claims in the ID token. */
  async function comeBy(claims: Record<string, unknown>, of = posthorn) {
    const browser = createBrowser(of);
    const { body } = await browser.request<{ url: string }>('POST', START, {});
    const at = new URL(body.url).searchParams;
    const id_token = await provider.token({ nonce: at.get('nonce'), ...claims });
    provider.answer(200, { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token });
    const { headers } = await browser.request('GET', `${START}/callback?code=x&state=${at.get('state')}`);
    return { browser, page: headers.get('location')?.replace('http://localhost:3000/dashboard', '') };
  }
  const rolesOf = async (browser: Browser) =>
    (await browser.request<SignedIn>('GET', '/v1/session')).body.organisations.map(({ role }) => role);

  // Regression: who had made an account under somebody else's address stayed in it, and had the rights of its groups.
  test('one who comes for the first time has the account of the address alone: other ways into it end', async () => {
    const squatter = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'nora@example.com' });
    const { authenticator } = await addPasskey(squatter.browser);
    const reset = `${organisation}/members/${squatter.me.user.id}/password-reset`;
    const link = (await owner.browser.request<{ link: string }>('POST', reset)).body.link;

    const nora = await comeBy({ ...NORA, groups: ['staff'] });

    expect(await rolesOf(nora.browser)).toEqual(['admin']);
    expect((await squatter.browser.request('GET', '/v1/session')).status).toBe(401);
    await expect(signIn(posthorn, { email: 'nora@example.com', password: squatter.password })).rejects.toThrow('401');
    const stranger = createBrowser(posthorn);
    const passkey = authenticator.get(await requestOptions(stranger, '/v1/sign-in/passkey/options'));
    expect((await stranger.request('POST', '/v1/sign-in/passkey', { passkey })).status).toBe(401);
    const body = { code: codeOf(link), password: 'four quiet harbours' };
    expect((await stranger.request('POST', '/v1/password-reset', body)).status).toBe(403);
  });

  test('others who have come by the provider link no account but their own', async () => {
    await comeBy({ sub: 'ben', email: 'ben@example.com', email_verified: true, groups: ['staff'] });
    const nora = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: NORA.email });
    const prove = (browser: Browser) => browser.request('POST', '/v1/session/authenticate/single-sign-on', {});
    expect((await prove(nora.browser)).status).toBe(409);
    const { browser, page } = await comeBy({ ...NORA, groups: ['staff'] });
    expect([page, await rolesOf(browser), (await prove(browser)).status]).toEqual(['/', ['admin'], 200]);
  });

  test('an owner makes no password for somebody who signs in there, and the command line does', async () => {
    const { browser } = await comeBy({ ...NORA, groups: ['staff'] });
    const { user } = (await browser.request<SignedIn>('GET', '/v1/session')).body;
    const refused = await owner.browser.request('POST', `${organisation}/members/${user.id}/password-reset`);
    expect([refused.status, refused.body]).toMatchObject([409, { error: { code: 'CONFLICT' } }]);
    const { link } = await posthorn.services.members.operator.createResetLink(NORA.email, { isWithoutFactors: false });
    const body = { code: codeOf(link), password: 'four quiet harbours' };
    expect((await createBrowser(posthorn).request('POST', '/v1/password-reset', body)).status).toBe(204);
    await signIn(posthorn, { email: NORA.email, password: body.password });
  });

  test('groups and the address come from the userinfo endpoint where the ID token has them not', async () => {
    provider.describe({ sub: 'nora', groups: ['staff'] });
    expect(await rolesOf((await comeBy(NORA)).browser)).toEqual(['admin']);
    provider.describe({ sub: 'nora', groups: ['staff'], ...NORA });
    expect(await rolesOf((await comeBy({})).browser)).toEqual(['admin']);
    provider.describe({ sub: 'somebody else', groups: ['staff'], ...NORA });
    expect((await comeBy({})).page).toBe('/sign-in#problem=invalid');
  });

  test('an address is as good as the one says who names it', async () => {
    provider.describe({ sub: 'nora', email: OWNER.email, email_verified: false, groups: ['staff'] });
    expect((await comeBy({ email_verified: true })).page).toBe('/sign-in#problem=address_not_verified');
    provider.describe({ sub: 'nora', email: 'other@example.com', email_verified: true, groups: ['staff'] });
    expect((await comeBy({ email: OWNER.email })).page).toBe('/sign-in#problem=address_not_verified');
  });

  // Regression: an owner of any organisation passed, and every admin may make one.
  test('where it is the only way, an organisation of one\u2019s own is no way around it', async () => {
    await begin(strict);
    const { browser } = await comeBy({ ...NORA, groups: ['staff'] }, strict);
    const { link } = await strict.services.members.operator.createResetLink(NORA.email, { isWithoutFactors: false });
    const sent = { code: codeOf(link), password: 'four quiet harbours' };
    await createBrowser(strict).request('POST', '/v1/password-reset', sent);
    await strict.deps.pool.query('UPDATE sessions SET expires_at = expires_at');
    const again = await comeBy({ ...NORA, groups: ['staff'] }, strict);
    expect((await again.browser.request('POST', '/v1/organisations', { name: 'Mine' })).status).toBe(201);
    await expect(signIn(strict, { email: NORA.email, password: sent.password })).rejects.toThrow('answered 401');
    expect((await browser.request('GET', '/v1/session')).status).toBe(401);
    const proof = await again.browser.request('POST', '/v1/session/authenticate', { password: sent.password });
    expect(proof.status).toBe(403);
  });

  test('where it is the only way, a second step ends with the right to it', async () => {
    await begin(strict);
    const { body: app } = await owner.browser.request<{ secret: string }>('POST', '/v1/user/totp');
    await owner.browser.request('POST', '/v1/user/totp/confirm', { code: totpCode(app.secret) });
    const browser = createBrowser(strict);
    await browser.request('POST', '/v1/sign-in', { email: OWNER.email, password: OWNER.password });
    await strict.deps.pool.query("UPDATE members SET role = 'viewer'");
    const next = totpCode(app.secret, 1);
    expect((await browser.request('POST', '/v1/sign-in/second-factor', { code: next })).status).toBe(403);
    await strict.deps.pool.query("UPDATE members SET role = 'owner'");
    expect((await browser.request('POST', '/v1/sign-in/second-factor', { code: next })).status).toBe(200);
  });

  // Regression: the password was refused in a session, and a passkey of the same person was taken.
  test('where it is the only way, a session is proven by a passkey no more than by a password', async () => {
    await begin(strict);
    const { authenticator } = await addPasskey(owner.browser);
    const prove = async () => {
      const passkey = authenticator.get(await requestOptions(owner.browser, '/v1/session/authenticate/options'));
      return (await owner.browser.request('POST', '/v1/session/authenticate', { passkey })).status;
    };
    await strict.deps.pool.query("UPDATE members SET role = 'admin'");
    expect(await prove()).toBe(403);
    expect((await owner.browser.request('POST', '/v1/session/authenticate', { password: OWNER.password })).status).toBe(
      403,
    );
    const { rows } = await strict.deps.pool.query('SELECT FROM sign_in_attempts');
    await strict.deps.pool.query("UPDATE members SET role = 'owner'");
    expect([await prove(), rows.length]).toEqual([200, 0]);
  });
});

describe('single sign on provider', () => {
  const START = '/v1/sign-in/single-sign-on';
  const NORA = { name: 'Nora', email: 'nora@example.com', email_verified: true, groups: ['staff'] };

  let provider: ForgingProvider;
  let posthorn: TestPosthorn;
  let owner: Browser;
  let organisation: string;
  beforeAll(async () => {
    provider = await startForgingProvider();
    const variables = { ...provider.variables, OIDC_ROLES: 'staff=viewer', OIDC_ONLY: 'true', OIDC_NAME: 'Acme' };
    posthorn = await startPosthorn({ withWorker: false, variables });
  });
  afterAll(async () => {
    await posthorn.stop();
    await provider.close();
  });
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
    const { browser, me } = await setUp(posthorn);
    owner = browser;
    organisation = `/v1/organisations/${me.organisations[0]?.id}`;
  });

  /** Sends a browser there and lets it come back with a code, whose ID token the test makes from the nonce. */
  async function comeBack(tokenOf: (nonce: string) => unknown) {
    const browser = createBrowser(posthorn);
    const { body } = await browser.request<{ url: string }>('POST', START, {});
    const at = new URL(body.url).searchParams;
    const id_token = await tokenOf(at.get('nonce') ?? '');
    if (id_token !== 'as set')
      provider.answer(200, { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token });
    const { headers, status } = await browser.request('GET', `${START}/callback?code=x&state=${at.get('state')}`);
    return { browser, status, page: headers.get('location')?.replace('http://localhost:3000/dashboard', '') };
  }
  const people = () => posthorn.deps.db.user.count();

  describe('an ID token', () => {
    test('that is right lets its person in, without the time of the last proof where it names none', async () => {
      const { browser, page } = await comeBack((nonce) => provider.token({ ...NORA, nonce }));
      expect(page).toBe('/');
      const { body } = await browser.request<SignedIn>('GET', '/v1/session');
      expect([body.user.email, body.session.authenticatedAt]).toEqual(['nora@example.com', '1970-01-01T00:00:00.000Z']);
    });

    const past = Math.floor(Date.now() / 1_000) - 3_600;
    test.each<[string, Record<string, unknown>]>([
      ['with another nonce', { nonce: 'x' }],
      ['without a nonce', { nonce: undefined }],
      ['for another client', { aud: 'other' }],
      ['for several clients, of which another asked', { aud: ['posthorn', 'other'], azp: 'other' }],
      ['of another issuer', { iss: 'https://evil.example' }],
      ['whose time is over', { exp: past + 60, iat: past }],
      ['made ten minutes ahead', { iat: past + 4_200, exp: past + 7_200 }],
      ['of a sign-in ten minutes ahead', { auth_time: past + 4_200 }],
      ['without an end', { exp: undefined }],
      ['without a subject', { sub: undefined }],
      ['with a subject of 300 characters', { sub: 'x'.repeat(300) }],
      ['with a subject outside ASCII', { sub: 'nöra' }],
      ['with an empty subject', { sub: '' }],
    ])('%s lets nobody in', async (_, changes) => {
      const { page, browser } = await comeBack((nonce) => provider.token({ ...NORA, nonce, ...changes }));
      expect([page, await people(), browser.jar.has('posthorn-session')]).toEqual([
        '/sign-in#problem=invalid',
        1,
        false,
      ]);
    });

    test('signed by another key, a shared one, or none, lets nobody in', async () => {
      const { privateKey } = await generateKeyPair('ES256');
      const other = await comeBack((nonce) => provider.token({ ...NORA, nonce }, { key: privateKey }));
      const secret = new TextEncoder().encode('secret'.padEnd(32, '.'));
      const shared = await comeBack((nonce) => provider.token({ ...NORA, nonce }, { key: secret, alg: 'HS256' }));
      const none = await comeBack(async (nonce) => {
        const [, payload] = (await provider.token({ ...NORA, nonce })).split('.');
        return `${base64url.encode('{"alg":"none"}')}.${payload}.`;
      });
      const missing = await comeBack(() => undefined);
      expect([other, shared, none, missing].map(({ page }) => page)).toEqual(Array(4).fill('/sign-in#problem=invalid'));
      expect(await people()).toBe(1);
    });
  });

  describe('a provider', () => {
    test('that does not answer is told apart from one that refuses', async () => {
      provider.answer(undefined);
      expect((await comeBack(() => 'as set')).page).toBe('/sign-in#problem=unreachable');
      provider.answer(502);
      expect((await comeBack(() => 'as set')).page).toBe('/sign-in#problem=unreachable');
      provider.answer(400, { error: 'invalid_grant' });
      expect((await comeBack(() => 'as set')).page).toBe('/sign-in#problem=invalid');
    });

    test('is not read beyond a megabyte', async () => {
      provider.answer(200, { access_token: 'x'.repeat(1_100_000) });
      expect((await comeBack(() => 'as set')).page).toBe('/sign-in#problem=invalid');
    });

    test('is asked for no token by a browser that was never sent there', async () => {
      const before = provider.asked;
      const { headers } = await createBrowser(posthorn).request('GET', `${START}/callback?code=x&state=y`);
      expect([headers.get('location'), provider.asked]).toEqual([
        'http://localhost:3000/dashboard/sign-in#problem=expired',
        before,
      ]);
    });

    test('that cannot be reached is UNAVAILABLE, and asked again by the next one', async () => {
      const gone = await startForgingProvider();
      await gone.close();
      const other = await startPosthorn({ withWorker: false, variables: gone.variables });
      try {
        for (let turn = 0; turn < 2; turn += 1) {
          const { status, headers, body } = await createBrowser(other).request('POST', START, {});
          expect([status, headers.get('retry-after'), body]).toMatchObject([
            503,
            '5',
            { error: { code: 'UNAVAILABLE' } },
          ]);
        }
        expect(await other.deps.db.singleSignOnAttempt.count()).toBe(0);
      } finally {
        await other.stop();
      }
    });

    test('that nobody has configured is NOT_FOUND', async () => {
      const without = await startPosthorn({ withWorker: false });
      try {
        const stranger = createBrowser(without);
        expect((await stranger.request('POST', START, {})).status).toBe(404);
        expect((await stranger.request('GET', `${START}/callback?code=x`)).status).toBe(404);
        expect((await stranger.request('GET', '/v1/sign-in')).body).toEqual({ password: 'everyone' });
      } finally {
        await without.stop();
      }
    });
  });

  type Refused = { error: { code: string; message: string } };

  describe('where it is the only way', () => {
    test('owners sign in by password still, and nobody else', async () => {
      const { db, newId, pool } = posthorn.deps;
      await pool.query("UPDATE members SET role = 'viewer'");
      const other = await db.user.create({ data: { id: newId('user'), email: 'else@example.com', name: 'Else' } });
      const { organisationId } = await db.member.findFirstOrThrow();
      await db.member.create({ data: { organisationId, userId: other.id, role: 'owner' } });
      // Regression: the right password was answered by 403, a wrong one by 401.
      const tried = [OWNER, { ...OWNER, password: 'wrong one altogether' }, { ...OWNER, email: 'nobody@example.com' }];
      const answers = [];
      for (const { email, password } of tried)
        answers.push(await createBrowser(posthorn).request<Refused>('POST', '/v1/sign-in', { email, password }));
      const told = answers.map(({ status, body: { error } }) => `${status} ${error.code} ${error.message}`);
      expect([new Set(told).size, told[0]]).toEqual([
        1,
        expect.stringMatching(/^401 UNAUTHORIZED .*must sign in through Acme$/),
      ]);
      await pool.query("UPDATE members SET role = 'owner'");
      expect((await signIn(posthorn, OWNER)).me.user.email).toBe(OWNER.email);
      expect((await createBrowser(posthorn).request('GET', '/v1/sign-in')).body).toEqual({
        password: 'owners',
        singleSignOn: { name: 'Acme' },
      });
    });

    test('a passkey is no way around it', async () => {
      const { authenticator } = await addPasskey(owner);
      const byPasskey = async (): Promise<number> => {
        const browser = createBrowser(posthorn);
        const passkey = authenticator.get(await requestOptions(browser, '/v1/sign-in/passkey/options'));
        return (await browser.request('POST', '/v1/sign-in/passkey', { passkey })).status;
      };
      expect(await byPasskey()).toBe(200);
      await posthorn.deps.pool.query("UPDATE members SET role = 'admin'");
      expect(await byPasskey()).toBe(403);
      await posthorn.deps.pool.query("UPDATE members SET role = 'owner'");
    });

    test('an invitation makes no account with a password', async () => {
      const refused = joinAs(posthorn, owner, organisation, { role: 'viewer', email: 'nora@example.com' });
      await expect(refused).rejects.toThrow('This service requires signing in through Acme');
      const sent = { email: 'nora@example.com', role: 'developer' };
      const { body } = await owner.request<{ link: string }>('POST', `${organisation}/invitations`, sent);
      expect([codeOf(body.link).length, await people()]).toEqual([43, 1]);
    });
  });

  test('its page answers are kept by nobody and name no page before', async () => {
    const { headers } = await createBrowser(posthorn).request('GET', `${START}/callback?error=access_denied&zebra=`);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  });

  describe('returnTo', () => {
    test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'messages', '/a#b', '/a\nb', '/ä'])(
      'is refused: %j',
      async (returnTo) => {
        const { status, body } = await createBrowser(posthorn).request('POST', START, { returnTo });
        expect([status, body]).toMatchObject([400, { error: { details: { field: 'returnTo' } } }]);
      },
    );
  });
});
