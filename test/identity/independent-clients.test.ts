import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as dpop from 'dpop';
import * as oauth from 'oauth4webapi';
import { createHmac } from 'node:crypto';
import { findFreePort } from '../../local/ports.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { makeProof } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient, type Credential } from '../support/world/token-client.ts';
import { ROOT } from '../docs/code-blocks.ts';

let posthorn: TestPosthorn;
let proxy: TcpProxy;
/** PUBLIC_BASE_URL, at which the service really answers here. */
let base: string;
let channelId: string;
let credential: Credential;
beforeAll(async () => {
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  posthorn = await startPosthorn({ withWorker: false, variables: { PUBLIC_BASE_URL: base } });
  proxy = await startTcpProxy(posthorn.url, port);
  credential = await createTokenClient(() => posthorn).register({ scopes: ['messages:write', 'messages:read'] });
  channelId = (await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' })).body.id;
});
afterAll(async () => {
  await proxy.stop();
  await posthorn.stop();
});

const insecure = { [oauth.allowInsecureRequests]: true };
const messages = async (): Promise<unknown[]> =>
  (await posthorn.request<{ data: unknown[] }>('GET', `/v1/channels/${channelId}/messages`)).body.data;

/** The one thing that a stock client has to be told: how this service wants clients to be authenticated. */
const authenticate: oauth.ClientAuth = (_as, client, body, headers) => {
  const signed = `v1\n${client.client_id}\n${headers.get('dpop') ?? ''}`;
  const mac = createHmac('sha256', credential.clientSecret).update(signed).digest('base64url');
  body.set('client_id', client.client_id);
  body.set('client_secret', `v1.${mac}`);
};

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(base);
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  // The client compares the issuer with the URL that it was given, which has a slash at its end.
  return oauth.processDiscoveryResponse(new URL(base), answer);
}

test('a stock OAuth client reads the metadata, gets a token and publishes with it', async () => {
  const as = await discover();
  const client = { client_id: credential.id };
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
  const answer = await oauth.clientCredentialsGrantRequest(
    as,
    client,
    authenticate,
    { scope: 'messages:write' },
    { DPoP, ...insecure },
  );
  const {
    access_token: token,
    token_type: type,
    expires_in: life,
  } = await oauth.processClientCredentialsResponse(as, client, answer);
  expect([type, life]).toEqual(['dpop', 900]);
  const before = await messages();
  const url = new URL(`${base}/v1/channels/${channelId}/messages`);
  const headers = new Headers({ 'content-type': 'application/json' });
  const body = JSON.stringify({ eventType: 'order.paid', payload: { by: 'stock client' } });
  const published = await oauth.protectedResourceRequest(token, 'POST', url, headers, body, { DPoP, ...insecure });
  expect(published.status).toBe(202);
  expect(await messages()).toHaveLength(before.length + 1);
});

test('a stock OAuth client understands why it is refused', async () => {
  const as = await discover();
  const client = { client_id: credential.id };
  const ask = async (auth: oauth.ClientAuth, scope: string): Promise<unknown> => {
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('EdDSA'));
    const answer = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope }, { DPoP, ...insecure });
    return oauth.processClientCredentialsResponse(as, client, answer);
  };
  await expect(ask(authenticate, 'dlq:write')).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
  // A 401 has challenges, by which this client goes first.
  const refused = ask(oauth.ClientSecretPost(credential.clientSecret), 'messages:write');
  await expect(refused).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'dpop' }, { scheme: 'bearer' }] });
});

test('an independent resource server takes our tokens, and refuses what we refuse', async () => {
  const as = await discover();
  const token = await createTokenClient(() => posthorn).getToken(credential);
  const pair = await dpop.generateKeyPair('ES256');
  const url = `${base}/v1/channels`;
  const request = (proof: string): Request =>
    new Request(url, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
  const own = createTokenClient(() => posthorn);
  const mine = await own.getToken(credential);
  // The key of this client is not the token's.
  await expect(
    oauth.validateJwtAccessToken(
      as,
      request(await dpop.generateProof(pair, url, 'GET', undefined, token)),
      base,
      insecure,
    ),
  ).rejects.toThrow();
  const good = await makeProof(await own.key(), { method: 'GET', uri: url, token: mine });
  const claims = await oauth.validateJwtAccessToken(
    as,
    new Request(url, { headers: { authorization: `DPoP ${mine}`, dpop: good } }),
    base,
    insecure,
  );
  expect(claims).toMatchObject({
    iss: base,
    aud: base,
    client_id: credential.id,
    scope: 'messages:read messages:write',
  });
});

test('a script of forty lines without any library gets a token and publishes with it', async () => {
  const before = await messages();
  const parameters = [base, credential.id, credential.clientSecret, channelId];
  const script = promisify(execFile)('node', ['bin/run.js', 'demo/publish-with-token.ts', ...parameters], {
    cwd: ROOT,
  });
  const text = await readFile(`${ROOT}demo/publish-with-token.ts`, 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect([...text.matchAll(/from '([^']+)'|import\(/g)].map(([, name]) => name)).toEqual(['node:crypto']);
  expect((await script).stdout).toMatch(/^msg_[0-9a-z]{26}\n$/);
  expect(await messages()).toHaveLength(before.length + 1);
});
