import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/caller/roles.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { joinAs, OWNER, setUp, setUpAnew, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import {
  type IdentityProvider,
  type ProviderPerson,
  startIdentityProvider,
} from '../support/world/identity-provider.ts';

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
  const list = await owner.browser.request<{ data: { email: string; role: Role }[] }>('GET', `${organisation}/members`);
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
    runPosthorn(['admin', 'forget-identity', 'Nora@example.com'], { DATABASE_URL: posthorn.database.url });
  expect((await run()).output).toContain('Forgot who Nora@example.com is at the identity provider');
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
