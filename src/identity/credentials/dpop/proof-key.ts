import { calculateJwkThumbprint, type CryptoKey, importJWK, type JWK } from 'jose';
import type { ProofAlgorithm } from '../../../kernel/errors.ts';
import { ProofProblem } from './proof-problem.ts';

/** Members of a private or a symmetric key (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Forms of the public keys that go with each algorithm: the members that make them up (RFC 7638 §3.2), and their fixed values. */
const FORMS: Record<ProofAlgorithm, { fixed: Readonly<Record<string, string>>; members: readonly string[] }> = {
  ES256: { fixed: { kty: 'EC', crv: 'P-256' }, members: ['x', 'y'] },
  EdDSA: { fixed: { kty: 'OKP', crv: 'Ed25519' }, members: ['x'] },
  Ed25519: { fixed: { kty: 'OKP', crv: 'Ed25519' }, members: ['x'] },
  PS256: { fixed: { kty: 'RSA' }, members: ['n', 'e'] },
};

/** Bits of an RSA modulus: fewer are no security, and more take a processor for too long. */
const RSA_BITS = { min: 2_048, max: 4_096 };
/** An exponent of up to 32 bits; the usual one has 17. A long one would make a check as slow as a signature. */
const MAX_EXPONENT_BYTES = 4;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

export type PublicKey = { key: CryptoKey; thumbprint: string };

/**
 * The public key that a proof's header holds, and its thumbprint (RFC 7638, SHA-256). Only the members that make up the key are
 * used: `kid`, `x5u`, `jku` and `x5c` are ignored, and nothing is fetched. Throws ProofProblem for everything that is no public key
 * of that algorithm.
 */
export async function readProofKey(jwk: unknown, algorithm: ProofAlgorithm): Promise<PublicKey> {
  const given = requireObject(jwk);
  refusePrivateMembers(given);
  refuseOtherUse(given, algorithm);
  const key = publicMembers(given, algorithm);
  if (key.kty === 'RSA') refuseRsaSize(key);
  return importPublicKey(key, algorithm);
}

function requireObject(jwk: unknown): Record<string, unknown> {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) throw new ProofProblem('jwk must be an object');
  // `as`: an object of JSON has text keys.
  return jwk as Record<string, unknown>;
}

/** RFC 9449 §4.3, check 7. A private key that is sent has been given away, and proves nothing any more. */
function refusePrivateMembers(jwk: Record<string, unknown>): void {
  const member = PRIVATE_MEMBERS.find((name) => Object.hasOwn(jwk, name));
  if (member !== undefined) throw new ProofProblem(`jwk must be a public key: it has ${member}`);
}

/** A key that says it is for something else (RFC 7517 §4.2 to §4.4). */
function refuseOtherUse(jwk: Record<string, unknown>, algorithm: ProofAlgorithm): void {
  const { use, key_ops: operations, alg } = jwk;
  if (use !== undefined && use !== 'sig') throw new ProofProblem('jwk.use must be sig');
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    throw new ProofProblem('jwk.key_ops must include verify');
  if (alg !== undefined && alg !== algorithm) throw new ProofProblem('jwk.alg must be the alg of the header');
}

/** `kty` and `crv` fit the algorithm, and each other member is base64url. */
function publicMembers(jwk: Record<string, unknown>, algorithm: ProofAlgorithm): JWK {
  const { fixed, members } = FORMS[algorithm];
  const wrong = Object.keys(fixed).find((name) => jwk[name] !== fixed[name]);
  if (wrong !== undefined) throw new ProofProblem(`jwk.${wrong} must be ${fixed[wrong]} for ${algorithm}`);
  const missing = members.find((name) => typeof jwk[name] !== 'string' || !BASE64URL.test(jwk[name]));
  if (missing !== undefined) throw new ProofProblem(`jwk.${missing} must be base64url`);
  return { ...fixed, ...Object.fromEntries(members.map((name) => [name, jwk[name]])) };
}

function refuseRsaSize({ n = '', e = '' }: JWK): void {
  const modulus = Buffer.from(n, 'base64url');
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  if (bits < RSA_BITS.min || bits > RSA_BITS.max)
    throw new ProofProblem(`jwk.n must have ${RSA_BITS.min} to ${RSA_BITS.max} bits`);
  if (Buffer.from(e, 'base64url').length > MAX_EXPONENT_BYTES) throw new ProofProblem('jwk.e is too long');
}

/** A point off its curve and the like fail in the library of cryptography, with errors of many kinds. */
async function importPublicKey(jwk: JWK, algorithm: ProofAlgorithm): Promise<PublicKey> {
  try {
    const key = await importJWK(jwk, algorithm);
    if (key instanceof Uint8Array) throw new ProofProblem('jwk must be a public key');
    return { key, thumbprint: await calculateJwkThumbprint(jwk, 'sha256') };
  } catch {
    throw new ProofProblem('jwk is no valid key');
  }
}
