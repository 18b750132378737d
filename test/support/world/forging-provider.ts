import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** A fake identity provider, whose token endpoint responds as a test wants. */
export type ForgingProvider = {
  issuer: string;
  variables: Record<string, string>;
  /** How often the token endpoint was called. */
  readonly asked: number;
  /** Returns an ID token that is valid except for what is given. */
  token(
    changes?: Record<string, unknown>,
    how?: { key?: webcrypto.CryptoKey | Uint8Array; alg?: string },
  ): Promise<string>;
  /** Sets the claims of the userinfo endpoint from now on. */
  describe(claims: Record<string, unknown>): void;
  /** Sets the response of the token endpoint from now on; `undefined` hangs up without one. */
  answer(status: number | undefined, body?: unknown): void;
  close(): Promise<void>;
};

export async function startForgingProvider(): Promise<ForgingProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  let asked = 0;
  let userInfo: Record<string, unknown> = { sub: 'nora' };
  let next: { status: number | undefined; body: unknown } = { status: 500, body: {} };
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/.well-known/openid-configuration')
      return send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    if (request.url === '/keys') return send(200, { keys: [jwk] });
    if (request.url === '/userinfo') return send(200, userInfo);
    asked += 1;
    if (next.status === undefined) return void request.socket.destroy();
    return send(next.status, next.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a server on a port has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    variables: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'posthorn', OIDC_CLIENT_SECRET: 'secret' },
    get asked() {
      return asked;
    },
    token(changes = {}, { key = privateKey, alg = 'ES256' } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const claims = { iss: issuer, sub: 'nora', aud: 'posthorn', iat: now, exp: now + 300, ...changes };
      return new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(key);
    },
    describe: (claims) => {
      userInfo = claims;
    },
    answer: (status, body) => {
      next = { status, body };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
