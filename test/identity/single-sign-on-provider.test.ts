import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { base64url, generateKeyPair } from 'jose';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { addPasskey, requestOptions } from '../support/make/factors.ts';
import { codeOf, joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { type ForgingProvider, startForgingProvider } from '../support/world/forging-provider.ts';

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
  await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_tries CASCADE');
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
    expect([page, await people(), browser.jar.has('posthorn-session')]).toEqual(['/sign-in#problem=invalid', 1, false]);
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
    // Old: the right password was answered by 403, a wrong one by 401.
    const tried = [OWNER, { ...OWNER, password: 'wrong one altogether' }, { ...OWNER, email: 'nobody@example.com' }];
    const answers = [];
    for (const { email, password } of tried)
      answers.push(await createBrowser(posthorn).request<Refused>('POST', '/v1/sign-in', { email, password }));
    const told = answers.map(({ status, body: { error } }) => `${status} ${error.code} ${error.message}`);
    expect([new Set(told).size, told[0]]).toEqual([1, expect.stringMatching(/^401 UNAUTHORIZED .*signs in by Acme$/)]);
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
    await expect(refused).rejects.toThrow('People sign in by Acme here');
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
