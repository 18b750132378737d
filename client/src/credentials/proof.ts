import { randomText, toBase64Url, toBytes } from '../bytes.ts';

/** A key pair whose private key cannot be read, not even by this program. */
export type ProofKey = { privateKey: Key; publicJwk: object };

/** CryptoKey; the type is in different places in the libraries of Node and of browsers. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * Creates an ES256 key pair. Not EdDSA, because Chromium has Ed25519 only from version 137 and Node 20 calls it
 * experimental. Other code in the program cannot copy the key, although it can sign with it.
 */
export async function createProofKey(): Promise<ProofKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, false, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  return { privateKey, publicJwk: { kty, crv, x, y } };
}

/**
 * Creates a proof for one request (RFC 9449 §4.2). `url` has no query; `nonce` is the latest one from the service; with
 * an access token the proof contains its hash.
 */
export async function makeProof(
  { privateKey, publicJwk }: ProofKey,
  { method, url, token, nonce }: { method: string; url: string; token?: string; nonce?: string | undefined },
): Promise<string> {
  const claims = {
    jti: randomText(),
    htm: method,
    htu: url,
    iat: Math.floor(Date.now() / 1_000),
    ...(token !== undefined && { ath: toBase64Url(await crypto.subtle.digest('SHA-256', toBytes(token))) }),
    ...(nonce !== undefined && { nonce }),
  };
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk };
  const text = [header, claims].map((part) => toBase64Url(toBytes(JSON.stringify(part)))).join('.');
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, toBytes(text));
  return `${text}.${toBase64Url(signature)}`;
}

/**
 * Creates the `client_secret` of a token request: the HMAC of its proof with the secret as key
 * (docs/reference/token-exchange.md, Request a token).
 */
export async function signTokenRequest(clientSecret: string, clientId: string, proof: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', toBytes(clientSecret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const mac = await crypto.subtle.sign('HMAC', key, toBytes(`v1\n${clientId}\n${proof}`));
  return `v1.${toBase64Url(mac)}`;
}
