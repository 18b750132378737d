import { createHash } from 'node:crypto';
import type { Proof } from './proof.ts';
import { ProofProblem } from './proof-problem.ts';

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
