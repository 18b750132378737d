import { createHash } from 'node:crypto';
import {
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  calculateJwkThumbprint,
  type CryptoKey,
  importJWK,
  type JWK,
} from 'jose';
import { PROOF_ALGORITHMS, type ProofAlgorithm } from '../../../kernel/errors.ts';
import { parseUrl } from '../../../kernel/values/http.ts';

/** Longest proof in characters: one with an RSA key of 4,096 bits has 1,700. */
const MAX_PROOF_LENGTH = 4_096;
/** A proof may have been made this long ago, and this far in the future of our clock, in seconds. */
export const PROOF_AGE = { past: 120, future: 30 } as const;
const JTI_LENGTH = { min: 8, max: 128 };
const TYPE = 'dpop+jwt';
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The request that a proof must be made for. */
export type ProvenRequest = {
  /** Exactly as the request has it. */
  method: string;
  /** Public URL of what is asked for. */
  uri: string;
};

/** How a proof is judged at this moment. `isGoodNonce` is absent where no nonces are asked for. */
export type ProofRules = { now: Date; isGoodNonce?: ((nonce: string) => boolean) | undefined };

/** A proof that holds, but for whether it was seen before. */
export type Proof = {
  /** The exact header value. */
  text: string;
  /** RFC 7638 thumbprint of its key. */
  thumbprint: string;
  jti: string;
  /** base64url of the SHA-256 of the access token that it goes with, where it names one. */
  ath: string | undefined;
};

/**
 * Checks a DPoP proof by the twelve checks of RFC 9449 §4.3, which leaves their order open: one header and its form (1, 2), `typ` and
 * `alg` (4, 5), the key (7), the signature (6), method and URI (8, 9), time (11), id (3), and last the nonce (10). Throws ProofProblem
 * for the first one that fails. Not here: the token and its key (12, `requireBinding`), and whether the proof was used
 * before (§11.1, used-proofs.ts). The body of a request is not covered by its proof.
 */
export async function checkProof(headers: readonly string[], proven: ProvenRequest, rules: ProofRules): Promise<Proof> {
  const text = requireOneProof(headers);
  const { algorithm, jwk } = readHeader(text);
  const publicKey = await readProofKey(jwk, algorithm);
  const claims = await verifySignature(text, algorithm, publicKey, rules.now);
  checkMethod(claims, proven);
  checkUri(claims, proven);
  checkTime(claims, rules.now);
  const jti = checkId(claims);
  checkNonce(claims, rules);
  return { text, thumbprint: publicKey.thumbprint, jti, ath: readAth(claims) };
}

/** Checks 1 and 2: one header with one JWT, by the outer form of a JWS (RFC 7515 §3.1). */
function requireOneProof(headers: readonly string[]): string {
  const [text, ...others] = headers;
  if (text === undefined) throw new ProofProblem('is required');
  if (others.length > 0) throw new ProofProblem('is given more than once');
  if (text.length > MAX_PROOF_LENGTH) throw new ProofProblem(`must have at most ${MAX_PROOF_LENGTH} characters`);
  if (!COMPACT_JWS.test(text)) throw new ProofProblem('must be a JWT: three parts of base64url');
  return text;
}

/** Checks 4 and 5: `typ` is exactly dpop+jwt, and `alg` an asymmetric one. No extension is critical (RFC 7515 §4.1.11). */
function readHeader(text: string): { algorithm: ProofAlgorithm; jwk: unknown } {
  let header: Record<string, unknown>;
  try {
    header = { ...decodeProtectedHeader(text) };
  } catch {
    throw new ProofProblem('has a header that is no JSON');
  }
  if (header['typ'] !== TYPE) throw new ProofProblem(`typ must be ${TYPE}`);
  const algorithm = PROOF_ALGORITHMS.find((name) => name === header['alg']);
  if (algorithm === undefined) throw new ProofProblem(`alg must be one of ${PROOF_ALGORITHMS.join(', ')}`);
  if (header['crit'] !== undefined) throw new ProofProblem('crit: no extension is known here');
  return { algorithm, jwk: header['jwk'] };
}

/**
 * Check 6. The library throws errors of many kinds, none of which may become a fault of ours. `exp` and `nbf` hold where they are given.
 */
async function verifySignature(
  text: string,
  algorithm: ProofAlgorithm,
  { key }: PublicKey,
  now: Date,
): Promise<JWTPayload> {
  try {
    const options = { algorithms: [algorithm], currentDate: now, clockTolerance: PROOF_AGE.future };
    return (await jwtVerify(text, key, options)).payload;
  } catch {
    throw new ProofProblem('is not signed by the key in its header, or is no JWT that holds now');
  }
}

