import { makeSetupCode } from '../../../src/identity/accounts/setup.ts';
import type { SignedIn } from '../../../src/identity/sessions/schema.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { type Browser, createBrowser } from '../world/browser.ts';

export const OWNER = { email: 'owner@example.com', name: 'Olga Owner', password: 'tangerine orbit mill' };

/** Makes the first administrator, and gives the browser in which that person is signed in. */
export async function setUp(posthorn: TestPosthorn, person = OWNER): Promise<{ browser: Browser; me: SignedIn }> {
  const code = await makeSetupCode(posthorn.deps, { isRenewed: true });
  const browser = createBrowser(posthorn);
  const { status, body } = await browser.request<SignedIn>('POST', '/v1/setup', { code, ...person });
  if (status !== 201) throw new Error(`Setup answered ${status}: ${JSON.stringify(body)}`);
  return { browser, me: body };
}

/** Signs a person in, in a new browser. */
export async function signIn(
  posthorn: TestPosthorn,
  { email, password }: { email: string; password: string },
): Promise<{ browser: Browser; me: SignedIn }> {
  const browser = createBrowser(posthorn);
  const { status, body } = await browser.request<SignedIn>('POST', '/v1/sign-in', { email, password });
  if (status !== 200) throw new Error(`Signing in answered ${status}: ${JSON.stringify(body)}`);
  return { browser, me: body };
}

/** Makes a browser name the first app of its person, and this environment. */
export function actIn(browser: Browser, { organisations }: SignedIn, environment: 'live' | 'test' = 'live'): void {
  const app = organisations[0]?.apps[0];
  if (app === undefined) throw new Error('The person is a member of no organisation with an app');
  Object.assign(browser.names, { 'posthorn-app': app.id, 'posthorn-environment': environment });
}

/** The code of a link. */
export const codeOf = (link: string): string => link.slice(link.indexOf('#code=') + '#code='.length);

/** Invites somebody new and accepts for them: a member with that role, signed in in a browser of their own. */
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
