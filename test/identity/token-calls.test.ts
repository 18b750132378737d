import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { expectUnchanged, refusalOf } from '../support/check/token-answers.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { makeProof, newProofKey } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { signAccessToken } from '../../src/identity/tokens/access-token.ts';
import { createSigningKeys } from '../../src/identity/tokens/signing-keys.ts';
import { createTokenClient, type Credential, send, TOKEN_PATH } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
let credential: Credential;
let token: string;
let channelId: string;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  credential = await client.register();
  token = await client.getToken(credential);
  channelId = String((await client.call(token, post({ name: 'orders' }))).body['id']);
});
afterAll(() => posthorn.stop());

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
    const response = await fetch(posthorn.url + path, { headers: { authorization: `DPoP ${ownToken}`, dpop: proof } });
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
        proofs: [await makeProof(await client.key(), { method: 'POST', uri: client.base() + CHANNELS, token: other })],
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
