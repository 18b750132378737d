import { createTokenHolder, readToken } from './access-token.ts';
import type { Authorizer, MachineCredentials } from './credentials.ts';
import { createProofKey, makeProof, type ProofKey, signTokenRequest } from './proof.ts';

const TOKEN_PATH = '/oauth/token';

/**
 * Sends POST /oauth/token with its retries and resolves with the JSON response. Each attempt is created anew, because a
 * proof is valid once.
 */
export type TokenExchange = (request: {
  path: string;
  make: () => Promise<{ headers: Record<string, string>; body: unknown }>;
  seen: Authorizer['seen'];
}) => Promise<unknown>;

/**
 * Signs requests with tokens bound to a key pair of this program (RFC 9449). If the service requires a nonce or rejects
 * a token early, the request is sent once more.
 */
export function createMachineAuthorizer(
  { clientId, clientSecret, scopes, publicBaseUrl }: MachineCredentials & { publicBaseUrl: string },
  exchange: TokenExchange,
): Authorizer {
  let key: Promise<ProofKey> | undefined;
  let nonce: string | undefined;
  const keyOf = (): Promise<ProofKey> => (key ??= createProofKey());

  const keepNonce = (headers: Headers): void => {
    nonce = headers.get('dpop-nonce') ?? nonce;
  };
  const prove = async (method: string, path: string, token?: string): Promise<string> =>
    makeProof(await keyOf(), {
      method,
      url: publicBaseUrl + path,
      nonce,
      ...(token !== undefined && { token }),
    });

  const tokens = createTokenHolder(async () => {
    let askedAt = Date.now();
    const make = async () => {
      askedAt = Date.now();
      const proof = await prove('POST', TOKEN_PATH);
      const body = {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: await signTokenRequest(clientSecret, clientId, proof),
        ...(scopes !== undefined && { scope: scopes.join(' ') }),
      };
      return { headers: { dpop: proof }, body };
    };
    const answered = await exchange({
      path: TOKEN_PATH,
      make,
      seen: ({ headers, oauthError }) => {
        keepNonce(headers);
        return oauthError === 'use_dpop_nonce';
      },
    });
    return readToken(answered, askedAt);
  });

  return {
    cookies: 'omit',
    async headersOf({ method, target }) {
      const token = await tokens.get();
      const [path = ''] = target.split('?');
      return { authorization: `DPoP ${token}`, dpop: await prove(method, path, token) };
    },
    seen({ status, headers, oauthError }, sent) {
      keepNonce(headers);
      if (status !== 401) return false;
      if (oauthError === 'invalid_token') tokens.drop((sent['authorization'] ?? '').slice('DPoP '.length));
      return oauthError === 'use_dpop_nonce' || oauthError === 'invalid_token';
    },
  };
}
