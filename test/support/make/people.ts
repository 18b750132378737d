import { isDeepStrictEqual } from 'node:util';
import { makeSetupCode } from '../../../src/identity/people/accounts/one-time-codes.ts';
import type { SignedIn } from '../../../src/identity/people/sessions/schema.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { tableContents } from '../check/table-contents.ts';
import { type Browser, createBrowser } from '../world/browser.ts';

export const OWNER = { email: 'owner@example.com', name: 'Olga Owner', password: 'tangerine orbit mill' };

/** Creates the first administrator, and returns the browser in which that user is signed in. */
export async function setUp(posthorn: TestPosthorn, person = OWNER): Promise<{ browser: Browser; me: SignedIn }> {
  const code = await makeSetupCode(posthorn.deps, { isRenewed: true });
  const browser = createBrowser(posthorn);
  const { status, body } = await browser.request<SignedIn>('POST', '/v1/setup', { code, ...person });
  if (status !== 201) throw new Error(`Setup answered ${status}: ${JSON.stringify(body)}`);
  return { browser, me: body };
}

/** Deletes all users and creates the first administrator again. `organisation` is the path of the organisation. */
export async function setUpAnew(
  posthorn: TestPosthorn,
): Promise<{ owner: { browser: Browser; me: SignedIn }; organisation: string }> {
  await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
  const owner = await setUp(posthorn);
  return { owner, organisation: `/v1/organisations/${owner.me.organisations[0]?.id}` };
}

/**
 * Sends a request that is to be refused. Returns status and code, and throws if a cookie was set or any table has changed. `isTry`: a
 * refused sign-in attempt, which is counted in a table of its own.
 */
export async function refusalOf(
  posthorn: TestPosthorn,
  by: Browser,
  request: readonly [method: string, path: string, body?: unknown],
  { isTry = false } = {},
): Promise<[status: number, code: string]> {
  const contents = async () => {
    const { sign_in_attempts, ...others } = await tableContents(posthorn.deps.pool);
    return isTry ? others : { ...others, sign_in_attempts };
  };
  const before = await contents();
  const { status, body, cookies } = await by.request<{ error: { code: string } }>(...request);
  if (cookies.length > 0 || !isDeepStrictEqual(await contents(), before))
    throw new Error(`${request[0]} ${request[1]} answered ${status} and changed something`);
  return [status, body.error.code];
}

/** Returns a browser in which the right password was given, and a second factor is required. */
export async function passPassword(
  posthorn: TestPosthorn,
  { email, password }: { email: string; password: string } = OWNER,
): Promise<Browser> {
  const browser = createBrowser(posthorn);
  const { status, body } = await browser.request('POST', '/v1/sign-in', { email, password });
  if (status !== 200 || Object.keys(body).join() !== 'secondStep')
    throw new Error(`The password was answered ${status}: ${JSON.stringify(body)}`);
  return browser;
}

/** Signs a user in, in a new browser. */
export async function signIn(
  posthorn: TestPosthorn,
  { email, password }: { email: string; password: string },
): Promise<{ browser: Browser; me: SignedIn }> {
  const browser = createBrowser(posthorn);
  const { status, body } = await browser.request<SignedIn>('POST', '/v1/sign-in', { email, password });
  if (status !== 200) throw new Error(`Signing in answered ${status}: ${JSON.stringify(body)}`);
  return { browser, me: body };
}

/** Makes a browser name the first app of its user, and this environment. */
export function actIn(browser: Browser, { organisations }: SignedIn, environment: 'live' | 'test' = 'live'): void {
  const app = organisations[0]?.apps[0];
  if (app === undefined) throw new Error('The person is a member of no organisation with an app');
  Object.assign(browser.names, { 'posthorn-app': app.id, 'posthorn-environment': environment });
}

/** Returns the code of a link. */
export const codeOf = (link: string): string => link.slice(link.indexOf('#code=') + '#code='.length);

/** Invites a new user and accepts for them: a member with that role, signed in in a browser of their own. */
export async function joinAs(
  posthorn: TestPosthorn,
  inviter: Browser,
  organisation: string,
  { role, email }: { role: string; email: string },
): Promise<{ browser: Browser; me: SignedIn; password: string }> {
  const { body: invitation } = await inviter.request<{ link: string }>('POST', `${organisation}/invitations`, {
    email,
    role,
  });
  const browser = createBrowser(posthorn);
  const password = `walnut ferry ${role} dusk`;
  const sent = { code: codeOf(invitation.link), name: role, password };
  const { status, body: me } = await browser.request<SignedIn>('POST', '/v1/invitations/accept', sent);
  if (status !== 200) throw new Error(`Accepting answered ${status}: ${JSON.stringify(me)}`);
  return { browser, me, password };
}
