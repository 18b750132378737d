import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createAccessTokens } from '../../src/automations/connections/access-tokens.ts';
import { justWait } from '../../src/platform/crashes/crash-guard.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRequestSender } from '../../src/platform/outbound/send-request.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { historyTextOf } from '../support/make/history-of.ts';
import { type OAuthConnection, oauthConnections } from '../support/make/oauth-connections.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { PROVIDER_CLIENT, startTokenProvider, type TokenProvider } from '../support/world/token-provider.ts';

type Tested = { ok: boolean; status?: number; message: string };

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let connections: ReturnType<typeof oauthConnections>;
let provider: TokenProvider;
/** A service that accepts the provider's access tokens, and returns them. */
let service: Receiver;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog('trace', { destination: { write: (line) => void logged.push(line) } });
  provider = await startTokenProvider();
  posthorn = await startPosthorn({ log });
  calls = workflowCalls(posthorn);
  service = await startReceiver({
    answer:
      ({ headers }) =>
      async (response) => {
        const [, token] = headers.authorization?.split('Bearer ') ?? [];
        const status = (await provider.knows(token)) ? 200 : 401;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
      },
  });
  connections = oauthConnections(posthorn, provider, service.url.slice(0, -1));
});
afterEach(() => {
  provider.outage = undefined;
});
afterAll(async () => {
  await posthorn.stop();
  await service.close();
  await provider.close();
});

const tested = (id: string): Promise<Tested> => calls.good('POST', `/v1/connections/${id}/test`);
const refreshes = (): number => provider.granted.filter((grant) => grant === 'refresh_token').length;
const activate = (connectionId: string, retries = 0): Promise<string> =>
  calls.activate({ type: 'manual' }, [
    {
      id: 'ask',
      type: 'action',
      config: {
        action: 'connector',
        connectorId: 'http-oauth',
        operation: 'get',
        connectionId,
        params: { path: '/deals' },
        retryPolicy: { maxRetries: retries },
      },
    },
  ]);
const run = async (workflowId: string) => calls.ended((await calls.start(workflowId)).id);

test('after consent, steps call the service with a token that is never shown', async () => {
  const { id, status } = await connections.make();
  expect(status).toBe('unauthorized');
  const workflowId = await activate(id);
  expect((await run(workflowId)).error).toMatchObject({
    code: 'CONNECTION_UNAUTHORIZED',
    message: expect.stringContaining(`POST /v1/connections/${id}/authorize`),
  });
  expect(await tested(id)).toMatchObject({ ok: false });

  const url = await connections.begin(id);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: PROVIDER_CLIENT.clientId,
    response_type: 'code',
    redirect_uri: 'http://localhost:3000/oauth/connections/callback',
    scope: 'openid sheets',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(await connections.comeBack(await provider.visit(url.href, 'yes'))).toMatch(/^Connected/);
  expect(await connections.statusOf(id)).toBe('ready');
  expect(await tested(id)).toEqual({ ok: true, status: 200, message: 'HTTP with OAuth 2.0 accepts the credentials' });
  const ended = await run(workflowId);
  expect([ended.status, ended.error]).toEqual(['completed', undefined]);
  expect(stepOf(ended, 'ask').output).toMatchObject({ body: { token: '[secret connection.accessToken]' } });

  const { accessToken = '', refreshToken = '' } = (await connections.tokensOf(id)) ?? {};
  const history = await historyTextOf(posthorn, `run/${ended.id}/1`);
  for (const secret of [accessToken, refreshToken, PROVIDER_CLIENT.clientSecret, url.searchParams.get('state') ?? '']) {
    expect(secret.length).toBeGreaterThan(20);
    expect(await tablesThatHold(posthorn.deps.pool, secret)).toEqual([]);
    expect(logged.join('\n').includes(secret)).toBe(false);
    expect(history.includes(secret)).toBe(false);
  }
  const { data } = await calls.good<{ data: { action: string; actor: { kind: string } }[] }>(
    'GET',
    `/v1/audit?targetId=${id}`,
  );
  expect(data.map(({ action, actor }) => `${actor.kind} ${action}`).toReversed()).toEqual([
    'apiKey connection.created',
    'apiKey connection.tested',
    'apiKey connection.authorization_started',
    'apiKey connection.authorized',
    'apiKey connection.tested',
  ]);
});

