import { beforeAll, describe, expect, test } from '@jest/globals';
import * as dpop from 'dpop';
import fc from 'fast-check';
import {
  makeProof,
  newProofKey,
  type ProofKey,
  type ProofParts,
  rawJwt,
  RFC_9449_PROOF,
  RFC_9449_TIME,
} from '../../../../test/support/make/dpop-proofs.ts';
import {
  accessTokenHash,
  requireBinding,
  checkProof,
  type Proof,
  type ProofRules,
  ProofProblem,
  normaliseTargetUri,
} from './proof.ts';
import { createNonces } from './used-proofs.ts';

const now = new Date('2026-01-31T12:00:00Z');
const seconds = now.getTime() / 1_000;
const request = { method: 'POST', uri: 'https://api.example.com/oauth/token', now };
let key: ProofKey;
let other: ProofKey;
beforeAll(async () => {
  [key, other] = await Promise.all([newProofKey(), newProofKey()]);
});

const check = (texts: string[], rules: Partial<ProofRules> = {}): Promise<Proof> =>
  checkProof(texts, request, { now, ...rules });

/** The reason of a rejection. Anything thrown other than a ProofProblem would be an internal error and fails the test. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ProofProblem)) throw new Error('nothing, or no ProofProblem, was thrown', { cause: thrown });
  return `${thrown.error}: ${thrown.reason}`;
}

describe('a proof is valid', () => {
  test('that is the example of RFC 9449, with the thumbprint of the key in the RFC', async () => {
    const rules = { now: RFC_9449_TIME };
    const proof = await checkProof(
      [RFC_9449_PROOF],
      { method: 'POST', uri: 'https://server.example.com/token' },
      rules,
    );
    expect(proof).toEqual({
      text: RFC_9449_PROOF,
      thumbprint: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
      jti: '-BwC3ESc6acc2lTc',
      ath: undefined,
    });
  });

  test.each(['ES256', 'EdDSA', 'PS256'])(
    'created by jose with %s, and its key has the right thumbprint',
    async (alg) => {
      const own = await newProofKey(alg);
      const proof = await check([await makeProof(own, request)]);
      expect(proof.thumbprint).toBe(own.thumbprint);
    },
  );

  test.each(['ES256', 'Ed25519', 'PS256'] as const)('created by the package dpop with %s', async (alg) => {
    const pair = await dpop.generateKeyPair(alg);
    const text = await dpop.generateProof(pair, request.uri, 'POST', undefined, 'token-of-access');
    const proof = await checkProof([text], request, { now: new Date() });
    expect(proof).toMatchObject({
      thumbprint: await dpop.calculateThumbprint(pair.publicKey),
      ath: accessTokenHash('token-of-access'),
    });
  });

  test.each<[string, ProofParts]>([
    ['an equivalent htu', { claims: { htu: 'HTTPS://API.EXAMPLE.COM:443/oauth/./token?x#y' } }],
    ['the oldest iat', { claims: { iat: seconds - 120 } }],
    ['the latest iat', { claims: { iat: seconds + 30 } }],
    ['members in the header that nobody needs', { header: { kid: 'x', x5u: 'http://127.0.0.1:1/', jku: 'file:///' } }],
    ['an exp that is to come', { claims: { exp: seconds + 10 } }],
  ])('with %s', async (_, parts) => {
    await expect(check([await makeProof(key, request, parts)])).resolves.toMatchObject({ thumbprint: key.thumbprint });
  });
});

describe('one header with one JWT', () => {
  test.each([
    ['no header', []],
    ['an empty one', ['']],
    ['two of them', [RFC_9449_PROOF, RFC_9449_PROOF]],
    ['two joined', [`${RFC_9449_PROOF}, ${RFC_9449_PROOF}`]],
    ['two parts', ['a.b']],
    ['four parts', ['a.b.c.d']],
    ['what is not base64url', [RFC_9449_PROOF.replace('.', '=.')]],
    ['5 KB', [`${RFC_9449_PROOF}${'A'.repeat(5_000)}`]],
    ['a header that is not JSON', ['YQ.YQ.YQ']],
    ['a header that is a list', [rawJwt([], {}, 'YQ')]],
    ['a header that is null', [rawJwt(null, {}, 'YQ')]],
  ])('is asked for: %s is refused', async (_, texts) => {
    expect(await refusal(check(texts))).toMatch(/^invalid_dpop_proof: /);
  });
});

describe('the header and its key', () => {
  const claims = { jti: 'a-long-enough-id', htm: 'POST', htu: request.uri, iat: seconds };
  const offCurve = () => ({ ...key.jwk, y: Buffer.alloc(32, 1).toString('base64url') });
  test.each<[string, () => unknown, RegExp]>([
    ['typ JWT', () => ({ typ: 'JWT', alg: 'ES256', jwk: key.jwk }), /typ/],
    ['typ in other letters', () => ({ typ: 'DPOP+JWT', alg: 'ES256', jwk: key.jwk }), /typ/],
    ['typ with application/', () => ({ typ: 'application/dpop+jwt', alg: 'ES256', jwk: key.jwk }), /typ/],
    ['no typ', () => ({ alg: 'ES256', jwk: key.jwk }), /typ/],
    ['a number for typ', () => ({ typ: 1, alg: 'ES256', jwk: key.jwk }), /typ/],
    ...['none', 'HS256', 'RS256', 'ES384', 'unsupported', 1, true, undefined].map(
      (alg): [string, () => unknown, RegExp] => [
        `alg ${alg}`,
        () => ({ typ: 'dpop+jwt', alg, jwk: key.jwk }),
        /alg must be one of/,
      ],
    ),
    ['a critical extension', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, crit: ['x'], x: 1 }), /crit/],
    ...[undefined, '', [], null, 'foo', 1].map((jwk): [string, () => unknown, RegExp] => [
      `jwk ${JSON.stringify(jwk)}`,
      () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk }),
      /jwk must be an object/,
    ]),
    ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map((name): [string, () => unknown, RegExp] => [
      `a jwk with ${name}`,
      () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, [name]: 'AQAB' } }),
      /public key/,
    ]),
    ['kty oct', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'oct' } }), /kty/],
    ['the key of another algorithm', () => ({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: key.jwk }), /kty/],
    ['another curve', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, crv: 'P-384' } }), /crv/],
    ['a key off its curve', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: offCurve() }), /must be a valid key/],
    ['half a key', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, y: undefined } }), /jwk.y/],
    ['use enc', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, use: 'enc' } }), /use/],
    ['key_ops sign', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, key_ops: ['sign'] } }), /key_ops/],
    ['key_ops a text', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, key_ops: 'verify' } }), /key_ops/],
    ['alg of the key', () => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: { ...key.jwk, alg: 'ES384' } }), /jwk.alg/],
    [
      'RSA of 1,024 bits',
      () => ({ typ: 'dpop+jwt', alg: 'PS256', jwk: { kty: 'RSA', n: modulus(1_024), e: 'AQAB' } }),
      /2048 to 4096 bits/,
    ],
    [
      'RSA of 8,192 bits',
      () => ({ typ: 'dpop+jwt', alg: 'PS256', jwk: { kty: 'RSA', n: modulus(8_192), e: 'AQAB' } }),
      /2048 to 4096 bits/,
    ],
    [
      'a long exponent',
      () => ({ typ: 'dpop+jwt', alg: 'PS256', jwk: { kty: 'RSA', n: modulus(2_048), e: modulus(2_048) } }),
      /jwk.e/,
    ],
  ])('%s is refused', async (_, header, reason) => {
    expect(await refusal(check([rawJwt(header(), claims, 'YQ')]))).toMatch(reason);
  });

  const modulus = (bits: number): string => Buffer.alloc(bits / 8, 255).toString('base64url');
});

describe('signature and claims', () => {
  test.each<[string, () => ProofParts, RegExp]>([
    ['the signature of another key', () => ({ signedBy: other }), /signed with the key/],
    ['an exp that is over', () => ({ claims: { exp: seconds - 60 } }), /currently valid/],
    ['an nbf that is to come', () => ({ claims: { nbf: seconds + 60 } }), /currently valid/],
    ...['GET', 'post', '', undefined, 1].map((htm): [string, () => ProofParts, RegExp] => [
      `htm ${htm}`,
      () => ({ claims: { htm } }),
      /htm must be POST/,
    ]),
    ...[
      'https://api.example.com/oauth/other',
      'https://api.example.com/oauth/token/',
      'https://api.example.org/oauth/token',
      'http://api.example.com/oauth/token',
      'https://api.example.com:8443/oauth/token',
      'https://api@api.example.com/oauth/token',
      '/oauth/token',
      undefined,
      1,
    ].map((htu): [string, () => ProofParts, RegExp] => [
      `htu ${htu}`,
      () => ({ claims: { htu } }),
      /htu must be https:\/\/api\.example\.com\/oauth\/token/,
    ]),
    ...[seconds - 121, seconds + 31, 1e99, 0].map((iat): [string, () => ProofParts, RegExp] => [
      `iat ${iat}`,
      () => ({ claims: { iat } }),
      /iat must be at most|currently valid/,
    ]),
    ['no iat', () => ({ claims: { iat: undefined } }), /iat must be a number/],
    ['a text for iat', () => ({ claims: { iat: 'now' } }), /iat|currently valid/],
    ...[undefined, '', 'short', 1, 'x'.repeat(129)].map((jti): [string, () => ProofParts, RegExp] => [
      `jti ${String(jti).slice(0, 10)}`,
      () => ({ claims: { jti } }),
      /jti must be|currently valid/,
    ]),
  ])('%s is refused', async (_, parts, reason) => {
    expect(await refusal(check([await makeProof(key, request, parts())]))).toMatch(reason);
  });

  test('a proof is invalid as soon as one character is changed', async () => {
    const text = await makeProof(key, request);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'ABab01-_'.split('')), async (at, character) => {
        fc.pre(text[at] !== character && text[at] !== '.');
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        // The last character of a part has unused bits, so the bytes may be the same.
        fc.pre(changed.split('.').some((part, index) => bytesOf(part) !== bytesOf(text.split('.')[index] ?? '')));
        await refusal(check([changed]));
      }),
    );
  });

  const bytesOf = (part: string): string => Buffer.from(part, 'base64url').toString('hex');
});

test('with nonces on, a proof must have a currently valid one, and everything else is checked first', async () => {
  const nonces = createNonces([Buffer.alloc(32, 1)], () => now);
  const stale = createNonces([Buffer.alloc(32, 1)], () => new Date(now.getTime() - 3_600_000));
  const foreign = createNonces([Buffer.alloc(32, 2)], () => now);
  const rules = { isGoodNonce: nonces.isGood };
  for (const nonce of [undefined, '', stale.current(), foreign.current(), 7])
    expect(await refusal(check([await makeProof(key, request, { claims: { nonce } })], rules))).toMatch(
      /^use_dpop_nonce: /,
    );
  const good = await makeProof(key, { ...request, nonce: nonces.current() });
  expect((await check([good], rules)).thumbprint).toBe(key.thumbprint);
  const wrong = await makeProof(key, request, { claims: { htm: 'GET' } });
  expect(await refusal(check([wrong], rules))).toMatch(/^invalid_dpop_proof: htm/);
});

test('a proof belongs to one token and one key, with the hash of RFC 9449', async () => {
  const token = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
  expect(accessTokenHash(token)).toBe('fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo');
  const proof = await check([await makeProof(key, { ...request, token })]);
  requireBinding(proof, { text: token, thumbprint: key.thumbprint });
  const bare = await check([await makeProof(key, request)]);
  for (const [of, to] of [
    [proof, { text: `${token}x`, thumbprint: key.thumbprint }],
    [bare, { text: token, thumbprint: key.thumbprint }],
    [proof, { text: token, thumbprint: other.thumbprint }],
  ] as const)
    expect(() => requireBinding(of, to)).toThrow(ProofProblem);
});

test.each([
  ['https://api.example.com/oauth/token', 'https://api.example.com/oauth/token'],
  ['HTTPS://API.example.COM:443/oauth/token?x=1#y', 'https://api.example.com/oauth/token'],
  ['http://api.example.com:80/a', 'http://api.example.com/a'],
  ['http://api.example.com:443/a', 'http://api.example.com:443/a'],
  ['https://api.example.com', 'https://api.example.com/'],
  ['https://api.example.com/a/./b/../c', 'https://api.example.com/a/c'],
  ['https://api.example.com/%7ea%2db', 'https://api.example.com/~a-b'],
  ['https://api.example.com/%c3%a9%2f', 'https://api.example.com/%C3%A9%2F'],
  ['https://api.example.com/a/', 'https://api.example.com/a/'],
  ['https://api.example.com./a', 'https://api.example.com./a'],
  ['http://[0:0::1]:3000/a', 'http://[::1]:3000/a'],
])('%s is %s', (text, normal) => {
  expect(normaliseTargetUri(text)).toBe(normal);
});

test.each([
  '',
  '/oauth/token',
  'api.example.com/oauth/token',
  'ftp://api.example.com/a',
  'https:/api.example.com/a',
  'https:///api.example.com/a',
  'https://user@api.example.com/a',
  'https://user:pass@api.example.com/a',
  'https://@api.example.com/a',
  ' https://api.example.com/a',
  'https://api.example.com/a\n',
  'https://api.example.com/a b',
  'https:\\\\api.example.com\\a',
  'https://api.example.com/é',
  'https://api.example.com:99999/a',
])('%j is no target', (text) => {
  expect(normaliseTargetUri(text)).toBeUndefined();
});

const path = fc.array(
  fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abcXYZ019-._~%2d'.split('')) }),
);
const target = fc
  .tuple(fc.constantFrom('http', 'https'), fc.constantFrom('api.example.com', '[::1]', '127.0.0.1'), path)
  .map(([scheme, host, segments]) => `${scheme}://${host}/${segments.map(encodeURIComponent).join('/')}`);

test('normalising twice changes nothing, and what follows the path is ignored', () => {
  fc.assert(
    fc.property(target, fc.webQueryParameters(), (text, query) => {
      const normal = normaliseTargetUri(text) ?? '';
      expect(normaliseTargetUri(normal)).toBe(normal);
      expect(normaliseTargetUri(`${text}?${query}`)).toBe(normal);
    }),
  );
});

test('paths that differ in more than escapes have different normal forms', () => {
  fc.assert(
    fc.property(target, target, (one, other) => {
      // Computed independently, with the WHATWG parser and decodeURIComponent.
      const plain = (text: string): string => {
        const { protocol, host, pathname } = new URL(text);
        return [protocol, host, ...pathname.split('/').map(decodeURIComponent)].join('\n');
      };
      expect(normaliseTargetUri(one) === normaliseTargetUri(other)).toBe(plain(one) === plain(other));
    }),
  );
});
