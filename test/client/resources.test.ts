import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Posthorn } from '../../client/src/index.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('resources', () => {
  let posthorn: TestPosthorn;
  let packed: PackedClient;
  let client: Posthorn;
  beforeAll(async () => {
    [posthorn, packed] = await Promise.all([startPosthorn(), installClient()]);
    client = new packed.library.Posthorn({ baseUrl: posthorn.url, credentials: { apiKey: posthorn.keys.live } });
  });
  afterAll(async () => {
    packed.remove();
    await posthorn.stop();
  });

  test('a channel is made, changed, listed and deleted', async () => {
    const { data: made, status, requestId } = await client.channels.create({ name: 'orders' }).withAnswer();
    expect({ status, requestId }).toEqual({ status: 201, requestId: expect.any(String) });
    expect(await client.channels.get(made.id)).toEqual(made);
    const changed = await client.channels.update(made.id, { description: 'Orders', retentionDays: 3 });
    expect(changed).toMatchObject({ name: 'orders', description: 'Orders', retentionDays: 3 });
    expect(await client.channels.update(made.id, { description: null })).not.toHaveProperty('description');
    expect(await client.channels.delete(made.id)).toBeUndefined();
    const failure: unknown = await client.channels.get(made.id).catch((error: unknown) => error);
    expect(packed.library.isApiError(failure, 'NOT_FOUND')).toBe(true);
  });

  test('a resource can be sent back as it was read', async () => {
    const channel = await client.channels.create({ name: 'again' });
    expect(await client.channels.update(channel.id, channel)).toEqual(channel);
  });

  test('a list is read to its end, in pages and in items, and every item once', async () => {
    const { id } = await client.channels.create({ name: 'many' });
    const { ids } = await client.messages.publishBatch(id, {
      messages: Array.from({ length: 100 }, (_, number) => ({ eventType: 'order.created', payload: { number } })),
    });
    await client.messages.publish(id, { eventType: 'order.paid', payload: {} });
    const all = await client.messages.list(id).all();
    expect(all).toHaveLength(101);
    expect(new Set(all.map((message) => message.id)).size).toBe(101);
    const sizes: number[] = [];
    for await (const { data } of client.messages.list(id, { limit: 40, eventType: 'order.created' }).pages())
      sizes.push(data.length);
    expect(sizes).toEqual([40, 40, 20]);
    const since = new Date(Date.now() - 3_600_000);
    const { data, pagination } = await client.messages.list(id, { limit: 1, since, until: new Date(0) }).page();
    expect([data, pagination]).toEqual([[], { hasMore: false }]);
    expect(all.map((message) => message.id)).toEqual(expect.arrayContaining([...ids]));
  });

  test('digits are kept on the way in, and can be read on the way out', async () => {
    const { id } = await client.channels.create({ name: 'digits' });
    const { rawJson } = packed.library;
    const first = await client.messages.publish(
      id,
      '{"eventType":"a","payload":{"amount":12.50,"n":12345678901234567890}}',
    );
    const second = await client.messages.publish(id, { eventType: 'a', payload: { amount: rawJson('12.50') } });
    expect((await client.messages.get(first.id).withAnswer()).text).toContain(
      '"payload":{"amount":12.50,"n":12345678901234567890}',
    );
    expect((await client.messages.get(second.id).withAnswer()).text).toContain('"payload":{"amount":12.50}');
  });

  test('a refusal has the field and the reason of the service', async () => {
    const call = client.channels.create({ name: '' });
    await expect(call).rejects.toMatchObject({
      name: 'ApiError',
      code: 'INVALID_REQUEST',
      status: 400,
      details: { field: 'name', reason: expect.any(String) },
      requestId: expect.any(String),
    });
  });

  test('the audit log is exported line by line', async () => {
    await client.channels.create({ name: 'told' });
    const lines = [];
    for await (const line of client.audit.export({ action: 'channel.created' })) lines.push(line.entry.action);
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines)).toEqual(new Set(['channel.created']));
  });

  test('an endpoint without a method is reached with the same credentials', async () => {
    const page = await client.request({ method: 'GET', path: '/v1/channels', query: { limit: 1 } });
    expect(page).toMatchObject({ data: [expect.any(Object)] });
  });

  describe('a webhook', () => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await startReceiver();
    });
    afterAll(() => receiver.close());

    test('from the service verifies by its secret, and by both while that is rotated', async () => {
      const { id: channelId } = await client.channels.create({ name: 'delivered' });
      const { id } = await client.subscriptions.create({ channelId, webhookUrl: receiver.url });
      const { secret: old } = await client.subscriptions.getSecret(id);
      const { secret } = await client.subscriptions.rotateSecret(id);
      const message = await client.messages.publish(channelId, '{"eventType":"order.paid","payload":{"amount":1.10}}');
      const request = await waitFor('the webhook', () => receiver.requests[0]);
      const { verifyWebhook } = packed.library;
      for (const secrets of [old, secret, [old, secret]]) {
        const verified = await verifyWebhook(request.body, request.headers, secrets);
        expect(verified.event).toMatchObject({ id: message.id, type: 'order.paid', channelId, data: { amount: 1.1 } });
        expect(verified.text).toContain('"amount":1.10');
      }
      const rewritten = JSON.stringify(JSON.parse(request.body));
      await expect(verifyWebhook(rewritten, request.headers, secret)).rejects.toMatchObject({
        problem: 'no_matching_signature',
        message: expect.stringContaining('JSON.stringify'),
      });
    });
  });

  describe('with a proxy that loses answers', () => {
    let proxy: Server;
    let losses = 0;
    let seen: { key: string | undefined; status: number }[] = [];
    let flaky: Posthorn;
    beforeAll(async () => {
      proxy = createServer((incoming, outgoing) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const headers = { ...incoming.headers } as Record<string, string>;
          delete headers['host'];
          delete headers['connection'];
          delete headers['content-length'];
          const { method = 'GET', url = '' } = incoming;
          const body = Buffer.concat(chunks);
          void fetch(posthorn.url + url, { method, headers, ...(body.length > 0 && { body }) }).then(
            async (response) => {
              const text = await response.text();
              seen.push({ key: headers['idempotency-key'], status: response.status });
              // The service has done what it was asked for; its caller does not hear of it.
              if (losses-- > 0) {
                outgoing.destroy();
                return;
              }
              const replayed = response.headers.get('idempotent-replayed');
              outgoing
                .writeHead(response.status, { ...(replayed !== null && { 'idempotent-replayed': replayed }) })
                .end(text);
            },
          );
        });
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      // `as`: a server that listens on TCP has no other kind of address.
      const { port } = proxy.address() as AddressInfo;
      const credentials = { apiKey: posthorn.keys.live };
      flaky = new packed.library.Posthorn({ baseUrl: `http://127.0.0.1:${port}`, credentials });
    });
    afterAll(async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    });

    test('a message whose answer is lost twice is published once, and shown as replayed', async () => {
      const { id } = await client.channels.create({ name: 'lossy' });
      [losses, seen] = [2, []];
      const { data, isReplayed } = await flaky.messages.publish(id, { eventType: 'a', payload: {} }).withAnswer();
      expect(seen).toHaveLength(3);
      expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
      expect(isReplayed).toBe(true);
      expect((await client.messages.list(id).all()).map((message) => message.id)).toEqual([data.id]);
    });

    test('a change whose answer is lost is not sent again', async () => {
      const { id } = await client.channels.create({ name: 'changed once' });
      [losses, seen] = [1, []];
      await expect(flaky.channels.update(id, { name: 'twice?' })).rejects.toMatchObject({ name: 'ConnectionError' });
      expect(seen).toEqual([{ key: undefined, status: 200 }]);
    });
  });

  test('a client without credentials reaches what is for anyone, and is refused elsewhere', async () => {
    const stranger = new packed.library.Posthorn({ baseUrl: posthorn.url });
    expect((await stranger.oauth.getMetadata()).issuer).toBe(posthorn.deps.config.publicBaseUrl);
    await expect(stranger.channels.list().page()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await setUp(posthorn);
    await expect(stranger.signIn.byPassword({ email: OWNER.email, password: 'wrong' })).rejects.toMatchObject({
      name: 'ApiError',
    });
  });
});