test('a state is valid once, for ten minutes and for its own connection, and a later one ends it', async () => {
  const { id } = await connections.make();
  const expired = expect.stringMatching(/^Not connected: This authorization has expired/);
  const target = await provider.visit((await connections.begin(id)).href, 'yes');
  for (const other of [
    '/oauth/connections/callback',
    '/oauth/connections/callback?error=access_denied',
    '/oauth/connections/callback?state=%00&code=x',
    target.replace(/state=[\w-]+/, `state=${'A'.repeat(43)}`),
  ])
    expect([other, await connections.comeBack(other)]).toEqual([other, expired]);
  // Regression: the first of two states named the connection, and was used up before the response was refused.
  for (const more of [`&state=${'A'.repeat(43)}`, '&code=other', '&error=access_denied&error=x'])
    expect([more, await connections.comeBack(target + more)]).toEqual([
      more,
      expect.stringMatching(/did not return a usable token/),
    ]);
  expect(await connections.comeBack(target)).toMatch(/^Connected/);
  const superseded = await provider.visit((await connections.begin(id)).href, 'yes');
  await connections.begin(id);
  expect(await connections.comeBack(superseded)).toEqual(expired);

  const late = await provider.visit((await connections.begin(id)).href, 'yes');
  await connections.change(id, ({ pending, ...others }) => ({
    ...others,
    ...(pending && { pending: { ...pending, expiresAt: new Date(Date.now() - 1).toISOString() } }),
  }));
  expect(await connections.comeBack(late)).toEqual(expired);

  const good = await provider.visit((await connections.begin(id)).href, 'yes');
  expect(await connections.comeBack(good)).toMatch(/^Connected/);
  const tokens = await connections.tokensOf(id);
  expect(await connections.comeBack(good)).toEqual(expired);
  expect(await connections.tokensOf(id)).toEqual(tokens);
});

test('refused consent, a refused code and an unavailable provider change nothing', async () => {
  const id = await connections.authorized();
  const tokens = await connections.tokensOf(id);
  expect(await connections.comeBack(await provider.visit((await connections.begin(id)).href, 'no'))).toMatch(
    /did not give consent/,
  );
  const target = await provider.visit((await connections.begin(id)).href, 'yes');
  expect(await connections.comeBack(target.replace(/code=[\w-]+/, 'code=other'))).toMatch(
    /did not return a usable token/,
  );
  const foreign = await provider.visit((await connections.begin(id)).href, 'yes');
  expect(await connections.comeBack(foreign.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'))).toMatch(
    /did not return a usable token/,
  );
  const away = await provider.visit((await connections.begin(id)).href, 'yes');
  provider.outage = 503;
  expect(await connections.comeBack(away)).toMatch(/cannot be reached at the moment/);
  provider.outage = undefined;
  expect([await connections.statusOf(id), await connections.tokensOf(id)]).toEqual(['ready', tokens]);
});

test('twenty steps that need a new token at once, in two processes, cause one refresh, and the rotated token is stored', async () => {
  const id = await connections.authorized();
  const before = await connections.tokensOf(id);
  await connections.expire(id);
  const count = refreshes();
  const { pool, keyRing, clock, log, guard } = posthorn.deps;
  const sender = createRequestSender({ guard, version: '0', clock: () => new Date() });
  const environmentId = (
    await pool.query<{ id: string }>('SELECT environment_id AS id FROM connections WHERE id = $1', [id])
  ).rows[0]?.id;
  const processes = [1, 2].map(() => createAccessTokens({ pool, keyRing, clock, log, sender }));
  const found = await Promise.all(
    Array.from({ length: 10 }, () =>
      processes.map((ask) => ask(environmentId ?? '', id, { outside: justWait })),
    ).flat(),
  );
  const after = await connections.tokensOf(id);
  expect(new Set(found.map((credentials) => credentials?.accessToken))).toEqual(new Set([after?.accessToken]));
  expect(refreshes()).toBe(count + 1);
  expect(after?.accessToken).not.toBe(before?.accessToken);
  expect(after?.refreshToken).not.toBe(before?.refreshToken);
  await sender.close();

  // By a worker's runs; the token of the previous refresh is valid for the next one.
  await connections.expire(id);
  const workflowId = await activate(id);
  const ended = await Promise.all(Array.from({ length: 20 }, () => run(workflowId)));
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['completed']));
  expect(refreshes()).toBe(count + 2);
});

test('a token that the service refuses early is refreshed once within the step', async () => {
  const id = await connections.authorized();
  const workflowId = await activate(id);
  await provider.endAccessTokens();
  const [count, asked] = [refreshes(), service.requests.length];
  expect((await run(workflowId)).status).toBe('completed');
  expect([refreshes() - count, service.requests.length - asked]).toEqual([1, 2]);
  await provider.endAccessTokens();
  expect(await tested(id)).toMatchObject({ ok: true });
});

