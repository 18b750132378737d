import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { findFreePort } from '../../local/ports.ts';
import { makeSetupCode } from '../../src/identity/accounts/setup.ts';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { launchBrowser } from '../support/world/chromium.ts';
import { OWNER } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf } from '../docs/code-blocks.ts';

/** A real Chromium and its own authenticator: test/support/world/authenticator.ts was written by the people who read its answers. */
let posthorn: TestPosthorn;
let browser: Browser;
let page: Page;
let devtools: CDPSession;
let authenticatorId: string;
let origin: string;

beforeAll(async () => {
  const port = await findFreePort();
  origin = `http://localhost:${port}`;
  posthorn = await startPosthorn({ withWorker: false, port, variables: { PUBLIC_BASE_URL: origin } });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await posthorn.stop();
});
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE users, sign_in_tries CASCADE');
  page = await (await browser.newContext()).newPage();
  // Any page of the service's origin will do: scripts of the test run in it.
  await page.goto(`${origin}/healthz`);
  devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
});

/** The page's own way to call the service, as docs/api.md has it, and the page's script there. */
const [script = ''] = codeBlocksOf('docs/api.md').flatMap(({ language, text }) => (language === 'js' ? [text] : []));
const POST = script.slice(0, script.indexOf('\n};\n') + 4);

/** Runs a script in the page. `as`: the test says what it gives. */
const run = async <T>(text: string): Promise<T> => (await page.evaluate(`(async () => { ${text} })()`)) as T;
const post = <T>(path: string, body: object = {}): Promise<T> =>
  run<T>(`${POST} return post(${JSON.stringify(path)}, ${JSON.stringify(body)});`);
const session = () => run<SignedIn>(`return (await fetch('/v1/session')).json();`);
/** Lets the authenticator answer options, and sends its answer. */
const prove = <T>(options: string, path: string): Promise<T> =>
  run<T>(`${POST}
    const ask = PublicKeyCredential.parseRequestOptionsFromJSON(await post('${options}'));
    const signed = await navigator.credentials.get({ publicKey: ask });
    return post('${path}', { passkey: signed.toJSON() });`);
const begin = async (): Promise<void> => {
  const code = await makeSetupCode(posthorn.deps, { isRenewed: true });
  expect(await post<SignedIn>('/v1/setup', { code, ...OWNER })).toMatchObject({ user: { email: OWNER.email } });
};

test('the script of docs/api.md adds a passkey in Chromium, and signs in with it alone', async () => {
  await begin();
  await run(script);
  const { user, session: current } = await session();
  expect([user.email, current.provenBy]).toEqual([OWNER.email, ['passkey']]);
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true, userDisplayName: OWNER.name }]);
  expect(Buffer.from(credentials[0]?.userHandle ?? '', 'base64').toString()).toBe(user.id);
  const row = await posthorn.deps.db.passkey.findFirstOrThrow();
  expect([Buffer.from(row.credentialId).toString('base64'), Number(row.counter)]).toEqual([
    credentials[0]?.credentialId,
    credentials[0]?.signCount,
  ]);
});

test('Chromium takes the second step with a passkey, and proves a session', async () => {
  await begin();
  await run(script);
  const step = await post<object>('/v1/sign-in', { email: OWNER.email, password: OWNER.password });
  expect(step).toMatchObject({ secondStep: { means: ['passkey', 'recoveryCode'] } });
  const taken = await prove<SignedIn>('/v1/sign-in/second-factor/options', '/v1/sign-in/second-factor');
  expect(taken.session.provenBy).toEqual(['password', 'passkey']);
  await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '1 hour'`);
  expect(await post('/v1/user/recovery-codes')).toMatchObject({ error: { details: { field: 'session' } } });
  await prove<SignedIn>('/v1/session/authenticate/options', '/v1/session/authenticate');
  expect(await post('/v1/user/recovery-codes')).toMatchObject({ recoveryCodes: expect.any(Array) });
});

test('Chromium adds the same authenticator once, renames its passkey and removes it', async () => {
  await begin();
  await run(script);
  const again = run(script);
  await expect(again).rejects.toThrow('InvalidStateError');
  const listed = await run<{ data: { id: string }[] }>(`return (await fetch('/v1/user/passkeys')).json();`);
  const path = `/v1/user/passkeys/${listed.data[0]?.id}`;
  const change = (method: string, body?: object) =>
    run<number>(`const headers = { 'Content-Type': 'application/json' };
      const body = ${JSON.stringify(body && JSON.stringify(body)) ?? 'undefined'};
      return (await fetch('${path}', { method: '${method}', ...(body && { headers, body }) })).status;`);
  expect(await change('PATCH', { name: 'Desk' })).toBe(200);
  expect(await change('DELETE')).toBe(204);
  await expect(prove('/v1/sign-in/passkey/options', '/v1/sign-in/passkey')).resolves.toMatchObject({
    error: { code: 'UNAUTHORIZED', message: 'The passkey was not accepted' },
  });
});

test('Chromium makes no signature for a person who was not verified, nor on a page of another host', async () => {
  await begin();
  await run(script);
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await expect(prove('/v1/sign-in/passkey/options', '/v1/sign-in/passkey')).rejects.toThrow('NotAllowedError');
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.goto(`${posthorn.url}/healthz`);
  await expect(prove('/v1/sign-in/passkey/options', '/v1/sign-in/passkey')).rejects.toThrow(
    /SecurityError|relying party/,
  );
});
