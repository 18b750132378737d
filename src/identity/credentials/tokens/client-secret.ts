import { createHmac, timingSafeEqual } from 'node:crypto';

const VERSION = 'v1';

/**
 * The value of `client_secret` in a token request: `v1.` and the base64url of HMAC-SHA256 over `v1`, the client id and the exact
 * value of the DPoP header, with a line feed between them. Its key are the UTF-8 bytes of the whole secret as it was shown. The
 * proof holds method, URI, time, id, nonce and public key, so one HMAC binds the client to all of them and the secret never travels.
 */
export const signTokenRequest = (secret: string, clientId: string, proof: string): string =>
  `${VERSION}.${createHmac('sha256', secret).update(`${VERSION}\n${clientId}\n${proof}`).digest('base64url')}`;

/** Whether `given` is what the secret gives. Takes as long for a wrong text as for a right one of the same length. */
export function isSignedBy(secret: string, clientId: string, proof: string, given: string): boolean {
  const wanted = Buffer.from(signTokenRequest(secret, clientId, proof));
  const compared = Buffer.from(given);
  return compared.length === wanted.length && timingSafeEqual(wanted, compared);
}