test('an unavailable provider fails an attempt, which is retried; a revoked grant fails the step permanently', async () => {
  const id = await connections.authorized();
  const workflowId = await activate(id);
  await connections.expire(id);
  provider.outage = 503;
  expect((await run(workflowId)).error).toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    message: expect.stringContaining('responded with 503'),
  });
  expect(await connections.statusOf(id)).toBe('ready');
  provider.outage = undefined;
  expect((await run(workflowId)).status).toBe('completed');

  await connections.expire(id);
  await provider.revoke();
  const retrying = await activate(id, 3);
  const refused = await run(retrying);
  expect(refused.error?.code).toBe('CONNECTION_UNAUTHORIZED');
  expect(stepOf(refused, 'ask').attempts).toBe(1);
  expect(await connections.statusOf(id)).toBe('unauthorized');
  expect(logged.join('\n')).toContain('no longer renews the tokens of a connection');

  expect(await connections.comeBack(await provider.visit((await connections.begin(id)).href, 'yes'))).toMatch(
    /^Connected/,
  );
  expect((await run(workflowId)).status).toBe('completed');
});

test('a client unknown to the provider does not end the grant', async () => {
  const id = await connections.authorized();
  const tokens = await connections.tokensOf(id);
  const { credentials } = await connections.sealedOf(id);
  await calls.good('PATCH', `/v1/connections/${id}`, { credentials: { ...credentials, clientSecret: 'another' } });
  expect([await connections.statusOf(id), await connections.tokensOf(id)]).toEqual(['ready', tokens]);
  await connections.expire(id);
  // RFC 6749, section 5.2, allows the status 401 with WWW-Authenticate here; it used to be reported as a response that violates the
  // RFC.
  expect((await run(await activate(id))).error).toMatchObject({
    code: 'TOKEN_REFUSED',
    message: 'the provider refused with the error invalid_client',
  });
  await calls.good('PATCH', `/v1/connections/${id}`, { credentials });
  expect(await tested(id)).toMatchObject({ ok: true });
});

test('tokens are sent nowhere else: a changed address ends the authorization, and one in progress', async () => {
  const id = await connections.authorized();
  const { credentials } = await connections.sealedOf(id);
  const target = await provider.visit((await connections.begin(id)).href, 'yes');
  await calls.good('PATCH', `/v1/connections/${id}`, { name: 'renamed' });
  expect(await connections.statusOf(id)).toBe('ready');
  await calls.good('PATCH', `/v1/connections/${id}`, {
    credentials: { ...credentials, baseUrl: 'https://evil.example' },
  });
  expect([await connections.statusOf(id), await connections.tokensOf(id)]).toEqual(['unauthorized', undefined]);
  expect(await connections.comeBack(target)).toMatch(/^Not connected: This authorization has expired/);
});

// A new one is refused when it is written (request-addresses.test.ts).
test("a provider in the operator's network, of an older connection, is not called", async () => {
  const { id } = await connections.make();
  const { credentials } = await connections.sealedOf(id);
  await connections.seal(id, { credentials: { ...credentials, tokenUrl: 'http://10.0.0.1/token' } });
  expect(await connections.comeBack(await provider.visit((await connections.begin(id)).href, 'yes'))).toMatch(
    /cannot be reached/,
  );
  expect(await connections.statusOf(id)).toBe('unauthorized');
});

// Regression: the library appends its parameters to those of the address, and the provider reads the first of two.
test("an address with the service's own parameters cannot be saved, and those of an older connection are replaced", async () => {
  const { id } = await connections.make();
  const { credentials } = await connections.sealedOf(id);
  const authorizationUrl = `${String(credentials['authorizationUrl'])}?audience=shop&state=mine&client_id=other`;
  const refused = await posthorn.request<{ error: { details: object } }>('PATCH', `/v1/connections/${id}`, {
    credentials: { ...credentials, authorizationUrl },
  });
  expect([refused.status, refused.body.error.details]).toMatchObject([400, { field: 'credentials.authorizationUrl' }]);
  await connections.seal(id, { credentials: { ...credentials, authorizationUrl } });
  const { searchParams } = await connections.begin(id);
  expect(searchParams.getAll('audience')).toEqual(['shop']);
  expect(searchParams.getAll('client_id')).toEqual([credentials['clientId']]);
  expect(searchParams.getAll('state')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});

test('only connections with access tokens are authorized, and only by their own environment', async () => {
  const slack = await calls.good<OAuthConnection>('POST', '/v1/connections', {
    connectorId: 'slack',
    name: 'bot',
    credentials: { token: 'xoxb-1' },
  });
  expect(slack.status).toBe('ready');
  expect((await posthorn.request('POST', `/v1/connections/${slack.id}/authorize`)).status).toBe(409);
  const { id } = await connections.make();
  const foreign = await posthorn.request('POST', `/v1/connections/${id}/authorize`, undefined, {
    key: posthorn.keys.test,
  });
  expect(foreign.status).toBe(404);
});
