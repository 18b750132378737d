import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Posthorn } from '../../client/src/index.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

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
        void fetch(posthorn.url + url, { method, headers, ...(body.length > 0 && { body }) }).then(async (response) => {
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
        });
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
