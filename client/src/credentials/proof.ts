import { randomText, toBase64Url, toBytes } from '../bytes.ts';

/** A key pair whose private key cannot be read, by this program neither. */
export type ProofKey = { privateKey: Key; publicJwk: object };

/** CryptoKey, whose type has another place in the libraries of Node and of browsers. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * Makes a key pair for ES256, which every browser and Node has. Code that runs in the same program cannot copy the key, and can still
 * sign with it.
 */
export async function createProofKey(): Promise<ProofKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, false, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  return { privateKey, publicJwk: { kty, crv, x, y } };
}

/**
 * A proof for one request (RFC 9449 §4.2). `url` has no query; `nonce` is the last one that the service has handed out; with an access
 * token the proof names it by its hash.
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

/** `client_secret` of a token request: the HMAC of its proof, made with the secret (docs/reference/token-exchange.md, Request a token). */
export async function signTokenRequest(clientSecret: string, clientId: string, proof: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', toBytes(clientSecret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const mac = await crypto.subtle.sign('HMAC', key, toBytes(`v1\n${clientId}\n${proof}`));
  return `v1.${toBase64Url(mac)}`;
}