describe('stream', () => {
  const BEGINNING = new Date(0);

  let posthorn: TestPosthorn;
  let packed: PackedClient;
  let proxy: TcpProxy;
  let client: Posthorn;
  let channelId: string;
  beforeAll(async () => {
    [posthorn, packed] = await Promise.all([startPosthorn({ withWorker: false }), installClient()]);
    proxy = await startTcpProxy(posthorn.url);
    client = new packed.library.Posthorn({ baseUrl: proxy.url, credentials: { apiKey: posthorn.keys.live } });
    channelId = (await client.channels.create({ name: 'streamed' })).id;
  });
  afterAll(async () => {
    await proxy.stop();
    packed.remove();
    await posthorn.stop();
  });

  const publish = async (number: number): Promise<void> => {
    const { status } = await posthorn.request('POST', `/v1/channels/${channelId}/messages`, {
      eventType: number % 2 === 0 ? 'order.even' : 'order.odd',
      payload: { number },
    });
    expect(status).toBe(202);
  };

  test('a reader whose connection is cut sees every message once, in order', async () => {
    const stopping = new AbortController();
    const seen: unknown[] = [];
    await publish(0);
    await publish(1);
    const stream = client.messages.stream(channelId, { since: BEGINNING }, { signal: stopping.signal });
    for await (const { message, text, eventId } of stream) {
      seen.push(message.payload?.['number']);
      expect(JSON.parse(text)).toEqual(message);
      expect(eventId).toBe(stream.lastEventId);
      const next = seen.length;
      if (next === 2 || next === 4) {
        await proxy.cut();
        await publish(next);
        await publish(next + 1);
        await proxy.mend();
      }
      if (next === 6) stopping.abort();
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
  }, 60_000);

  test('a stream is narrowed to event types, and goes on behind a remembered event in another reader', async () => {
    const first = client.messages.stream(channelId, { since: BEGINNING, eventTypes: ['order.even'] });
    let remembered = '';
    for await (const { eventId, message } of first) {
      expect(message.eventType).toBe('order.even');
      remembered = eventId;
      break;
    }
    const stopping = new AbortController();
    const options = { lastEventId: remembered, signal: stopping.signal };
    const numbers: unknown[] = [];
    for await (const { message } of client.messages.stream(channelId, { eventTypes: ['order.even'] }, options)) {
      numbers.push(message.payload?.['number']);
      if (numbers.length === 2) stopping.abort();
    }
    expect(numbers).toEqual([2, 4]);
  });

  test('the stream of a channel that is not there is refused at once', async () => {
    const reading = (async () => {
      for await (const _ of client.messages.stream('chn_none')) throw new Error('no message was published');
    })();
    await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('tokens', () => {
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
});
