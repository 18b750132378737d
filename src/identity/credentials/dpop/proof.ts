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

/** Maximum length of a proof in characters. One with a 4,096-bit RSA key has 1,700. */
const MAX_PROOF_LENGTH = 4_096;
/** How far in the past and in the future the time of a proof may be, by our clock, in seconds. */
export const PROOF_AGE = { past: 120, future: 30 } as const;
const JTI_LENGTH = { min: 8, max: 128 };
const TYPE = 'dpop+jwt';
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The request that a proof must be for. */
export type ProvenRequest = {
  /** Exactly as in the request. */
  method: string;
  /** Public URL of the requested resource. */
  uri: string;
};

/** Current conditions for checking a proof. `isGoodNonce` is absent if nonces are off. */
export type ProofRules = { now: Date; isGoodNonce?: ((nonce: string) => boolean) | undefined };

/** A valid proof. Whether it was used before is not checked yet. */
export type Proof = {
  /** The exact header value. */
  text: string;
  /** RFC 7638 thumbprint of its key. */
  thumbprint: string;
  jti: string;
  /** base64url of the SHA-256 of the access token it belongs to, if it names one. */
  ath: string | undefined;
};

/**
 * Checks a DPoP proof by the twelve checks of RFC 9449 §4.3, which leaves their order open: a single header and its
 * form (1, 2), `typ` and `alg` (4, 5), the key (7), the signature (6), method and URI (8, 9), time (11), id (3), and
 * last the nonce (10). Throws ProofProblem for the first check that fails. Not included: whether the proof belongs to
 * the token and its key (12, `requireBinding`), and whether it was used before (§11.1, used-proofs.ts). A proof does
 * not cover the body of the request.
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

/** Checks 1 and 2: a single header with a single JWT, by the outer form of a JWS (RFC 7515 §3.1). */
function requireOneProof(headers: readonly string[]): string {
  const [text, ...others] = headers;
  if (text === undefined) throw new ProofProblem('is required');
  if (others.length > 0) throw new ProofProblem('must be given only once');
  if (text.length > MAX_PROOF_LENGTH) throw new ProofProblem(`must have at most ${MAX_PROOF_LENGTH} characters`);
  if (!COMPACT_JWS.test(text)) throw new ProofProblem('must be a JWT: three parts of base64url');
  return text;
}

/**
 * Checks 4 and 5: `typ` must be exactly dpop+jwt and `alg` an asymmetric algorithm. Critical extensions are not
 * supported (RFC 7515 §4.1.11).
 */
function readHeader(text: string): { algorithm: ProofAlgorithm; jwk: unknown } {
  let header: Record<string, unknown>;
  try {
    header = { ...decodeProtectedHeader(text) };
  } catch {
    throw new ProofProblem('must have a JSON header');
  }
  if (header['typ'] !== TYPE) throw new ProofProblem(`typ must be ${TYPE}`);
  const algorithm = PROOF_ALGORITHMS.find((name) => name === header['alg']);
  if (algorithm === undefined) throw new ProofProblem(`alg must be one of ${PROOF_ALGORITHMS.join(', ')}`);
  if (header['crit'] !== undefined) throw new ProofProblem('crit must not be given: no extensions are supported');
  return { algorithm, jwk: header['jwk'] };
}

/**
 * Check 6. The library throws errors of many kinds, none of which may become an internal error. `exp` and `nbf` are
 * respected if given.
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
    throw new ProofProblem('must be a currently valid JWT, signed with the key in its header');
  }
}

/** Check 8. Methods are case-sensitive (RFC 9110 §9.1). */
function checkMethod({ htm }: JWTPayload, { method }: ProvenRequest): void {
  if (htm !== method) throw new ProofProblem(`htm must be ${method}`);
}

/** Check 9. The expected URI is derived from PUBLIC_BASE_URL, never from the Host header, which callers control. */
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

/** Check 3, for the claim that makes a proof usable only once. Other required claims are checked with their values. */
function checkId({ jti }: JWTPayload): string {
  if (typeof jti !== 'string' || jti.length < JTI_LENGTH.min || jti.length > JTI_LENGTH.max)
    throw new ProofProblem(`jti must be a string of ${JTI_LENGTH.min} to ${JTI_LENGTH.max} characters`);
  return jti;
}

/** Check 10. Comes last, so that a nonce is handed out only for a proof that is valid otherwise. */
function checkNonce({ nonce }: JWTPayload, { isGoodNonce }: ProofRules): void {
  if (isGoodNonce === undefined) return;
  if (typeof nonce !== 'string' || !isGoodNonce(nonce))
    throw new ProofProblem('nonce must be the value of the header DPoP-Nonce', 'use_dpop_nonce');
}

