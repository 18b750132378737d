import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { signAccessToken } from '../../src/identity/credentials/tokens/access-token.ts';
import { signTokenRequest } from '../../src/identity/credentials/tokens/service.ts';
import { createSigningKeys } from '../../src/identity/credentials/tokens/signing-keys.ts';
import { SCOPES } from '../../src/kernel/words/rights.ts';
import { expectUnchanged, INVALID_CLIENT, refusalOf } from '../support/check/token-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';
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
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('token calls', () => {
  let credential: Credential;
  let token: string;
  let channelId: string;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    credential = await client.register();
    token = await client.getToken(credential);
    channelId = String((await client.call(token, post({ name: 'orders' }))).body['id']);
  });

  const CHANNELS = '/v1/channels';
  const post = (body: object, path = CHANNELS) => ({ method: 'POST', path, body });
  const NO_TOKEN = [401, 'UNAUTHORIZED', undefined];
  const NO_PROOF = [401, 'UNAUTHORIZED', 'invalid_dpop_proof'];

  describe('a call with a token and its proof', () => {
    test('does what an API key with the same rights does, as its machine credential', async () => {
      const published = await client.call(
        token,
        post({ eventType: 'order.paid', payload: {} }, `${CHANNELS}/${channelId}/messages`),
      );
      expect(published.status).toBe(202);
      const { status, body, headers } = await client.call(token, { path: `${CHANNELS}?limit=1` });
      expect([status, headers['x-ratelimit-limit']]).toEqual([200, '600000']);
      expect(body).toEqual((await posthorn.request('GET', `${CHANNELS}?limit=1`)).body);
      const made = await client.call(token, post({ name: 'till' }, '/v1/machine-credentials'));
      expect(made.status).toBe(201);
      const keyed = await client.call(token, post({ name: 'till' }, '/v1/api-keys'));
      expect(keyed.status).toBe(201);
      const gone = await client.call(token, { method: 'DELETE', path: `/v1/api-keys/${String(keyed.body['id'])}` });
      expect(gone.status).toBe(204);
    });

    test('HEAD needs a proof of its own method', async () => {
      expect((await client.call(token, { method: 'HEAD' })).status).toBe(200);
      const ofGet = await makeProof(await client.key(), { method: 'GET', uri: client.base() + CHANNELS, token });
      expect((await client.call(token, { method: 'HEAD', proofs: [ofGet] })).status).toBe(401);
    });

    test('a proof names the path as it was asked for, with or without its query', async () => {
      const uri = `${client.base()}${CHANNELS}?limit=1#x`;
      expect((await client.call(token, { path: `${CHANNELS}?limit=2`, parts: { claims: { htu: uri } } })).status).toBe(
        200,
      );
      // Absolute form (RFC 9112 §3.2.2): host and scheme of the target count for nothing.
      const absolute = await makeProof(await client.key(), { method: 'GET', uri: client.base() + CHANNELS, token });
      const headers = { authorization: `DPoP ${token}`, dpop: [absolute] };
      const { status } = await send(posthorn.url, {
        method: 'GET',
        path: CHANNELS,
        headers: { ...headers, host: 'evil.example' },
      });
      expect(status).toBe(200);
    });

    test('opens a stream, which ends when the credential is revoked', async () => {
      const own = await client.register();
      const ownToken = await client.getToken(own);
      const path = `${CHANNELS}/${channelId}/stream`;
      expect((await client.call(ownToken, { path })).status).toBe(200);
      const proof = await makeProof(await client.key(), { method: 'GET', uri: client.base() + path, token: ownToken });
      const response = await fetch(posthorn.url + path, {
        headers: { authorization: `DPoP ${ownToken}`, dpop: proof },
      });
      const ended = (async () => {
        for await (const _ of response.body ?? []) void _;
        return 'ended';
      })().catch(() => 'broken');
      expect(response.status).toBe(200);
      await posthorn.request('DELETE', `/v1/machine-credentials/${own.id}`);
      expect(await ended).toBe('ended');
    });

    test('an Idempotency-Key goes with a proof of each try', async () => {
      const headers = { 'idempotency-key': 'once' };
      const first = await client.call(token, { ...post({ name: 'twice' }), headers });
      const again = await client.call(token, { ...post({ name: 'twice' }), headers });
      expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
      expect(again.body).toEqual(first.body);
    });

    test('limits count by the credential, over all of its tokens', async () => {
      const few = await client.register({ limits: { requestsPerMinute: 2 } });
      const [one, other] = [await client.getToken(few), await client.getToken(few)];
      expect((await client.call(one)).headers['x-ratelimit-remaining']).toBe('1');
      expect((await client.call(other)).headers['x-ratelimit-remaining']).toBe('0');
      const { status, body } = await client.call(one);
      expect([status, body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    });
  });

  describe('is UNAUTHORIZED, and changes nothing', () => {
    const refused = async (
      work: () => Promise<Awaited<ReturnType<typeof client.call>>>,
      expected: unknown[],
      error: string,
    ) => {
      await expectUnchanged(posthorn, async () => {
        const answer = await work();
        expect(refusalOf(answer)).toEqual(expected);
        expect(answer.headers['www-authenticate']).toContain(`DPoP realm="api", error="${error}"`);
        expect(answer.headers['www-authenticate']).toContain('Bearer realm="api"');
        expect(answer.headers['x-ratelimit-limit']).toMatch(/^\d+$/);
      });
    };

    test('27 a token as Bearer, which is no API key', async () => {
      await expectUnchanged(posthorn, async () => {
        const answer = await client.call(token, {
          ...post({ name: 'x' }),
          headers: { authorization: `Bearer ${token}` },
        });
        expect(refusalOf(answer)).toEqual(NO_TOKEN);
      });
    });

    test('27 an API key as DPoP', async () => {
      const headers = { authorization: `DPoP ${posthorn.keys.live}` };
      await refused(
        () => client.call(posthorn.keys.live, { ...post({ name: 'x' }), headers }),
        NO_TOKEN,
        'invalid_token',
      );
    });

    test('27 a token without a proof, with two, and two tokens', async () => {
      await refused(() => client.call(token, { ...post({ name: 'x' }), proofs: [] }), NO_PROOF, 'invalid_dpop_proof');
      const proof = () => makeProof(ofKey, { method: 'POST', uri: client.base() + CHANNELS, token });
      const ofKey = await client.key();
      const proofs = [await proof(), await proof()];
      await refused(() => client.call(token, { ...post({ name: 'x' }), proofs }), NO_PROOF, 'invalid_dpop_proof');
      const authorization = [`DPoP ${token}`, `DPoP ${token}`];
      await refused(
        () => client.call(token, { ...post({ name: 'x' }), headers: { authorization } }),
        NO_TOKEN,
        'invalid_token',
      );
      const both = [`Bearer ${posthorn.keys.live}`, `DPoP ${token}`];
      await refused(
        () => client.call(token, { ...post({ name: 'x' }), headers: { authorization: both } }),
        NO_TOKEN,
        'invalid_token',
      );
    });

    test('28 a proof by another key, without the token, for another one, for another request, or of the token request', async () => {
      const other = await client.getToken(credential);
      const call = post({ name: 'x' });
      const wrong: Parameters<typeof client.call>[1][] = [
        { key: await newProofKey() },
        { parts: { claims: { ath: undefined } } },
        {
          proofs: [
            await makeProof(await client.key(), { method: 'POST', uri: client.base() + CHANNELS, token: other }),
          ],
        },
        { parts: { claims: { htu: client.base() + TOKEN_PATH } } },
        { parts: { claims: { htu: posthorn.url + CHANNELS } } },
        { parts: { claims: { htm: 'GET' } } },
        { parts: { claims: { iat: Math.floor(Date.now() / 1_000) - 130 } } },
      ];
      for (const each of wrong)
        await refused(() => client.call(token, { ...call, ...each }), NO_PROOF, 'invalid_dpop_proof');
    });

    test('29 a proof that was used, also where several come at once', async () => {
      const proofs = [await makeProof(await client.key(), { method: 'POST', uri: client.base() + CHANNELS, token })];
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.call(token, { ...post({ name: 'x' }), proofs })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(19).fill(401)]);
      await refused(() => client.call(token, { ...post({ name: 'x' }), proofs }), NO_PROOF, 'invalid_dpop_proof');
    });

    test('29 a token that has expired, is of another type, audience, issuer or algorithm, or by a key that nobody knows', async () => {
      const keys = createSigningKeys(posthorn.deps);
      const signer = await keys.signer();
      const environment = await posthorn.deps.db.environment.findFirstOrThrow({ where: { kind: 'live' } });
      const { thumbprint } = await client.key();
      const grant = {
        clientId: credential.id,
        epoch: 1,
        secretId: 'of-another-release',
        organisationId: 'org_x',
        appId: environment.appId,
        environmentId: environment.id,
        jti: 'by-hand-1',
        scopes: ['channels:write'] as const,
        thumbprint,
        now: new Date(),
        lifeSeconds: 900,
      };
      // The same by hand, so that one part can be another one.
      const signed = (header: object, claims: object) => {
        const now = Math.floor(Date.now() / 1_000);
        const good = { iss: client.base(), aud: client.base(), sub: credential.id, scope: 'channels:write', epoch: 1 };
        const times = { iat: now, exp: now + 900, cnf: { jkt: thumbprint } };
        return new SignJWT({ ...good, ...times, ...claims })
          .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: signer.kid, ...header })
          .sign(signer.key);
      };
      for (const good of [await signAccessToken(signer, client.base(), grant), await signed({}, {})])
        expect((await client.call(good, post({ name: 'x' }))).status).toBe(201);
      const stranger = await newProofKey('EdDSA');
      const hour = 3_600;
      const now = Math.floor(Date.now() / 1_000);
      const bad = [
        await signAccessToken({ kid: signer.kid, key: stranger.privateKey }, client.base(), grant),
        await signAccessToken({ kid: stranger.thumbprint, key: stranger.privateKey }, client.base(), grant),
        await signAccessToken(signer, client.base(), { ...grant, now: new Date(Date.now() - hour * 1_000) }),
        await signAccessToken(signer, 'http://other.example', grant),
        await signed({ typ: 'JWT' }, {}),
        await signed({ typ: 'dpop+jwt' }, {}),
        await signed({}, { aud: 'http://other.example' }),
        await signed({}, { iss: 'http://other.example' }),
        await signed({}, { nbf: now + hour }),
        await signed({}, { exp: undefined }),
        await signed({}, { cnf: undefined }),
        await signed({}, { cnf: {} }),
        await signed({}, { epoch: 2 }),
        await signed({}, { epoch: '1' }),
        await signed({}, { secret_id: 1 }),
        await signed({}, { sub: `oac_01m${'0'.repeat(23)}` }),
        await new SignJWT({ sub: credential.id })
          .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: signer.kid })
          .sign(Buffer.from(JSON.stringify((await keys.shown())[0]))),
        `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBA' : 'AAA'}`,
        `${token}x`,
      ];
      for (const each of bad) await refused(() => client.call(each, post({ name: 'x' })), NO_TOKEN, 'invalid_token');
    });

    test('a token of a credential that was revoked, has expired, or was rotated without an overlap: at once where that was done', async () => {
      const { db } = posthorn.deps;
      const ends: [string, (id: string) => Promise<unknown>][] = [
        ['revoked', (id) => posthorn.request('DELETE', `/v1/machine-credentials/${id}`)],
        ['rotated', (id) => posthorn.request('POST', `/v1/machine-credentials/${id}/rotate`, { overlapHours: 0 })],
        // By another process, which has told nobody: within five seconds.
        ['elsewhere', (id) => db.machineCredential.update({ where: { id }, data: { expiresAt: new Date(0) } })],
      ];
      for (const [how, end] of ends) {
        const own = await client.register();
        const ownToken = await client.getToken(own);
        expect((await client.call(ownToken)).status).toBe(200);
        await end(own.id);
        if (how === 'elsewhere')
          await waitFor('the token to be refused', async () => (await client.call(ownToken)).status === 401);
        expect([how, ...refusalOf(await client.call(ownToken))]).toEqual([how, ...NO_TOKEN]);
      }
    });
  });

  describe('30 is no matter of the proof', () => {
    test('a scope that the token lacks, or that its credential has lost since, is FORBIDDEN', async () => {
      const own = await client.register({ scopes: ['channels:read', 'channels:write'] });
      const reading = await client.getToken(own, { scope: 'channels:read' });
      const all = await client.getToken(own);
      expect((await client.call(all, post({ name: 'x' }))).status).toBe(201);
      await posthorn.request('PATCH', `/v1/machine-credentials/${own.id}`, { scopes: ['channels:read'] });
      for (const each of [reading, all]) {
        await expectUnchanged(posthorn, async () => {
          const { status, body, headers } = await client.call(each, post({ name: 'x' }));
          expect([status, body.error?.code]).toEqual([403, 'FORBIDDEN']);
          expect(headers['www-authenticate']).toContain('error="insufficient_scope", scope="channels:write"');
        });
        expect((await client.call(each)).status).toBe(200);
      }
    });

    test('a resource of the other environment is NOT_FOUND', async () => {
      const own = await client.register({}, posthorn.keys.test);
      const { status, body } = await client.call(await client.getToken(own), { path: `${CHANNELS}/${channelId}` });
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
    });

    test('a token makes nothing that is worth more than itself', async () => {
      const own = await client.register({ scopes: ['credentials:write', 'dlq:read'], tier: 'starter' });
      const narrow = await client.getToken(own, { scope: 'credentials:write' });
      for (const path of ['/v1/api-keys', '/v1/machine-credentials']) {
        const refused = await client.call(narrow, post({ name: 'x', scopes: ['dlq:read'] }, path));
        expect([path, refused.status, refused.body.error?.details?.field]).toEqual([path, 403, 'scopes']);
        const made = await client.call(narrow, post({ name: 'x' }, path));
        expect([made.status, made.body]).toMatchObject([201, { scopes: ['credentials:write'], tier: 'starter' }]);
      }
      const above = await client.call(narrow, { ...post({}, `/v1/machine-credentials/${credential.id}/rotate`) });
      expect(above.status).toBe(403);
      expect((await client.call(narrow, { method: 'DELETE', path: `/v1/machine-credentials/${own.id}` })).status).toBe(
        403,
      );
    });
  });
});

describe('token endpoint', () => {
  let credential: Credential;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
  });

  const target = (): string => client.base() + TOKEN_PATH;

  test('a JSON body that has a parameter twice is refused, as a form is, before anything is looked at', async () => {
    const body = '{"grant_type":"client_credentials","client_id":"a","grant_type":"client_credentials"}';
    const answer = await client.ask({ credential, raw: body });
    expect([answer.status, answer.body.error?.details]).toMatchObject([
      400,
      { field: 'grant_type', reason: 'must be given only once' },
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
      const { payload, protectedHeader } = await jwtVerify(
        answer.body.access_token ?? '',
        createLocalJWKSet(keys.body),
        {
          issuer: client.base(),
          audience: client.base(),
          typ: 'at+jwt',
        },
      );
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
      [
        '24 a scope that was not granted',
        { body: { scope: 'dlq:write' } },
        'scope',
        'INVALID_REQUEST',
        'invalid_scope',
      ],
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
});
