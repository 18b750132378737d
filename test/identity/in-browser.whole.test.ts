import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { findFreePort } from '../../local/ports.ts';
import { makeSetupCode } from '../../src/identity/people/accounts/one-time-codes.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { actIn, OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { forward } from '../support/world/forward.ts';

describeWithBrowser('users in a browser', () => {
  describe('passkeys in browser', () => {
    /**
     * A real Chromium and its own authenticator, because test/support/world/authenticator.ts was written by the authors of the code
     * that it tests.
     */
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
      await posthorn.deps.pool.query('TRUNCATE users, sign_in_attempts CASCADE');
      page = await (await browser.newContext()).newPage();
      // Any page of the service's origin works: scripts of the test run in it.
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

    /** How a page calls the service. */
    const POST = `const post = async (path, body) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method: 'POST', ...(body && { headers, body: JSON.stringify(body) }) });
  return response.json();
};`;
    /** Adds a passkey, then signs in with it. */
    const script = `${POST}
const create = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/v1/user/passkeys/options'));
const made = await navigator.credentials.create({ publicKey: create });
await post('/v1/user/passkeys', { name: 'Laptop', passkey: made.toJSON() });
const ask = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/v1/sign-in/passkey/options'));
const signed = await navigator.credentials.get({ publicKey: ask });
await post('/v1/sign-in/passkey', { passkey: signed.toJSON() });`;

    /** Runs a script in the page. `as`: the test declares what it returns. */
    const run = async <T>(text: string): Promise<T> => (await page.evaluate(`(async () => { ${text} })()`)) as T;
    const post = <T>(path: string, body: object = {}): Promise<T> =>
      run<T>(`${POST} return post(${JSON.stringify(path)}, ${JSON.stringify(body)});`);
    const session = () => run<SignedIn>(`return (await fetch('/v1/session')).json();`);
    /** Lets the authenticator answer options, and sends its response. */
    const prove = <T>(options: string, path: string): Promise<T> =>
      run<T>(`${POST}
    const ask = PublicKeyCredential.parseRequestOptionsFromJSON(await post('${options}'));
    const signed = await navigator.credentials.get({ publicKey: ask });
    return post('${path}', { passkey: signed.toJSON() });`);
    const begin = async (): Promise<void> => {
      const code = await makeSetupCode(posthorn.deps, { isRenewed: true });
      expect(await post<SignedIn>('/v1/setup', { code, ...OWNER })).toMatchObject({ user: { email: OWNER.email } });
    };

    test('a page adds a passkey in Chromium, and signs in with it alone', async () => {
      await begin();
      await run(script);
      const { user, session: current } = await session();
      expect([user.email, current.provenBy]).toEqual([OWNER.email, ['passkey']]);
      const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
      expect(credentials).toMatchObject([
        { rpId: 'localhost', isResidentCredential: true, userDisplayName: OWNER.name },
      ]);
      expect(Buffer.from(credentials[0]?.userHandle ?? '', 'base64').toString()).toBe(user.id);
      const row = await posthorn.deps.db.passkey.findFirstOrThrow();
      expect([Buffer.from(row.credentialId).toString('base64'), Number(row.counter)]).toEqual([
        credentials[0]?.credentialId,
        credentials[0]?.signCount,
      ]);
    });

    test('Chromium completes the second step with a passkey, and re-authenticates a session', async () => {
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

    test('Chromium creates no signature without user verification, nor on a page of another host', async () => {
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
  });

  describe('dashboard in browser', () => {
    /** A real Chromium, because how a browser treats CORS headers is up to it, and dashboard-origin.test.ts reads only the headers. */
    let posthorn: TestPosthorn;
    let server: Server;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let port: number;
    /** Requests that have reached the API, each with whether it had the session cookie. */
    let reached: string[];
    let names: Record<string, string>;

    const at = (host: string): string => `https://${host}:${port}`;
    const api = (): string => at('api.example.com');

    beforeAll(async () => {
      port = await findFreePort();
      posthorn = await startPosthorn({
        withWorker: false,
        variables: { PUBLIC_BASE_URL: api(), DASHBOARD_URL: at('dash.example.com') },
      });
      const { browser: client, me } = await setUp(posthorn);
      actIn(client, me);
      names = client.names as Record<string, string>;
      // One server for all names: the API at one, and an empty page at the others.
      server = createServer(makeCertificate(['localhost']), (incoming, outgoing) => {
        const { url = '', method = '', headers } = incoming;
        if (headers.host !== `api.example.com:${port}`)
          return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
        const hasSession = headers.cookie?.includes('__Host-posthorn-session=') === true;
        reached.push(`${method} ${url}${hasSession ? ' with the session' : ''}`);
        forward(posthorn.url, incoming, outgoing);
      });
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      browser = await launchBrowser({ hosts: ['*.example.com', '*.example.org'] });
    });
    afterAll(async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await posthorn.stop();
    });
    beforeEach(async () => {
      reached = [];
      context = await browser.newContext({ ignoreHTTPSErrors: true });
      page = await context.newPage();
    });

    type Sent = { method?: string; body?: object; type?: string; headers?: Record<string, string> };
    type Got = { status: number; body: unknown; remaining: string | null } | { error: string };

    /** Calls the API from the open page, with its cookies. */
    const ask = (path: string, { method = 'GET', body, type = 'application/json', headers }: Sent = {}) =>
      page.evaluate(
        async ([url, init]): Promise<Got> => {
          try {
            const answer = await fetch(url, { ...init, credentials: 'include' });
            const text = await answer.text();
            const json: unknown = text === '' ? undefined : JSON.parse(text);
            return { status: answer.status, body: json, remaining: answer.headers.get('x-ratelimit-remaining') };
          } catch (failure) {
            return { error: String(failure) };
          }
        },
        [
          api() + path,
          {
            method,
            headers: { ...(body && { 'content-type': type }), ...headers },
            ...(body && { body: JSON.stringify(body) }),
          },
        ] as const,
      );
    const signIn = () => ask('/v1/sign-in', { method: 'POST', body: { email: OWNER.email, password: OWNER.password } });
    const REFUSED = { error: 'TypeError: Failed to fetch' };

    /** Signs a user in on a page of the dashboard, in this browser. */
    async function signInAtDashboard(): Promise<void> {
      await page.goto(at('dash.example.com'));
      expect(await signIn()).toMatchObject({ status: 200 });
      reached = [];
    }

    test('a page of the dashboard signs its user in, reads and changes, and cannot see the cookie', async () => {
      await page.goto(at('dash.example.com'));
      expect(await signIn()).toMatchObject({ status: 200, body: { user: { email: OWNER.email } } });
      expect(reached).toEqual(['OPTIONS /v1/sign-in', 'POST /v1/sign-in']);
      const cookies = await context.cookies();
      expect(cookies.find(({ name }) => name === '__Host-posthorn-session')).toMatchObject({
        domain: 'api.example.com',
        secure: true,
        httpOnly: true,
        sameSite: 'Lax',
      });
      expect(await page.evaluate('document.cookie')).toBe('');

      const { name } = OWNER;
      expect(await ask('/v1/user')).toMatchObject({
        status: 200,
        body: { name },
        remaining: expect.stringMatching(/^\d+$/),
      });
      expect(await ask('/v1/user', { method: 'PATCH', body: { name } })).toMatchObject({ status: 200, body: { name } });
      const sent = { method: 'POST', body: { name: 'orders' }, headers: { ...names, 'idempotency-key': 'once' } };
      const made = await ask('/v1/channels', sent);
      expect(made).toMatchObject({ status: 201, body: { name: 'orders' } });
      expect(await ask('/v1/channels', sent)).toEqual({ ...made, remaining: expect.any(String) });
      expect(await ask('/v1/nothing')).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
      expect(reached).toEqual(
        expect.arrayContaining([
          'GET /v1/user with the session',
          'OPTIONS /v1/user',
          'PATCH /v1/user with the session',
        ]),
      );
      expect(await ask('/v1/session', { method: 'DELETE' })).toMatchObject({ status: 204 });
      expect(await ask('/v1/session')).toMatchObject({ status: 401 });
    });

    test('a page of the dashboard cannot send an API key', async () => {
      await signInAtDashboard();
      expect(await ask('/v1/channels', { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).toEqual(
        REFUSED,
      );
      expect(reached).toEqual(['OPTIONS /v1/channels']);
    });

    test.each([
      ['another host of the same site, whose requests carry the cookie', 'other.example.com', ' with the session'],
      ['another site whose name begins as the dashboard’s does', 'dash.example.com.example.org', ''],
      ['another site, whose requests carry no cookie', 'evil.example.org', ''],
    ])('a page of %s, reads nothing and changes nothing', async (_, host, session) => {
      await signInAtDashboard();
      await page.goto(at(host));
      const before = await tableContents(posthorn.deps.pool);
      expect(await ask('/v1/user')).toEqual(REFUSED);
      expect(await ask('/v1/user', { method: 'PATCH', body: { name: 'Evil' } })).toEqual(REFUSED);
      expect(await ask('/v1/session', { method: 'DELETE' })).toEqual(REFUSED);
      // Sent without a preflight, as a form is. The service itself refuses it.
      expect(await ask('/v1/sessions/revoke-others', { method: 'POST' })).toEqual(REFUSED);
      expect(await ask('/v1/channels', { method: 'POST', body: { name: 'x' }, type: 'text/plain' })).toEqual(REFUSED);
      expect(reached).toEqual([
        `GET /v1/user${session}`,
        'OPTIONS /v1/user',
        'OPTIONS /v1/session',
        `POST /v1/sessions/revoke-others${session}`,
        `POST /v1/channels${session}`,
      ]);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
      await page.goto(at('dash.example.com'));
      expect(await ask('/v1/user')).toMatchObject({ status: 200, body: { name: OWNER.name } });
    });
  });
});
