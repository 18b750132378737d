import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectUnchanged, INVALID_CLIENT, INVALID_PROOF, refusalOf } from '../support/check/token-answers.ts';
import { makeProof, newProofKey, rawJwt } from '../support/make/dpop-proofs.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient, type Credential, TOKEN_PATH, type TokenRequest } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
let credential: Credential;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
});
afterAll(() => posthorn.stop());

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
