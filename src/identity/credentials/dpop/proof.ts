import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { PROOF_ALGORITHMS, type ProofAlgorithm } from '../../../kernel/errors.ts';
import { type PublicKey, readProofKey } from './proof-key.ts';
import { ProofProblem } from './proof-problem.ts';
import { normaliseTargetUri } from './target-uri.ts';

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
 * for the first one that fails. Not here: the token and its key (12, `requireBinding` in binding.ts), and whether the proof was used
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
