import { expect } from '@jest/globals';
import {
  openSealed,
  type Sealed,
  sealConnection,
  type ProviderTokens,
} from '../../../src/automations/connections/sealed.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { PROVIDER_CLIENT, type TokenProvider } from '../world/token-provider.ts';
import { workflowCalls } from './workflow-calls.ts';

export type OAuthConnection = { id: string; status: string };

/** Connections whose tokens come from a provider on the loopback interface, for a service at `baseUrl`. */
export function oauthConnections(posthorn: TestPosthorn, provider: TokenProvider, baseUrl: string) {
  const { good } = workflowCalls(posthorn);
  const { pool, keyRing } = posthorn.deps;

  const make = (more: object = {}): Promise<OAuthConnection> =>
    good('POST', '/v1/connections', {
      connectorId: 'http-oauth',
      name: 'CRM',
      credentials: {
        baseUrl,
        authorizationUrl: `${provider.issuer}/auth`,
        tokenUrl: `${provider.issuer}/token`,
        scope: 'openid sheets',
        ...PROVIDER_CLIENT,
        ...more,
      },
    });
  const begin = async (id: string): Promise<URL> =>
    new URL((await good<{ authorizationUrl: string }>('POST', `/v1/connections/${id}/authorize`)).authorizationUrl);

  /** Returns the page that a browser ends up on. */
  async function comeBack(target: string): Promise<string> {
    const { status, headers } = await fetch(posthorn.url + target, { redirect: 'manual' });
    expect([status, headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
      303,
      'no-referrer',
      'no-store',
    ]);
    const page = await fetch(posthorn.url + new URL(headers.get('location') ?? '').pathname);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(html).not.toContain('<script');
    return /<h1>(.*)<\/h1>\n<p>(.*)<\/p>/.exec(html)?.slice(1).join(': ') ?? html;
  }

  async function sealedOf(id: string): Promise<Sealed> {
    const { rows } = await pool.query<{ id: string; ciphertext: string }>(
      'SELECT id, ciphertext FROM connections WHERE id = $1',
      [id],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`no connection ${id}`);
    return openSealed(keyRing, row);
  }
  async function seal(id: string, sealed: Sealed): Promise<void> {
    const ciphertext = sealConnection(keyRing, id, sealed);
    await pool.query('UPDATE connections SET ciphertext = $2 WHERE id = $1', [id, ciphertext]);
  }
  /** Changes the encrypted data, as time would. */
  async function change(id: string, changed: (oauth: NonNullable<Sealed['oauth']>) => Sealed['oauth']): Promise<void> {
    const { credentials, oauth = {} } = await sealedOf(id);
    const next = changed(oauth);
    await seal(id, { credentials, ...(next && { oauth: next }) });
  }

  return {
    make,
    begin,
    comeBack,
    sealedOf,
    seal,
    change,
    tokensOf: async (id: string): Promise<ProviderTokens | undefined> => (await sealedOf(id)).oauth?.tokens,
    /** Creates a connection for which consent was given. */
    async authorized(): Promise<string> {
      const { id } = await make();
      expect(await comeBack(await provider.visit((await begin(id)).href, 'yes'))).toMatch(/^Connected/);
      return id;
    },
    expire: (id: string): Promise<void> =>
      change(id, ({ tokens, ...others }) => ({
        ...others,
        ...(tokens && { tokens: { ...tokens, renewAt: new Date(0).toISOString() } }),
      })),
    statusOf: async (id: string): Promise<string> =>
      (await good<OAuthConnection>('GET', `/v1/connections/${id}`)).status,
  };
}
