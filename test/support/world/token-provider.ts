import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { browse } from './identity-provider.ts';

const ORIGIN = 'http://localhost:3000';
const REDIRECT_URI = `${ORIGIN}/oauth/connections/callback`;
export const PROVIDER_CLIENT = { clientId: 'posthorn', clientSecret: 'hush-0815 of the provider & more' };

export type TokenProvider = {
  issuer: string;
  /** Tokens by their grants, in order. */
  granted: string[];
  /** A browser that was sent to `url` consents, or does not, and comes back. Gives the path and query that it comes back to. */
  visit(url: string, consent: 'yes' | 'no'): Promise<string>;
  /** Whether an access token is good. */
  knows(token: string | undefined): Promise<boolean>;
  /** Ends access tokens before their time, and nothing else. */
  endAccessTokens(): Promise<void>;
  /** The person takes back all that was granted. */
  revoke(): Promise<void>;
  /** While it is there, the token endpoint answers with this status. */
  outage: number | undefined;
  close(): Promise<void>;
};

/** A real OAuth 2.0 provider on loopback, with PKCE, and with refresh tokens that are good once: a second use ends the grant. */
export async function startTokenProvider(): Promise<TokenProvider> {
  let consent: 'yes' | 'no' = 'no';
  const granted: string[] = [];
  const grants = new Set<string>();
  const tokens = new Set<string>();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a server on a port has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: PROVIDER_CLIENT.clientId,
        client_secret: PROVIDER_CLIENT.clientSecret,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['openid', 'sheets'],
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 60, Grant: 3_600, Session: 60, AccessToken: 3_600, IdToken: 60, RefreshToken: 3_600 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => Promise.resolve(true),
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        clientId: PROVIDER_CLIENT.clientId,
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid sheets');
      grants.add(await grant.save());
      return grant;
    },
  });
  provider.on('grant.success', ({ oidc }) => void granted.push(String(oidc.params?.['grant_type'])));
  provider.on('access_token.saved', ({ jti }) => void tokens.add(jti));

  const state: Pick<TokenProvider, 'outage'> = { outage: undefined };
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/token' && state.outage !== undefined) return void response.writeHead(state.outage).end();
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    const result =
      consent === 'no'
        ? { error: 'access_denied' }
        : { login: { accountId: 'ada', ts: Math.floor(Date.now() / 1_000) } };
    void provider.interactionFinished(request, response, result);
  });

  return Object.assign(state, {
    issuer,
    granted,
    async visit(url: string, said: 'yes' | 'no') {
      consent = said;
      return (await browse(url, REDIRECT_URI)).slice(ORIGIN.length);
    },
    knows: async (token: string | undefined) =>
      token !== undefined && (await provider.AccessToken.find(token)) !== undefined,
    async endAccessTokens() {
      for (const token of tokens) await (await provider.AccessToken.find(token))?.destroy();
    },
    async revoke() {
      for (const id of grants) {
        await provider.RefreshToken.revokeByGrantId(id);
        await (await provider.Grant.find(id))?.destroy();
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
