import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { SCOPES } from '../../src/kernel/words/scopes.ts';
import { signTokenRequest } from '../../src/identity/tokens/client-secret.ts';
import { expectUnchanged, INVALID_CLIENT, refusalOf } from '../support/check/token-answers.ts';
import { makeProof, newProofKey } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import {
  createTokenClient,
  type Credential,
  type Heard,
  send,
  TOKEN_PATH,
  type TokenRequest,
} from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
let credential: Credential;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
});
afterAll(() => posthorn.stop());

const target = (): string => client.base() + TOKEN_PATH;

test('a JSON body that has a parameter twice is refused, as a form is, before anything is looked at', async () => {
  const body = '{"grant_type":"client_credentials","client_id":"a","grant_type":"client_credentials"}';
  const answer = await client.ask({ credential, raw: body });
  expect([answer.status, answer.body.error?.details]).toMatchObject([
    400,
    { field: 'grant_type', reason: 'is given more than once' },
  ]);
});

describe('a token', () => {
  test('is a JWT of RFC 9068 that the published keys verify, bound to the key of the proof', async () => {
    const answer = await client.ask({ credential, body: { audience: 'ignored' } });
    expect([answer.status, answer.headers['cache-control'], answer.headers['pragma']]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'DPoP',
      expires_in: 900,
      scope: 'channels:read messages:write',
    });
    const keys = await posthorn.request<JSONWebKeySet>('GET', '/.well-known/jwks.json', undefined, { key: null });
    expect(keys.headers.get('cache-control')).toBe('public, max-age=300');
    const { payload, protectedHeader } = await jwtVerify(answer.body.access_token ?? '', createLocalJWKSet(keys.body), {
      issuer: client.base(),
      audience: client.base(),
      typ: 'at+jwt',
    });
    expect(protectedHeader.kid).toBe(keys.body.keys[0]?.kid);
    const { id: environmentId, app } = await posthorn.deps.db.environment.findFirstOrThrow({
      where: { kind: 'live' },
      include: { app: true },
    });
    expect(payload).toEqual({
      iss: client.base(),
      aud: client.base(),
      sub: credential.id,
      client_id: credential.id,
      org: app.organisationId,
      app: app.id,
      env: environmentId,
      scope: 'channels:read messages:write',
      epoch: 1,
      secret_id: expect.stringMatching(/^sec_/),
      cnf: { jkt: (await client.key()).thumbprint },
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: payload.iat,
      exp: (payload.iat ?? 0) + 900,
    });
    expect(Math.abs((payload.iat ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test.each([
    ['a form', { isForm: true }],
    [
      'a form with a charset',
      { isForm: true, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } },
    ],
    [
      'an htu that is written in another way',
      { parts: { claims: { htu: 'HTTP://LOCALHOST:3000/oauth/./token?x#y' } } },
    ],
    ['parameters that nobody knows', { body: { resource: 'x', zebra: { a: 1 } } }],
    ['an empty scope', { body: { scope: '' } }],
    ['fewer scopes', { body: { scope: 'messages:write' } }],
  ] satisfies [string, TokenRequest][])('is given for %s', async (_, request) => {
    expect((await client.ask({ credential, ...request })).status).toBe(200);
  });

  test.each(['EdDSA', 'PS256'])('is given for a proof of %s', async (alg) => {
    expect((await client.ask({ credential, key: await newProofKey(alg) })).status).toBe(200);
  });

  test('has the scopes that were asked for, and lives no longer than its credential', async () => {
    const expiresAt = new Date(Date.now() + 300_000).toISOString();
    const short = await client.register({ expiresAt });
    const { body } = await client.ask({ credential: short, body: { scope: 'dlq:read channels:read dlq:read' } });
    expect(body).toMatchObject({ scope: 'channels:read dlq:read' });
    expect(Number(body['expires_in'])).toBeLessThanOrEqual(300);
    expect(decodeJwt(body.access_token ?? '').exp).toBeLessThanOrEqual(Date.parse(expiresAt) / 1_000);
  });

  test('is given for either secret while a rotation overlaps, and the credential shows which one was used', async () => {
    const old = await client.register();
    const path = `/v1/machine-credentials/${old.id}`;
    const { body: fresh } = await posthorn.request<Credential>('POST', `${path}/rotate`);
    for (const each of [old, fresh]) expect((await client.ask({ credential: each })).status).toBe(200);
    type Used = { lastUsedAt: string; lastUsedAddress: string; secrets: { lastUsedAt: string }[] };
    const { body } = await posthorn.request<Used>('GET', path);
    expect(body.lastUsedAddress).toMatch(/^(?:127\.0\.0\.1|::1)$/);
    expect(
      [body.lastUsedAt, ...body.secrets.map(({ lastUsedAt }) => lastUsedAt)].map((time) => Date.parse(time) > 0),
    ).toEqual([true, true, true]);
    const { body: last } = await posthorn.request<Credential>('POST', `${path}/rotate`, { overlapHours: 0 });
    expect(refusalOf(await client.ask({ credential: fresh }))).toEqual(INVALID_CLIENT);
    expect((await client.ask({ credential: last })).status).toBe(200);
  });
});

describe('a client is refused, and nothing is changed', () => {
  test('21, 22 with its raw secret, with the HMAC of another proof, with another version or none', async () => {
    const own = await client.register();
    const other = await makeProof(await client.key(), { method: 'POST', uri: target() });
    const wrong = [
      own.clientSecret,
      signTokenRequest(own.clientSecret, own.id, other),
      `v2.${'A'.repeat(43)}`,
      'v1.',
      '',
    ];
    await expectUnchanged(posthorn, async () => {
      for (const client_secret of wrong)
        expect(refusalOf(await client.ask({ credential: own, body: { client_secret } }))).toEqual(INVALID_CLIENT);
    });
  });

  test('23 unknown, revoked, expired or another one: one answer for all', async () => {
    const [known, revoked, expired] = [await client.register(), await client.register(), await client.register()];
    await posthorn.request('DELETE', `/v1/machine-credentials/${revoked.id}`);
    await posthorn.deps.db.machineCredential.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    const clients = [
      revoked,
      expired,
      { ...known, id: `oac_01m${'0'.repeat(23)}` },
      { ...known, id: 'x' },
      { ...known, clientSecret: revoked.clientSecret },
      { ...known, id: posthorn.keys.live },
    ];
    await expectUnchanged(posthorn, async () => {
      const answers = [];
      for (const each of clients) answers.push(await client.ask({ credential: each }));
      expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
      expect(refusalOf(answers[0] as Heard)).toEqual(INVALID_CLIENT);
      expect(answers[0]?.headers['www-authenticate']).toBeDefined();
    });
  });

  test('after ten failures in a minute with RATE_LIMITED, and its owner goes on', async () => {
    const own = await client.register();
    const statuses = [];
    for (let n = 0; n < 11; n += 1)
      statuses.push((await client.ask({ credential: own, body: { client_secret: 'v1.x' } })).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await client.ask({ credential: own })).status).toBe(200);
  });
});

describe('parameters are refused', () => {
  test.each<[string, TokenRequest, string, string, string | undefined]>([
    ['24 a scope that was not granted', { body: { scope: 'dlq:write' } }, 'scope', 'INVALID_REQUEST', 'invalid_scope'],
    ['24 an unknown scope', { body: { scope: 'messages:write zebra' } }, 'scope', 'INVALID_REQUEST', 'invalid_scope'],
    [
      '24 two spaces',
      { body: { scope: 'messages:write  channels:read' } },
      'scope',
      'INVALID_REQUEST',
      'invalid_scope',
    ],
    ['24 a list of scopes', { body: { scope: ['messages:write'] } }, 'scope', 'INVALID_REQUEST', undefined],
    [
      '25 another grant',
      { body: { grant_type: 'password' } },
      'grant_type',
      'INVALID_REQUEST',
      'unsupported_grant_type',
    ],
    ['25 no grant', { body: { grant_type: undefined } }, 'grant_type', 'INVALID_REQUEST', undefined],
    ['no client', { body: { client_id: undefined } }, 'client_id', 'INVALID_REQUEST', undefined],
    ['no secret', { body: { client_secret: undefined } }, 'client_secret', 'INVALID_REQUEST', undefined],
    ['a number for a client', { body: { client_id: 7 } }, 'client_id', 'INVALID_REQUEST', undefined],
    ['a list', { raw: '[]' }, 'body', 'INVALID_REQUEST', undefined],
    ['no JSON', { raw: '{' }, 'body', 'INVALID_REQUEST', undefined],
    [
      'another type',
      { headers: { 'content-type': 'text/plain' } },
      'Content-Type',
      'UNSUPPORTED_MEDIA_TYPE',
      undefined,
    ],
    [
      'a packed body',
      { headers: { 'content-encoding': 'br' } },
      'Content-Encoding',
      'UNSUPPORTED_MEDIA_TYPE',
      undefined,
    ],
    ['17 KB', { body: { zebra: 'x'.repeat(17_000) } }, 'body', 'PAYLOAD_TOO_LARGE', undefined],
  ])('%s', async (_, request, field, code, oauthError) => {
    const answer = await client.ask({ credential, ...request });
    expect([
      answer.body.error?.code,
      answer.body.error?.details?.field,
      answer.body.error?.details?.oauthError,
    ]).toEqual([code, field, oauthError]);
  });

  test('in the words of RFC 6749 where they are a form, also 25 one that is given twice', async () => {
    const invalid = async (request: TokenRequest): Promise<unknown[]> => {
      const { status, body } = await client.ask({ credential, isForm: true, ...request });
      return [status, body['error']];
    };
    expect(await invalid({ raw: 'grant_type=client_credentials&grant_type=client_credentials' })).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await invalid({ body: { grant_type: 'password' } })).toEqual([400, 'unsupported_grant_type']);
    expect(await invalid({ proofs: ['a.b'] })).toEqual([400, 'invalid_dpop_proof']);
    expect(await invalid({ body: { client_secret: 'v1.x' } })).toEqual([401, 'invalid_client']);
    expect(await invalid({ body: { scope: 'zebra' } })).toEqual([400, 'invalid_scope']);
    expect(await invalid({ body: { scope: undefined, client_id: undefined } })).toEqual([400, 'invalid_request']);
  });

  test('under another method, with the one that there is', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const { status, headers } = await send(posthorn.url, { method, path: TOKEN_PATH, headers: {} });
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    }
  });
});

