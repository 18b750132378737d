import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { createKeyRing } from '../../src/platform/credentials/key-ring.ts';
import { createSigningKeys, type SigningKeys } from '../../src/identity/credentials/tokens/signing-keys.ts';
import { createLog } from '../../src/platform/log.ts';
import { expectUnchanged, INVALID_CLIENT, INVALID_PROOF, refusalOf } from '../support/check/token-answers.ts';
import { makeProof, newProofKey, rawJwt } from '../support/make/dpop-proofs.ts';
import { actIn, setUp } from '../support/make/people.ts';
import { seedResources } from '../support/make/seed.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import {
  createTokenClient,
  type Credential,
  type Heard,
  TOKEN_PATH,
  type TokenRequest,
} from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('token records', () => {
  let person: Awaited<ReturnType<typeof setUp>>;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    person = await setUp(posthorn);
    actIn(person.browser, person.me);
  });

  test('a dead letter shows that a machine credential has replayed it', async () => {
    const { deadLetterId } = await seedResources(posthorn, posthorn.keys.live);
    const credential = await client.register({ scopes: ['dlq:write'] });
    const token = await client.getToken(credential);
    const path = `/v1/dlq/${deadLetterId}`;
    expect((await client.call(token, { method: 'POST', path: `${path}/replay` })).status).toBe(202);
    // Held to the schema of its answer, as every one that a test gets.
    expect((await posthorn.request('GET', path)).body).toMatchObject({ status: 'replayed', replayedBy: credential.id });
  });

  // Regression: the schema knew of credentials alone.
  test('a dead letter shows that a person has replayed it', async () => {
    const { deadLetterId } = await seedResources(posthorn, posthorn.keys.live);
    const { browser, me } = person;
    const path = `/v1/dlq/${deadLetterId}`;
    expect((await browser.request('POST', `${path}/replay`)).status).toBe(202);
    expect((await posthorn.request('GET', path)).body).toMatchObject({ status: 'replayed', replayedBy: me.user.id });
  });

  test('a replay of many shows which machine credential, or which person, has asked for it', async () => {
    const { subscriptionId } = await seedResources(posthorn, posthorn.keys.live);
    const credential = await client.register({ scopes: ['dlq:write', 'subscriptions:write'] });
    const token = await client.getToken(credential);
    const { browser, me } = person;
    const kinds: [asked: string, shown: string, body: object][] = [
      ['/v1/dlq/replay', '/v1/dlq/replay', {}],
      [`/v1/subscriptions/${subscriptionId}/replay`, '/v1/replays', { since: new Date().toISOString() }],
    ];
    for (const [path, shown, body] of kinds) {
      expect((await client.call(token, { method: 'POST', path, body })).status).toBe(202);
      expect((await browser.request('POST', path, body)).status).toBe(202);
      const { body: listed } = await posthorn.request<{ data: { requestedBy: string }[] }>('GET', `${shown}?limit=2`);
      expect(listed.data.map(({ requestedBy }) => requestedBy)).toEqual([me.user.id, credential.id]);
    }
  });

  type Entry = { action: string; actor: { id: string }; target: { id: string }; after?: Record<string, unknown> };
  const tokenEntries = async (id: string): Promise<Entry[]> =>
    (await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?action=token.issued&targetId=${id}`)).body.data;

  test('the audit log tells of each access token who got it from where, which one it is, and nothing that could be used', async () => {
    const credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
    const headers = { 'user-agent': 'till/1.0' };
    const { body } = await client.ask({ credential, body: { scope: 'channels:read' }, headers });
    const token = body.access_token ?? '';
    const { jti, exp = 0, secret_id: secretId } = decodeJwt(token);
    const written = await tokenEntries(credential.id);
    expect(written).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: expect.stringMatching(/Z$/),
        organisationId: expect.stringMatching(/^org_/),
        appId: expect.stringMatching(/^app_/),
        environmentId: expect.stringMatching(/^env_/),
        actor: { kind: 'machineCredential', id: credential.id },
        action: 'token.issued',
        target: { id: credential.id },
        from: { address: expect.stringMatching(/127\.0\.0\.1$/), userAgent: 'till/1.0' },
        after: {
          jti,
          scopes: ['channels:read'],
          thumbprint: (await client.key()).thumbprint,
          expiresAt: expect.stringMatching(new RegExp(`^${new Date(exp * 1_000).toISOString().slice(0, -5)}`)),
          signedWith: secretId,
        },
        position: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    for (const part of [token, token.split('.')[2] ?? '', credential.clientSecret])
      expect(JSON.stringify(written)).not.toContain(part);
  });

  test('a token whose entry cannot be written is not given, and its secret is not shown as used', async () => {
    const credential = await client.register();
    const { pool } = posthorn.deps;
    await pool.query(`CREATE FUNCTION no_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$;
    CREATE TRIGGER no_entry BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION no_entry()`);
    try {
      const refused = await client.ask({ credential });
      expect([refused.status, refused.body.access_token]).toEqual([500, undefined]);
    } finally {
      await pool.query('DROP TRIGGER no_entry ON audit_entries; DROP FUNCTION no_entry()');
    }
    const shown = (await posthorn.request<{ lastUsedAt?: string }>('GET', `/v1/machine-credentials/${credential.id}`))
      .body;
    expect([shown.lastUsedAt, await tokenEntries(credential.id)]).toEqual([undefined, []]);
    expect((await client.ask({ credential })).status).toBe(200);
    expect(await tokenEntries(credential.id)).toHaveLength(1);
  });

  test('a request for a token that is refused leaves no entry', async () => {
    const credential = await client.register({ scopes: ['messages:write'] });
    for (const body of [{ client_secret: 'v1.x' }, { scope: 'dlq:read' }, { grant_type: 'password' }])
      expect((await client.ask({ credential, body })).status).toBeGreaterThanOrEqual(400);
    expect(await tokenEntries(credential.id)).toEqual([]);
  });
});

describe('token proofs', () => {
  let credential: Credential;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
  });

  const seconds = (): number => Math.floor(Date.now() / 1_000);
  const target = (): string => client.base() + TOKEN_PATH;

  describe('a proof is refused, and nothing is changed', () => {
    const claims = () => ({ jti: 'a-long-enough-id', htm: 'POST', htu: target(), iat: seconds() });
    const jwk = async () => (await client.key()).jwk;
    const own = (parts: () => TokenRequest['parts'] | Promise<TokenRequest['parts']>) => async () =>
      ({ parts: await parts() }) as TokenRequest;
    const raw =
      (header: () => Promise<unknown>, signature = 'YQ') =>
      async (): Promise<TokenRequest> => ({
        proofs: [rawJwt(await header(), claims(), signature)],
      });
    const big = (bits: number): string => Buffer.alloc(bits / 8, 255).toString('base64url');
    const rsa = (bits: number) =>
      raw(async () => ({ typ: 'dpop+jwt', alg: 'PS256', jwk: { kty: 'RSA', n: big(bits), e: 'AQAB' } }));
    const ec = (change: object) =>
      raw(async () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...(await jwk()), ...change } }));
    const good = async (): Promise<string> => makeProof(await client.key(), { method: 'POST', uri: target() });

    const cases: [string, () => Promise<TokenRequest>][] = [
      ['1 no header', async () => ({ proofs: [] })],
      ['2 two good headers', async () => ({ proofs: [await good(), await good()] })],
      ['3 two parts', async () => ({ proofs: ['a.b'] })],
      ['3 not base64url', async () => ({ proofs: [`${await good()}=`] })],
      ['3 five KB', async () => ({ proofs: [`${await good()}${'A'.repeat(5_000)}`] })],
      ['4 typ JWT', own(() => ({ header: { typ: 'JWT' } }))],
      ['4 no typ', own(() => ({ header: { typ: undefined } }))],
      ['4 a number for typ', raw(async () => ({ typ: 1, alg: 'ES256', jwk: await jwk() }))],
      ['5 alg none', raw(async () => ({ typ: 'dpop+jwt', alg: 'none', jwk: await jwk() }))],
      [
        '5 alg none without a signature',
        async () => ({ proofs: [rawJwt({ typ: 'dpop+jwt', alg: 'none', jwk: await jwk() }, claims(), '')] }),
      ],
      ['6 alg HS256', raw(async () => ({ typ: 'dpop+jwt', alg: 'HS256', jwk: await jwk() }))],
      ...[1, true, 'unsupported'].map((alg): [string, () => Promise<TokenRequest>] => [
        `7 alg ${alg}`,
        raw(async () => ({ typ: 'dpop+jwt', alg, jwk: await jwk() })),
      ]),
      ...[undefined, '', [], null, 'foo'].map((key): [string, () => Promise<TokenRequest>] => [
        `8 jwk ${JSON.stringify(key)}`,
        raw(async () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: key })),
      ]),
      ['9 a private jwk', ec({ d: 'AQAB' })],
      ['10 kty oct', ec({ kty: 'oct' })],
      ['11 a key off its curve', ec({ y: Buffer.alloc(32, 1).toString('base64url') })],
      ['11 key_ops sign', ec({ key_ops: ['sign'] })],
      ['11 use enc', ec({ use: 'enc' })],
      ['12 RSA of 1,024 bits', rsa(1_024)],
      ['12 RSA of 8,192 bits', rsa(8_192)],
      ['13 signed by another key', own(async () => ({ signedBy: await newProofKey() }))],
      [
        '13 one flipped byte',
        async () => {
          const [header, payload, signature = ''] = (await good()).split('.');
          const bytes = Buffer.from(signature, 'base64url');
          bytes[5] = (bytes[5] ?? 0) ^ 1;
          return { proofs: [`${header}.${payload}.${bytes.toString('base64url')}`] };
        },
      ],
      ['14 htm GET', own(() => ({ claims: { htm: 'GET' } }))],
      ['14 htm post', own(() => ({ claims: { htm: 'post' } }))],
      ...['/oauth/other', '/oauth/token/', '/v1/channels'].map((path): [string, () => Promise<TokenRequest>] => [
        `15 htu of ${path}`,
        own(() => ({ claims: { htu: client.base() + path } })),
      ]),
      ...['http://127.0.0.1:3000', 'https://localhost:3000', 'http://localhost:3001', 'http://a@localhost:3000'].map(
        (origin): [string, () => Promise<TokenRequest>] => [
          `15 htu at ${origin}`,
          own(() => ({ claims: { htu: `${origin}${TOKEN_PATH}` } })),
        ],
      ),
      ['17 iat 130 s ago', own(() => ({ claims: { iat: seconds() - 130 } }))],
      ['17 iat in 40 s', own(() => ({ claims: { iat: seconds() + 40 } }))],
      ['17 a text for iat', own(() => ({ claims: { iat: 'now' } }))],
      ['17 no iat', own(() => ({ claims: { iat: undefined } }))],
      ['17 iat 1e99', own(() => ({ claims: { iat: 1e99 } }))],
      ...[undefined, '', 'x'.repeat(3_000), 7].map((jti): [string, () => Promise<TokenRequest>] => [
        `18 jti ${String(jti).slice(0, 5)}`,
        own(() => ({ claims: { jti } })),
      ]),
    ];
    test.each(cases)('%s', async (_, make) => {
      await expectUnchanged(posthorn, async () => {
        const answer = await client.ask({ credential, ...(await make()) });
        expect(refusalOf(answer)).toEqual(INVALID_PROOF);
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(answer.body.error?.details?.field).toBe('DPoP');
      });
    });

    test('18 a jti of 10 KB does not fit into a header that is taken', async () => {
      const answer = await client.ask({ credential, parts: { claims: { jti: 'x'.repeat(10_000) } } });
      expect(refusalOf(answer)).toEqual(INVALID_PROOF);
    });
  });

  describe('a proof is used once', () => {
    test('19 the second request with it is refused, whoever sends it', async () => {
      const proofs = [await makeProof(await client.key(), { method: 'POST', uri: target() })];
      expect((await client.ask({ credential, proofs })).status).toBe(200);
      expect(refusalOf(await client.ask({ credential, proofs }))).toEqual(INVALID_PROOF);
      expect(refusalOf(await client.ask({ credential: await client.register(), proofs }))).toEqual(INVALID_PROOF);
    });

    test('19 of twenty at once one gets a token', async () => {
      const proofs = [await makeProof(await client.key(), { method: 'POST', uri: target() })];
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.ask({ credential, proofs })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter((answer) => refusalOf(answer)[2] === 'invalid_dpop_proof')).toHaveLength(19);
    });

    test('a stranger burns no proof: a wrong client_secret leaves it as it was', async () => {
      const proofs = [await makeProof(await client.key(), { method: 'POST', uri: target() })];
      expect(refusalOf(await client.ask({ credential, proofs, body: { client_secret: 'v1.x' } }))).toEqual(
        INVALID_CLIENT,
      );
      expect((await client.ask({ credential, proofs })).status).toBe(200);
    });
  });
});

describe('token limits', () => {
  test('26 the 31st request in a minute is refused, whatever addresses it claims to come by; others are not', async () => {
    const own = await startPosthorn({ withWorker: false, addressRequestsPerMinute: 30 });
    try {
      const its = createTokenClient(() => own);
      const mine = await its.register();
      const answers: Heard[] = [];
      for (let n = 0; n < 31; n += 1)
        answers.push(
          await its.ask({
            credential: mine,
            headers: { 'x-forwarded-for': `203.0.113.${n}` },
            ...(n % 3 > 0 && { raw: '{' }),
          }),
        );
      expect(answers.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 30 }, (_, n) => (n % 3 > 0 ? 400 : 200)),
        429,
      ]);
      expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
        ...Array.from({ length: 30 }, (_, n) => String(29 - n)),
        '0',
      ]);
      const last = answers[30];
      expect([last?.headers['x-ratelimit-limit'], last?.body.error?.code]).toEqual(['30', 'RATE_LIMITED']);
      expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
      // A form is told in the envelope as well: RFC 6749 has no word for it.
      expect((await its.ask({ credential: mine, isForm: true })).body.error?.code).toBe('RATE_LIMITED');
      // A key does not help, and everything else goes on.
      expect((await its.ask({ credential: mine, headers: { authorization: `Bearer ${own.keys.live}` } })).status).toBe(
        429,
      );
      expect((await own.request('GET', '/v1/channels')).status).toBe(200);
      expect((await own.request('GET', '/.well-known/jwks.json', undefined, { key: null })).status).toBe(200);
    } finally {
      await own.stop();
    }
  });

  test('20 with DPOP_NONCES a proof needs a nonce, which the refusal hands out, at both kinds of endpoint', async () => {
    const own = await startPosthorn({ withWorker: false, variables: { DPOP_NONCES: 'true' } });
    try {
      const its = createTokenClient(() => own);
      const mine = await its.register();
      const foreign = 'A'.repeat(22);
      let nonce = '';
      for (const given of [undefined, foreign]) {
        const answer = await its.ask({ credential: mine, ...(given !== undefined && { nonce: given }) });
        expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST', 'use_dpop_nonce']);
        expect(answer.headers['cache-control']).toBe('no-store');
        nonce = String(answer.headers['dpop-nonce']);
      }
      const answer = await its.ask({ credential: mine, nonce });
      expect([answer.status, answer.headers['dpop-nonce']]).toEqual([200, expect.stringMatching(/^[\w-]{22}$/)]);
      const token = answer.body.access_token ?? '';
      const refused = await its.call(token);
      expect(refusalOf(refused)).toEqual([401, 'UNAUTHORIZED', 'use_dpop_nonce']);
      expect(refused.headers['www-authenticate']).toContain('DPoP realm="api", error="use_dpop_nonce"');
      const taken = await its.call(token, { parts: { claims: { nonce: refused.headers['dpop-nonce'] } } });
      expect([taken.status, taken.headers['dpop-nonce']]).toEqual([200, expect.stringMatching(/^[\w-]{22}$/)]);
    } finally {
      await own.stop();
    }
  });
});

describe('signing keys', () => {
  const MINUTE = 60_000;
  const DAY = 24 * 60 * MINUTE;
  const keyRing = createKeyRing([{ kid: 'test', key: randomBytes(32) }]);
  let database: TestDatabase;
  let now = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.pool.query('DELETE FROM token_signing_keys');
    now = Date.parse('2026-01-31T12:00:00Z');
  });

  const process = (ring = keyRing): SigningKeys =>
    createSigningKeys({ db: database.db, clock: () => new Date(now), keyRing: ring, log: createLog('silent') });
  const namesOf = async (keys: SigningKeys): Promise<(string | undefined)[]> =>
    (await keys.shown()).map(({ kid }) => kid);
  const signerOf = async (keys: SigningKeys): Promise<string> => (await keys.signer()).kid;

  test('processes that begin at once agree on one key', async () => {
    const names = await Promise.all(Array.from({ length: 5 }, () => signerOf(process())));
    expect(new Set(names).size).toBe(1);
    expect(await namesOf(process())).toEqual([names[0]]);
  });

  test('a key is shown an hour before it signs and while its tokens live; nobody is without one meanwhile', async () => {
    const [one, other] = [process(), process()];
    const first = await signerOf(one);
    now += 30 * DAY - 61 * MINUTE;
    expect(await namesOf(one)).toEqual([first]);
    now += MINUTE;
    const [, second] = await namesOf(other);
    expect(await namesOf(one)).toEqual([first, second]);
    expect([await signerOf(one), await signerOf(other)]).toEqual([first, first]);
    now += 60 * MINUTE - 1;
    expect(await signerOf(one)).toBe(first);
    now += 1;
    expect([await signerOf(one), await signerOf(other)]).toEqual([second, second]);
    expect(await one.verifier(first)).toBeDefined();
    now += 25 * MINUTE;
    expect(await namesOf(one)).toEqual([first, second]);
    now += 2 * MINUTE;
    // Looked at twice: a process that has removed nothing itself sees it at its next look.
    await namesOf(other);
    now += MINUTE;
    expect([await namesOf(one), await namesOf(other)]).toEqual([[second], [second]]);
    expect(await one.verifier(first)).toBeUndefined();
  });

  test('after a long silence the next key is made, and shown for an hour before it signs', async () => {
    const keys = process();
    const first = await signerOf(keys);
    now += 90 * DAY;
    expect(await signerOf(keys)).toBe(first);
    const [, second] = await namesOf(keys);
    now += 60 * MINUTE;
    expect(await signerOf(keys)).toBe(second);
  });

  test('a process takes tokens of a key that another one has just made', async () => {
    const keys = process();
    expect(await keys.verifier('nobody')).toBeUndefined();
    await database.pool.query('DELETE FROM token_signing_keys');
    now += 1_000;
    const made = await signerOf(process());
    expect(await keys.verifier(made)).toBeDefined();
  });

  test('a key that no key of the ring opens is replaced at once, and its tokens are taken on', async () => {
    const lost = await signerOf(process());
    now += MINUTE;
    const keys = process(createKeyRing([{ kid: 'other', key: randomBytes(32) }]));
    const made = await signerOf(keys);
    expect(made).not.toBe(lost);
    expect(await namesOf(keys)).toEqual([lost, made]);
  });
});