const readAth = ({ ath }: JWTPayload): string | undefined => (typeof ath === 'string' ? ath : undefined);

/** Error codes for proofs, from RFC 9449 §5 and §8. */
type ProofError = 'invalid_dpop_proof' | 'use_dpop_nonce';

/** Why a proof is rejected. The reason is shown to the caller and does not repeat anything from the proof. */
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

/** Members of private or symmetric keys (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Public keys accepted for each algorithm: the members that make up the key (RFC 7638 §3.2), and their fixed values.
 */
const FORMS: Record<ProofAlgorithm, { fixed: Readonly<Record<string, string>>; members: readonly string[] }> = {
  ES256: { fixed: { kty: 'EC', crv: 'P-256' }, members: ['x', 'y'] },
  EdDSA: { fixed: { kty: 'OKP', crv: 'Ed25519' }, members: ['x'] },
  Ed25519: { fixed: { kty: 'OKP', crv: 'Ed25519' }, members: ['x'] },
  PS256: { fixed: { kty: 'RSA' }, members: ['n', 'e'] },
};

/** Bits of an RSA modulus. Fewer are not secure, and more take too much CPU. */
const RSA_BITS = { min: 2_048, max: 4_096 };
/** Exponents of up to 32 bits; the usual one has 17. A long one would make verification as slow as signing. */
const MAX_EXPONENT_BYTES = 4;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

type PublicKey = { key: CryptoKey; thumbprint: string };

/**
 * Returns the public key in the header of a proof and its thumbprint (RFC 7638, SHA-256). Only the members that make up the
 * key are used: `kid`, `x5u`, `jku` and `x5c` are ignored, and nothing is fetched. Throws ProofProblem if this is not a public
 * key for the algorithm.
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
  // `as`: a JSON object has string keys.
  return jwk as Record<string, unknown>;
}

/** RFC 9449 §4.3, check 7. A private key that has been sent is compromised and proves nothing. */
function refusePrivateMembers(jwk: Record<string, unknown>): void {
  const member = PRIVATE_MEMBERS.find((name) => Object.hasOwn(jwk, name));
  if (member !== undefined) throw new ProofProblem(`jwk must be a public key, without ${member}`);
}

/** Rejects a key that states another purpose (RFC 7517 §4.2 to §4.4). */
function refuseOtherUse(jwk: Record<string, unknown>, algorithm: ProofAlgorithm): void {
  const { use, key_ops: operations, alg } = jwk;
  if (use !== undefined && use !== 'sig') throw new ProofProblem('jwk.use must be sig');
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    throw new ProofProblem('jwk.key_ops must include verify');
  if (alg !== undefined && alg !== algorithm) throw new ProofProblem('jwk.alg must be the alg of the header');
}

/** Checks that `kty` and `crv` match the algorithm and that all other members are base64url. */
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
  if (Buffer.from(e, 'base64url').length > MAX_EXPONENT_BYTES)
    throw new ProofProblem('jwk.e must have at most ${MAX_EXPONENT_BYTES} bytes');
}

/** For points that are not on the curve and the like, the crypto library throws errors of many kinds. */
async function importPublicKey(jwk: JWK, algorithm: ProofAlgorithm): Promise<PublicKey> {
  try {
    const key = await importJWK(jwk, algorithm);
    if (key instanceof Uint8Array) throw new ProofProblem('jwk must be a public key');
    return { key, thumbprint: await calculateJwkThumbprint(jwk, 'sha256') };
  } catch {
    throw new ProofProblem('jwk must be a valid key');
  }
}

/** Characters that mean the same with and without percent-encoding (RFC 3986 §2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Normalises a target URI for comparison (RFC 9449 §4.3, by RFC 3986 §6.2.2 and §6.2.3): scheme and host in lower case,
 * no default port, no dot segments, percent-encoding only where needed and in upper case, without query and fragment.
 * Returns undefined if the text is not an http or https URL or has a user name. A trailing slash, and a dot after the
 * host, are significant.
 */
export function normaliseTargetUri(text: string): string | undefined {
  // The parser would drop these characters, so a text that is not a URI would equal one that is.
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

/** base64url of the SHA-256 of an access token: the claim `ath` of its proofs (RFC 9449 §4.2). */
export const accessTokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/**
 * RFC 9449 §4.3, check 12: the proof names the token it came with, and is signed with the key that the token is bound
 * to. The caller knows both values, so the duration of the comparison reveals nothing.
 */
export function requireBinding({ ath, thumbprint }: Proof, token: { text: string; thumbprint: string }): void {
  if (ath !== accessTokenHash(token.text)) throw new ProofProblem('ath must be the hash of the access token');
  if (thumbprint !== token.thumbprint) throw new ProofProblem('must be signed by the key that the token is bound to');
}
