import { createHmac } from 'node:crypto';

/** Values that one sign-in at the identity provider is bound to (RFC 6749 §10.12, OpenID Connect Core §15.5.2, RFC 7636). */
export type Bound = { state: string; nonce: string; verifier: string };

/**
 * All of them are derived from the secret in the browser's cookie. PostgreSQL keeps only the hash of that secret, and nobody who reads
 * the hash can finish the sign-in of somebody else.
 */
export function boundTo(secret: string): Bound {
  const derive = (purpose: string): string => createHmac('sha256', secret).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}
