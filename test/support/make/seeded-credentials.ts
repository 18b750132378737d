import { randomBytes } from 'node:crypto';

type Make = (path: string, body: Record<string, unknown>) => Promise<{ id: string }>;

/**
 * Creates two secrets and two connections of an environment, so that lists of them have a second page. Returns the ids of the last
 * ones.
 */
export async function seedCredentials(make: Make, name: string): Promise<{ secretId: string; connectionId: string }> {
  const ids = { secretId: '', connectionId: '' };
  for (const _ of [1, 2]) {
    // A secret's name is unique, and not free text.
    const secretName = `S${randomBytes(8).toString('hex').toUpperCase()}`;
    ids.secretId = (await make('/v1/secrets', { name: secretName, value: 'a token' })).id;
    // Its test sends a request to an address where nothing listens.
    const at = 'http://127.0.0.1:9999';
    const addresses = { baseUrl: at, authorizationUrl: `${at}/auth`, tokenUrl: `${at}/token` };
    const credentials = { ...addresses, clientId: 'posthorn', clientSecret: 'a secret' };
    ids.connectionId = (await make('/v1/connections', { connectorId: 'http-oauth', name, credentials })).id;
  }
  return ids;
}
