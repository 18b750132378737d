import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as dpop from 'dpop';
import { createRemoteJWKSet, EmbeddedJWK, exportJWK, jwtVerify, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { findFreePort } from '../../local/ports.ts';
import { createSigningKeys } from '../../src/identity/credentials/tokens/signing-keys.ts';
import { ROOT } from '../docs/code-blocks.ts';
import { makeProof, newProofKey, type ProofKey, type ProofParts, rawJwt } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { createTokenClient, type Credential, TOKEN_PATH } from '../support/world/token-client.ts';

describe('independent verifiers', () => {
  // The same requests checked by this service, by `validateJwtAccessToken` of oauth4webapi (which has its own JOSE) and by `jwtVerify`
  // of jose.

  let posthorn: TestPosthorn;
  let proxy: TcpProxy;
  /** PUBLIC_BASE_URL, at which the service actually listens here. */
  let base: string;
  let url: string;
  let as: oauth.AuthorizationServer;
  let keySet: ReturnType<typeof createRemoteJWKSet>;
  let credential: Credential;
  let key: ProofKey;
  let token: string;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    const port = await findFreePort();
    base = `http://127.0.0.1:${port}`;
    url = `${base}/v1/channels`;
    posthorn = await startPosthorn({ withWorker: false, variables: { PUBLIC_BASE_URL: base } });
    proxy = await startTcpProxy(posthorn.url, port);
    const found = await oauth.discoveryRequest(new URL(base), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(base), found);
    keySet = createRemoteJWKSet(new URL(as.jwks_uri ?? ''), { timeoutDuration: 60_000 });
    credential = await client.register({ scopes: ['channels:read'] });
    key = await client.key();
    token = await client.getToken(credential);
  });
  afterAll(async () => {
    await proxy.stop();
    await posthorn.stop();
  });

  const insecure = { [oauth.allowInsecureRequests]: true };
  type Sent = Record<string, string>;

  const carrying = (ofToken: string, proof: string): Sent => ({ authorization: `DPoP ${ofToken}`, dpop: proof });

  /** The result of this service. */
  async function oursOf(headers: Sent): Promise<string> {
    const answer = await fetch(url, { headers });
    await answer.text();
    const [, error] = /DPoP .*error="(\w+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
    return answer.status === 200 ? 'taken' : `${answer.status} ${error}`;
  }

  /** The result of oauth4webapi. A failure that is not a result, such as an unreadable key set, fails the test. */
  async function theirsOf(headers: Sent): Promise<string> {
    try {
      await oauth.validateJwtAccessToken(as, new Request(url, { headers }), base, insecure);
      return 'taken';
    } catch (problem) {
      // `as`: whatever is thrown there is an error, in Node's own realm if it is Web Crypto's.
      const { name, message } = problem as Error;
      if (!VERDICTS.has(name)) throw problem;
      return message;
    }
  }
  // The last one is Web Crypto's, for a private key that does not fit the use of a public one.
  const VERDICTS = new Set(['OperationProcessingError', 'UnsupportedOperationError', 'SyntaxError']);

  /** The result of jose for a token. */
  const joseOnToken = (text: string): Promise<string> =>
    jwtVerify(text, keySet, {
      issuer: base,
      audience: base,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'cnf'],
    }).then(() => 'taken', codeOf);

  /** The result of jose for a proof alone: jose does not check its request and its token. */
  const joseOnProof = (text: string): Promise<string> =>
    jwtVerify(text, EmbeddedJWK, {
      typ: 'dpop+jwt',
      maxTokenAge: 300,
      requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
    }).then(() => 'taken', codeOf);

  function codeOf(problem: unknown): string {
    if (problem instanceof Error && 'code' in problem && typeof problem.code === 'string') return problem.code;
    throw problem;
  }

  const seconds = (): number => Math.floor(Date.now() / 1_000);
  const proofOf = (parts: ProofParts = {}, signer = key, ofToken = token): Promise<string> =>
    makeProof(signer, { method: 'GET', uri: url, token: ofToken }, parts);

  const broken = (jwt: string): string => {
    const [header, payload, signature = ''] = jwt.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    return `${header}.${payload}.${bytes.toString('base64url')}`;
  };

  describe('all accept', () => {
    const tokenFor = async (proof: string): Promise<string> =>
      (await client.ask({ credential, proofs: [proof] })).body.access_token ?? '';

    test.each(['ES256', 'Ed25519', 'PS256'] as const)(
      'a token and a proof that the library dpop creates with %s',
      async (alg) => {
        const pair = await dpop.generateKeyPair(alg);
        const own = await tokenFor(await dpop.generateProof(pair, base + TOKEN_PATH, 'POST'));
        const proof = await dpop.generateProof(pair, url, 'GET', undefined, own);
        expect([await theirsOf(carrying(own, proof)), await oursOf(carrying(own, proof))]).toEqual(['taken', 'taken']);
        expect([await joseOnToken(own), await joseOnProof(proof)]).toEqual(['taken', 'taken']);
      },
    );

    test('a call as oauth4webapi sends it', async () => {
      const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
      let sent: Sent = {};
      const keep = async (_: string, { headers }: { headers: Sent }): Promise<Response> => {
        sent = headers;
        return Response.json({});
      };
      const capture = { DPoP, [oauth.customFetch]: keep, ...insecure };
      const asked = new URL(base + TOKEN_PATH);
      await oauth.protectedResourceRequest('none', 'POST', asked, new Headers(), null, capture);
      // A proof with an unneeded `ath` is valid for token requests.
      const own = await tokenFor(sent['dpop'] ?? '');
      await oauth.protectedResourceRequest(own, 'GET', new URL(`${url}?limit=1`), new Headers(), null, capture);
      expect([await theirsOf(sent), await oursOf(sent)]).toEqual(['taken', 'taken']);
    });

    test.each<[string, () => ProofParts]>([
      ['as it is', () => ({})],
      ['with a query and a fragment in its htu', () => ({ claims: { htu: `${url}?limit=1#x` } })],
      ['that is 100 s old', () => ({ claims: { iat: seconds() - 100 } })],
      ['with claims that nobody knows', () => ({ claims: { zebra: 1 } })],
    ])('a proof %s', async (_, parts) => {
      const proof = await proofOf(parts());
      expect(await theirsOf(carrying(token, proof))).toBe('taken');
      expect(await oursOf(carrying(token, proof))).toBe('taken');
      expect(await joseOnProof(proof)).toBe('taken');
    });
  });

  /** A case: how to create it, the result of oauth4webapi, and that of jose if it can tell. */
  type Bad = [string, () => Promise<string>, RegExp, string | undefined];
  const INVALID_CLAIM = 'ERR_JWT_CLAIM_VALIDATION_FAILED';
  const FORGED = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';

  describe('all refuse a proof', () => {
    const claims = (): object => ({ jti: 'a-long-enough-id', htm: 'GET', htu: url, iat: seconds(), ath: 'x' });
    const privateJwk = () => exportJWK(key.privateKey);

    test.each<Bad>([
      ['for another path', () => proofOf({ claims: { htu: `${base}/v1/messages` } }), /htu mismatch/, undefined],
      [
        'for another host',
        () => proofOf({ claims: { htu: 'http://localhost/v1/channels' } }),
        /htu mismatch/,
        undefined,
      ],
      ['for another method', () => proofOf({ claims: { htm: 'POST' } }), /htm mismatch/, undefined],
      ['for the method in small letters', () => proofOf({ claims: { htm: 'get' } }), /htm mismatch/, undefined],
      ['of ten minutes ago', () => proofOf({ claims: { iat: seconds() - 600 } }), /iat is not/, 'ERR_JWT_EXPIRED'],
      ['of ten minutes ahead', () => proofOf({ claims: { iat: seconds() + 600 } }), /iat is not/, INVALID_CLAIM],
      ['without a time', () => proofOf({ claims: { iat: undefined } }), /"iat"/, INVALID_CLAIM],
      ['without an id', () => proofOf({ claims: { jti: undefined } }), /"jti"/, INVALID_CLAIM],
      ['that has expired', () => proofOf({ claims: { exp: seconds() - 100 } }), /"exp"/, 'ERR_JWT_EXPIRED'],
      ['of another type', () => proofOf({ header: { typ: 'JWT' } }), /"typ"/, INVALID_CLAIM],
      [
        'with a private key',
        async () => proofOf({ header: { jwk: await privateJwk() } }),
        /key usage/,
        'ERR_JWS_INVALID',
      ],
      ['without a key', () => proofOf({ header: { jwk: undefined } }), /jwk/, 'ERR_JWS_INVALID'],
      [
        'with the algorithm none',
        async () => rawJwt({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk }, claims(), 'YQ'),
        /alg/,
        'ERR_JOSE_NOT_SUPPORTED',
      ],
      [
        'with a secret as its key',
        async () => rawJwt({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } }, claims(), 'YQ'),
        /alg/,
        'ERR_JWS_INVALID',
      ],
      ['without ath', () => proofOf({ claims: { ath: undefined } }), /"ath"/, INVALID_CLAIM],
      ['for another token', () => proofOf({}, key, `${token}x`), /ath mismatch/, undefined],
      ['signed by another key', async () => proofOf({ signedBy: await newProofKey() }), /signature/, FORGED],
      [
        'by a key that the token is not bound to',
        async () => proofOf({}, await newProofKey()),
        /confirmation/,
        undefined,
      ],
      ['with one flipped bit', async () => broken(await proofOf()), /signature/, FORGED],
      ['twice in one header', async () => `${await proofOf()}, ${await proofOf()}`, /JWE/, 'ERR_JWS_INVALID'],
      ['that is none', async () => 'a.b.c', /./, 'ERR_JWS_INVALID'],
    ])('%s', async (_, make, reason, code) => {
      const proof = await make();
      expect(await theirsOf(carrying(token, proof))).toMatch(reason);
      expect(await oursOf(carrying(token, proof))).toBe('401 invalid_dpop_proof');
      expect(await joseOnProof(proof)).toBe(code ?? 'taken');
    });
  });

  describe('all refuse a token', () => {
    /** Creates a token as the service does, with parts of it replaced; undefined leaves one out. */
    const made = async (
      claims: Record<string, unknown> = {},
      header: Record<string, unknown> = {},
      signedBy?: ProofKey,
    ): Promise<string> => {
      const signer = await createSigningKeys(posthorn.deps).signer();
      const now = seconds();
      const good = {
        iss: base,
        aud: base,
        sub: credential.id,
        client_id: credential.id,
        scope: 'channels:read',
        epoch: 1,
        jti: 'made-by-hand',
        iat: now,
        exp: now + 900,
        cnf: { jkt: key.thumbprint },
      };
      return new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: signer.kid, ...header })
        .sign(signedBy?.privateKey ?? signer.key);
    };
    /** The issued token, with another claim under the same signature. */
    const widened = async (): Promise<string> => {
      const [header, payload = '', signature] = token.split('.');
      // `as`: the service has written it.
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
      const wider = Buffer.from(JSON.stringify({ ...claims, scope: 'channels:read channels:write' }));
      return `${header}.${wider.toString('base64url')}.${signature}`;
    };
    const publicKeyAsSecret = async (): Promise<string> => {
      const keys = createSigningKeys(posthorn.deps);
      const [shown] = await keys.shown();
      return new SignJWT({ iss: base, aud: base, sub: credential.id })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: (await keys.signer()).kid })
        .sign(Buffer.from(JSON.stringify(shown)));
    };
    const unsigned = async (): Promise<string> => rawJwt({ alg: 'none', typ: 'at+jwt' }, { iss: base, aud: base }, '');

    test('but accept a valid one that is created in the same way', async () => {
      const good = await made();
      const proof = await proofOf({}, key, good);
      expect(await theirsOf(carrying(good, proof))).toBe('taken');
      expect(await oursOf(carrying(good, proof))).toBe('taken');
      expect(await joseOnToken(good)).toBe('taken');
    });

    test.each<Bad>([
      ['that has expired', () => made({ iat: seconds() - 3_600, exp: seconds() - 900 }), /"exp"/, 'ERR_JWT_EXPIRED'],
      ['that is not valid yet', () => made({ nbf: seconds() + 3_600 }), /"nbf"/, INVALID_CLAIM],
      ['for another audience', () => made({ aud: 'http://other.example' }), /"aud"/, INVALID_CLAIM],
      ['of another issuer', () => made({ iss: 'http://other.example' }), /"iss"/, INVALID_CLAIM],
      ['without an end', () => made({ exp: undefined }), /"exp"/, INVALID_CLAIM],
      ['without a client', () => made({ sub: undefined }), /"sub"/, INVALID_CLAIM],
      ['that is bound to no key', () => made({ cnf: undefined }), /"cnf"/, INVALID_CLAIM],
      ['whose binding names none', () => made({ cnf: {} }), /jkt/, undefined],
      ['of another type', () => made({}, { typ: 'JWT' }), /"typ"/, INVALID_CLAIM],
      ['that is a proof', () => made({}, { typ: 'dpop+jwt' }), /"typ"/, INVALID_CLAIM],
      ['with the algorithm none', unsigned, /alg/, 'ERR_JOSE_NOT_SUPPORTED'],
      ['signed with the public key as a secret', publicKeyAsSecret, /alg/, 'ERR_JOSE_NOT_SUPPORTED'],
      [
        'by a key that only calls itself known',
        async () => made({}, {}, await newProofKey('EdDSA')),
        /signature/,
        FORGED,
      ],
      [
        'by a key that nobody knows',
        async () => made({}, { kid: 'stranger' }, await newProofKey('EdDSA')),
        /key/,
        'ERR_JWKS_NO_MATCHING_KEY',
      ],
      ['whose scope was widened', widened, /signature/, FORGED],
      ['with one flipped bit', async () => broken(token), /signature/, FORGED],
    ])('%s', async (_, make, reason, code) => {
      const bad = await make();
      const headers = carrying(bad, await proofOf({}, key, bad));
      expect(await theirsOf(headers)).toMatch(reason);
      expect(await oursOf(headers)).toBe('401 invalid_token');
      expect(await joseOnToken(bad)).toBe(code ?? 'taken');
    });

    test('that is sent as Bearer although it is bound to a key, and one without a proof', async () => {
      const bearer = { authorization: `Bearer ${token}`, dpop: await proofOf() };
      expect(await theirsOf(bearer)).toMatch(/scheme is not DPoP/);
      expect(await oursOf(bearer)).toMatch(/^401 /);
      const alone = { authorization: `DPoP ${token}` };
      expect(await theirsOf(alone)).toMatch(/no DPoP HTTP Header/);
      expect(await oursOf(alone)).toBe('401 invalid_dpop_proof');
    });
  });
});

describe('independent clients', () => {
  let posthorn: TestPosthorn;
  let proxy: TcpProxy;
  /** PUBLIC_BASE_URL, at which the service actually listens here. */
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

  /** The only setting that a stock client needs: how this service authenticates clients. */
  const authenticate: oauth.ClientAuth = (_as, client, body, headers) => {
    const signed = `v1\n${client.client_id}\n${headers.get('dpop') ?? ''}`;
    const mac = createHmac('sha256', credential.clientSecret).update(signed).digest('base64url');
    body.set('client_id', client.client_id);
    body.set('client_secret', `v1.${mac}`);
  };

  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(base);
    const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    // The client compares the issuer with the given URL, which ends with a slash.
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
    // A 401 has challenges, which this client handles first.
    const refused = ask(oauth.ClientSecretPost(credential.clientSecret), 'messages:write');
    await expect(refused).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'dpop' }, { scheme: 'bearer' }] });
  });

  test('an independent resource server accepts our tokens, and refuses what we refuse', async () => {
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
});
