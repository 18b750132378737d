import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { addPasskey, requestOptions, totpCode } from '../support/make/factors.ts';
import { codeOf, joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { type ForgingProvider, startForgingProvider } from '../support/world/forging-provider.ts';

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
  await of.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_tries CASCADE');
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

// The old mechanism: who had made an account under somebody else's address stayed in it, and had the rights of its groups.
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
  const { link } = await posthorn.services.members.operator.makeResetLink(NORA.email, { isWithoutFactors: false });
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

// The old mechanism: an owner of any organisation passed, and every admin may make one.
test('where it is the only way, an organisation of one\u2019s own is no way around it', async () => {
  await begin(strict);
  const { browser } = await comeBy({ ...NORA, groups: ['staff'] }, strict);
  const { link } = await strict.services.members.operator.makeResetLink(NORA.email, { isWithoutFactors: false });
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

// The old mechanism: the password was refused in a session, and a passkey of the same person was taken.
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
  const { rows } = await strict.deps.pool.query('SELECT FROM sign_in_tries');
  await strict.deps.pool.query("UPDATE members SET role = 'owner'");
  expect([await prove(), rows.length]).toEqual([200, 0]);
});
