import { createHash, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

/** A caller's key pair for DPoP proofs. */
export type ProofKey = { alg: string; privateKey: CryptoKey; jwk: JWK; thumbprint: string };

export async function newProofKey(alg = 'ES256', options: { modulusLength?: number } = {}): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** Parts of a proof; `undefined` leaves out a claim or a header member. */
export type ProofParts = {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Signs instead of the key in the header. */
  signedBy?: ProofKey;
};

/** Creates a proof with jose for one request now, with parts of it replaced. */
export function makeProof(
  key: ProofKey,
  request: { method: string; uri: string; token?: string; nonce?: string; now?: Date },
  { header = {}, claims = {}, signedBy = key }: ProofParts = {},
): Promise<string> {
  const { method, uri, token, nonce, now = new Date() } = request;
  const payload = without({
    jti: randomUUID(),
    htm: method,
    htu: uri,
    iat: Math.floor(now.getTime() / 1_000),
    ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
    ...claims,
  });
  // `as`: tests write headers that a library would not write.
  const protectedHeader = without({ typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header }) as JWTHeaderParameters;
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(signedBy.privateKey);
}

const without = (parts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a JWT of these parts with any text as signature, for what no library signs. */
export const rawJwt = (header: unknown, claims: unknown, signature: string): string =>
  `${encoded(header)}.${encoded(claims)}.${signature}`;

/** The example proof of RFC 9449 §4.1; its key, time and target are the RFC's. */
export const RFC_9449_PROOF = [
  'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFV',
  'ZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19',
  '.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ',
  '.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg',
].join('');
export const RFC_9449_TIME = new Date(1_562_262_616_000);