/** Check 8. Methods are case-sensitive (RFC 9110 §9.1). */
function checkMethod({ htm }: JWTPayload, { method }: ProvenRequest): void {
  if (htm !== method) throw new ProofProblem(`htm must be ${method}`);
}

/** Check 9. The URI that counts is made from PUBLIC_BASE_URL, never from the header Host, which a caller can write. */
function checkUri({ htu }: JWTPayload, { uri }: ProvenRequest): void {
  const wanted = normaliseTargetUri(uri);
  if (wanted === undefined || typeof htu !== 'string' || normaliseTargetUri(htu) !== wanted)
    throw new ProofProblem(`htu must be ${wanted ?? uri}`);
}

/** Check 11. */
function checkTime({ iat }: JWTPayload, now: Date): void {
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new ProofProblem('iat must be a number of seconds');
  const age = now.getTime() / 1_000 - iat;
  if (age > PROOF_AGE.past || age < -PROOF_AGE.future)
    throw new ProofProblem(`iat must be at most ${PROOF_AGE.past} s ago and ${PROOF_AGE.future} s ahead`);
}

/** Check 3, for the claim by which a proof is used once. The other claims that must be there are checked with their values. */
function checkId({ jti }: JWTPayload): string {
  if (typeof jti !== 'string' || jti.length < JTI_LENGTH.min || jti.length > JTI_LENGTH.max)
    throw new ProofProblem(`jti must be a text of ${JTI_LENGTH.min} to ${JTI_LENGTH.max} characters`);
  return jti;
}

/** Check 10. Last, so that a nonce is handed out only for a proof that is right otherwise. */
function checkNonce({ nonce }: JWTPayload, { isGoodNonce }: ProofRules): void {
  if (isGoodNonce === undefined) return;
  if (typeof nonce !== 'string' || !isGoodNonce(nonce))
    throw new ProofProblem('nonce must be the one of the header DPoP-Nonce', 'use_dpop_nonce');
}

const readAth = ({ ath }: JWTPayload): string | undefined => (typeof ath === 'string' ? ath : undefined);

/** Refusals of a proof, by the names of RFC 9449 §5 and §8. */
type ProofError = 'invalid_dpop_proof' | 'use_dpop_nonce';

/** Why a proof is refused. The reason is for the caller, and repeats nothing of the proof. */
export class ProofProblem extends Error {
  override readonly name = 'ProofProblem';
  readonly error: ProofError;
  readonly reason: string;

  constructor(reason: string, error: ProofError = 'invalid_dpop_proof') {
    super(reason);
    this.reason = reason;
    this.error = error;
  }
}

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

type PublicKey = { key: CryptoKey; thumbprint: string };

/**
 * The public key that a proof's header holds, and its thumbprint (RFC 7638, SHA-256). Only the members that make up the key are
 * used: `kid`, `x5u`, `jku` and `x5c` are ignored, and nothing is fetched. Throws ProofProblem for everything that is no public key
 * of that algorithm.
 */
async function readProofKey(jwk: unknown, algorithm: ProofAlgorithm): Promise<PublicKey> {
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

/** Characters that mean the same with and without a percent-escape (RFC 3986 §2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * A target URI in the one form in which two of them are compared (RFC 9449 §4.3, by RFC 3986 §6.2.2 and §6.2.3): scheme and host
 * in lower case, no default port, no dot segments, escapes only where they are needed and in upper case, without query and fragment.
 * Undefined for what is no http or https URL, and for one with a user name. A slash at the end and a dot behind the host count.
 */
export function normaliseTargetUri(text: string): string | undefined {
  // The parser would drop these, and so two texts of which one is no URI would be the same.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) return undefined;
  const url = /^https?:\/\/[^/]/i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined || /^[^/]*\/\/[^/?#]*@/.test(text)) return undefined;
  return `${url.protocol}//${url.host}${normaliseEscapes(url.pathname)}`;
}

const normaliseEscapes = (path: string): string =>
  path.replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });

/** base64url of the SHA-256 of an access token: the claim `ath` of the proofs that go with it (RFC 9449 §4.2). */
export const accessTokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/**
 * RFC 9449 §4.3, check 12: the proof names the token that it came with, and is signed by the key that the token is bound to. Both
 * values are public to the caller, so nothing is learned from how long the comparison takes.
 */
export function requireBinding({ ath, thumbprint }: Proof, token: { text: string; thumbprint: string }): void {
  if (ath !== accessTokenHash(token.text)) throw new ProofProblem('ath must be the hash of the access token');
  if (thumbprint !== token.thumbprint) throw new ProofProblem('must be signed by the key that the token is bound to');
}
