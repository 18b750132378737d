import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const CLIENT = { id: 'posthorn', secret: 'a secret of the identity provider & more' };
const REDIRECT_URI = 'http://localhost:3000/v1/sign-in/single-sign-on/callback';

/** A user at the identity provider: a subject, and its claims. */
export type ProviderPerson = { sub: string; [claim: string]: unknown };

export type IdentityProvider = {
  issuer: string;
  /** Settings that name it. */
  variables: Record<string, string>;
  /** A browser that was sent to `url` signs this user in there and comes back. Returns the path and query that it comes back to. */
  visit(url: string, person: ProviderPerson | 'no'): Promise<string>;
  close(): Promise<void>;
};

/** Starts a real OpenID provider on the loopback interface, where everybody signs in without a password. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, ProviderPerson>();
  let next: ProviderPerson | 'no' = 'no';
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a server on a port has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [REDIRECT_URI] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: async () => people.get(id) ?? { sub: id } }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    const result =
      next === 'no'
        ? { error: 'access_denied' }
        : { login: { accountId: next.sub, ts: Math.floor(Date.now() / 1_000) } };
    void provider.interactionFinished(request, response, result);
  });

  return {
    issuer,
    variables: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    async visit(url, person) {
      next = person;
      if (person !== 'no') people.set(person.sub, person);
      return (await browse(url, REDIRECT_URI)).slice('http://localhost:3000'.length);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Follows all redirects in a new browser. Returns the address after `until` at which it ends. */
export async function browse(from: string, until: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = from;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const seen = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const each of seen.headers.getSetCookie()) {
      const [pair = ''] = each.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = seen.headers.get('location');
    if (location === null) throw new Error(`The identity provider answers ${seen.status}: ${await seen.text()}`);
    if (location.startsWith(until)) return location;
    at = new URL(location, at).href;
  }
  throw new Error('The identity provider sends the browser around');
}