test('the metadata name the endpoints under PUBLIC_BASE_URL', async () => {
  const { body, headers } = await posthorn.request('GET', '/.well-known/oauth-authorization-server', undefined, {
    key: null,
  });
  expect(body).toMatchObject({
    issuer: client.base(),
    token_endpoint: `${client.base()}/oauth/token`,
    jwks_uri: `${client.base()}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'PS256'],
  });
  expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(decodeProtectedHeader(await client.getToken(credential))).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
});

// RFC 8414 §2 and §3.1, RFC 7517 §4 and RFC 7638. oauth4webapi and jose read both documents in independent-clients.test.ts.
test('the metadata and the JWKS are valid documents, and hold no part of a private key', async () => {
  const metadata = await posthorn.request<Record<string, unknown>>(
    'GET',
    '/.well-known/oauth-authorization-server',
    undefined,
    { key: null },
  );
  expect(metadata.headers.get('content-type')).toMatch(/^application\/json\b/);
  const { issuer, scopes_supported, response_types_supported, token_endpoint_auth_methods_supported } = metadata.body;
  expect([new URL(String(issuer)).search, new URL(String(issuer)).hash, String(issuer).endsWith('/')]).toEqual([
    '',
    '',
    false,
  ]);
  expect([scopes_supported, response_types_supported]).toEqual([SCOPES, []]);
  expect(token_endpoint_auth_methods_supported).toEqual(['client_secret_dpop_hmac']);

  const keys = await posthorn.request<JSONWebKeySet>('GET', '/.well-known/jwks.json', undefined, { key: null });
  expect(keys.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(keys.body.keys.length).toBeGreaterThan(0);
  for (const key of keys.body.keys) {
    expect(key).toEqual({ kty: 'OKP', crv: 'Ed25519', x: key.x, use: 'sig', alg: 'EdDSA', kid: key.kid });
    expect(await calculateJwkThumbprint(key)).toBe(key.kid);
    expect(await importJWK(key)).toMatchObject({ type: 'public' });
  }
  expect(new Set(keys.body.keys.map(({ kid }) => kid)).size).toBe(keys.body.keys.length);
});
