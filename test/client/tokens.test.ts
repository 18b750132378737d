import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Posthorn } from '../../client/src/index.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';

let packed: PackedClient;
beforeAll(async () => {
  packed = await installClient();
});
afterAll(() => packed.remove());

type Seen = { path: string; headers: Headers; status: number };

/** A client with a new machine credential, and all that it sends. */
async function createClient(posthorn: TestPosthorn, scopes?: readonly string[]) {
  const { body } = await posthorn.request<{ id: string; clientSecret: string }>('POST', '/v1/machine-credentials', {
    name: 'till',
  });
  const seen: Seen[] = [];
  const client: Posthorn = new packed.library.Posthorn({
    baseUrl: posthorn.url,
    credentials: {
      clientId: body.id,
      clientSecret: body.clientSecret,
      publicBaseUrl: posthorn.deps.config.publicBaseUrl,
      ...(scopes && { scopes }),
    },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      seen.push({
        path: new URL(new Request(input).url).pathname,
        headers: new Headers(init?.headers),
        status: response.status,
      });
      return response;
    },
  });
  const exchanges = () => seen.filter(({ path }) => path === '/oauth/token');
  return { client, seen, exchanges, id: body.id, secret: body.clientSecret };
}

describe('a machine credential', () => {
  let posthorn: TestPosthorn;
  let made: Awaited<ReturnType<typeof createClient>>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
  });
  afterAll(() => posthorn.stop());
  beforeEach(async () => {
    made = await createClient(posthorn);
  });

  test('gets one token for many calls at a time, and proves each of them anew with one key', async () => {
    const { client, seen, exchanges, secret } = made;
    const channel = await client.channels.create({ name: 'till' });
    await Promise.all(Array.from({ length: 20 }, () => client.channels.get(channel.id)));
    await client.messages.publish(channel.id, { eventType: 'sold', payload: { pence: 250 } });
    expect((await client.messages.list(channel.id, { limit: 5 }).page()).data).toHaveLength(1);
    expect(exchanges()).toHaveLength(1);
    const calls = seen.filter(({ path }) => path !== '/oauth/token');
    expect(calls).toHaveLength(23);
    const proofs = seen.map(({ headers }) => headers.get('dpop') ?? '');
    expect(new Set(proofs.map((proof) => decodeJwt(proof).jti)).size).toBe(24);
    expect(new Set(proofs.map((proof) => JSON.stringify(decodeProtectedHeader(proof).jwk))).size).toBe(1);
    for (const { headers } of calls) expect(headers.get('authorization')).toMatch(/^DPoP ey/);
    expect(JSON.stringify(seen.map(({ headers }) => [...headers]))).not.toContain(secret.slice(4));
  });

  test('at the same time for its first calls as well, which share the exchange', async () => {
    const { client, exchanges } = made;
    await Promise.all(Array.from({ length: 5 }, () => client.channels.list({ limit: 1 }).page()));
    expect(exchanges()).toHaveLength(1);
  });

  test('gets a new token when the old one is refused, once for all calls, and the calls succeed', async () => {
    const { client, exchanges, id, seen } = made;
    await client.channels.list().page();
    await posthorn.deps.db.machineCredential.update({ where: { id }, data: { epoch: { increment: 1 } } });
    const late = Date.now() + 30_000;
    // A credential is believed for 5 s.
    while (!seen.some(({ status }) => status === 401) && Date.now() < late)
      await Promise.all([client.channels.list().page(), client.channels.list().page()]);
    expect(seen.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    expect(exchanges()).toHaveLength(2);
  }, 60_000);

  test('that was revoked is refused after one more exchange, and no further one', async () => {
    const { client, exchanges, id } = made;
    await client.channels.list().page();
    await posthorn.request('DELETE', `/v1/machine-credentials/${id}`);
    await expect(client.channels.list().page()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      oauthError: 'invalid_client',
    });
    expect(exchanges()).toHaveLength(2);
  });

  test('has only the scopes that it asks for', async () => {
    const { client } = await createClient(posthorn, ['channels:read']);
    await client.channels.list().page();
    await expect(client.channels.create({ name: 'x' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      oauthError: 'insufficient_scope',
    });
  });

  test('a caller who stops waiting for the token leaves it to the others', async () => {
    const { client, exchanges } = made;
    const stopping = new AbortController();
    const stopped = client.channels.list({}, { signal: stopping.signal }).page();
    const other = client.channels.list().page();
    stopping.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    expect((await other).data).toBeInstanceOf(Array);
    expect(exchanges()).toHaveLength(1);
  });
});

describe('a service that asks for nonces', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false, variables: { DPOP_NONCES: 'true' } });
  });
  afterAll(() => posthorn.stop());

  test('is answered with the nonce at the second try, and at the first one from then on', async () => {
    const { client, seen } = await createClient(posthorn);
    await client.channels.create({ name: 'nonces' });
    await client.channels.list().page();
    expect(seen.map(({ path, status }) => [path, status])).toEqual([
      ['/oauth/token', 400],
      ['/oauth/token', 200],
      ['/v1/channels', 201],
      ['/v1/channels', 200],
    ]);
  });
});
