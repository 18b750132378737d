import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/messaging/channels/schema.ts';
import type { Method } from '../../src/api/http/route/route.ts';
import type { Subscription } from '../../src/messaging/subscriptions/schema.ts';
import { createChannel, createSubscription, type PageJson, publish } from '../support/make/factories.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';
import { BEGINNING, openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('resources over http', () => {
  const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  const HOOK = 'http://127.0.0.1:9999/hook';
  const MISSING = `${'0'.repeat(26)}`;

  type ErrorBody = { error: { code: string; message: string; details?: { field: string; reason: string } } };

  let service: TestPosthorn;
  let channel: { id: string };
  beforeAll(async () => {
    service = await startPosthorn({ withWorker: false });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    channel = await createChannel(service, { description: 'all orders' });
  });

  const subscribe = (fields: object = {}) =>
    createSubscription(service, { channelId: channel.id, webhookUrl: HOOK, ...fields });
  const refused = async (method: Method, path: string, body?: unknown) => {
    const answer = await service.request<ErrorBody>(method, path, body);
    return { status: answer.status, code: answer.body.error.code, field: answer.body.error.details?.field };
  };
  const rowCounts = async () => [
    await service.deps.db.channel.count(),
    await service.deps.db.subscription.count(),
    await service.deps.db.subscriptionSecret.count(),
  ];

  describe('channels over HTTP', () => {
    test('are created with 201, times in UTC, and without fields that have no value', async () => {
      const answer = await service.request<Channel>('POST', '/v1/channels', { name: 'orders' });
      expect(answer.status).toBe(201);
      expect(answer.body).toStrictEqual({
        id: expect.stringMatching(/^chn_/),
        name: 'orders',
        status: 'active',
        retentionDays: 30,
        createdAt: expect.stringMatching(ISO_UTC),
        updatedAt: expect.stringMatching(ISO_UTC),
      });
      expect(await service.request('GET', `/v1/channels/${answer.body.id}`)).toMatchObject({
        status: 200,
        body: answer.body,
      });
    });

    test('distinguish null and absent fields in a patch', async () => {
      const { body } = await service.request(
        'PATCH',
        `/v1/channels/${channel.id}`,
        '{"description":null,"name":"new"}',
      );
      expect(body).toMatchObject({ name: 'new', retentionDays: 30 });
      expect(body).not.toHaveProperty('description');
    });

    test('are listed in pages connected by the cursor', async () => {
      const second = await createChannel(service);
      const first = await service.request<PageJson<Channel>>('GET', '/v1/channels?limit=1');
      expect(first.status).toBe(200);
      expect(first.body.data.map(({ id }) => id)).toEqual([second.id]);
      const { cursor = '' } = first.body.pagination;
      const next = await service.request<PageJson<Channel>>('GET', `/v1/channels?limit=1&cursor=${cursor}`);
      expect(next.body.data).toStrictEqual([channel]);
      expect(await refused('GET', `/v1/subscriptions?cursor=${cursor}`)).toMatchObject({
        status: 400,
        field: 'cursor',
      });
    });

    test('that are deleted with 204 are then missing for reading, patching, publishing and subscribing', async () => {
      const { id } = await subscribe();
      const answer = await service.request('DELETE', `/v1/channels/${channel.id}`);
      expect([answer.status, answer.body]).toEqual([204, undefined]);
      const path = `/v1/channels/${channel.id}`;
      const missing = { status: 404, code: 'NOT_FOUND' };
      expect(await refused('GET', path)).toMatchObject(missing);
      expect(await refused('PATCH', path, { name: 'x' })).toMatchObject(missing);
      expect(await refused('DELETE', path)).toMatchObject(missing);
      expect(await refused('POST', `${path}/messages`, { eventType: 'a', payload: {} })).toMatchObject(missing);
      expect(await refused('GET', `/v1/subscriptions/${id}`)).toMatchObject(missing);
      expect(await refused('POST', '/v1/subscriptions', { channelId: channel.id, webhookUrl: HOOK })).toMatchObject({
        status: 400,
        field: 'channelId',
      });
    });

    test('that are archived respond with 409 to other patches, to publishing and to subscribing', async () => {
      const path = `/v1/channels/${channel.id}`;
      await service.request('PATCH', path, { status: 'archived' });
      const conflict = { status: 409, code: 'CONFLICT' };
      const before = await rowCounts();
      expect(await refused('PATCH', path, { name: 'x' })).toMatchObject(conflict);
      expect(await refused('POST', `${path}/messages`, { eventType: 'a', payload: {} })).toMatchObject(conflict);
      expect(await refused('POST', '/v1/subscriptions', { channelId: channel.id, webhookUrl: HOOK })).toMatchObject(
        conflict,
      );
      expect(await rowCounts()).toEqual(before);
      expect((await service.request<Channel>('GET', path)).body).toMatchObject({ name: 'orders' });
    });

    test.each<[Method, string, unknown, string]>([
      ['POST', '/v1/channels', {}, 'name'],
      ['POST', '/v1/channels', { name: 'x', retentionDays: 1e9 }, 'retentionDays'],
      ['POST', '/v1/channels', { name: 'a\u0000b' }, 'name'],
      ['POST', '/v1/channels', '{"name":"x","schema":{"maximum":1e400}}', 'schema.maximum'],
      ['POST', '/v1/channels', '[]', 'body'],
      ['GET', '/v1/channels?status=disabled', undefined, 'status'],
      ['GET', '/v1/channels?limit=0', undefined, 'limit'],
      ['GET', '/v1/channels?cursor=x', undefined, 'cursor'],
      ['POST', '/v1/subscriptions', { channelId: 'x' }, 'webhookUrl'],
      ['POST', '/v1/subscriptions', { channelId: `chn_${MISSING}`, webhookUrl: HOOK }, 'channelId'],
      ['POST', '/v1/subscriptions', { channelId: 'x', webhookUrl: 'ftp://example.com' }, 'webhookUrl'],
      [
        'POST',
        '/v1/subscriptions',
        { channelId: 'x', webhookUrl: HOOK, retryPolicy: { maxRetrys: 1 } },
        'retryPolicy.maxRetrys',
      ],
      ['POST', '/v1/subscriptions', { channelId: 'x', webhookUrl: HOOK, eventTypes: ['a', 'b*'] }, 'eventTypes[1]'],
      ['GET', '/v1/subscriptions?status=archived', undefined, 'status'],
    ])('%s %s with %j names the field %s and stores nothing', async (method, path, body, field) => {
      const before = await rowCounts();
      expect(await refused(method, path, body)).toEqual({ status: 400, code: 'INVALID_REQUEST', field });
      expect(await rowCounts()).toEqual(before);
    });

    test('with an empty patch respond with 400, as subscriptions do', async () => {
      const { id } = await subscribe();
      expect(await refused('PATCH', `/v1/channels/${channel.id}`, {})).toMatchObject({ status: 400, field: 'body' });
      expect(await refused('PATCH', `/v1/subscriptions/${id}`, {})).toMatchObject({ status: 400, field: 'body' });
    });
  });

  describe('subscriptions over HTTP', () => {
    test('are created with 201, then paused, resumed, patched and deleted', async () => {
      const made = await service.request<Subscription>('POST', '/v1/subscriptions', {
        channelId: channel.id,
        webhookUrl: HOOK,
      });
      expect(made).toMatchObject({ status: 201, body: { status: 'active', name: '127.0.0.1:9999' } });
      const path = `/v1/subscriptions/${made.body.id}`;
      expect(await service.request('POST', `${path}/pause`)).toMatchObject({ status: 200, body: { status: 'paused' } });
      expect(await service.request('POST', `${path}/resume`)).toMatchObject({
        status: 200,
        body: { status: 'active' },
      });
      expect(await service.request('PATCH', path, { retryPolicy: { maxRetries: 1 } })).toMatchObject({
        status: 200,
        body: { retryPolicy: { maxRetries: 1, initialDelay: 5_000 } },
      });
      const list = await service.request<PageJson<Subscription>>('GET', `/v1/subscriptions?channelId=${channel.id}`);
      expect(list).toMatchObject({
        status: 200,
        body: { data: [{ id: made.body.id }], pagination: { hasMore: false } },
      });
      expect(await service.request('DELETE', path)).toMatchObject({ status: 204, body: undefined });
      expect(await refused('GET', path)).toMatchObject({ status: 404 });
    });

    test('show their secret only at its own endpoint, to callers who may write', async () => {
      const { id } = await subscribe();
      const path = `/v1/subscriptions/${id}`;
      const scopes = ['subscriptions:read'];
      const reader = (await service.request<{ key: string }>('POST', '/v1/api-keys', { name: 'reader', scopes })).body;
      const shown = await service.request<{ secret: string }>('GET', `${path}/secret`);
      expect(shown).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^whsec_/) } });
      expect(await service.request('GET', `${path}/secret`, undefined, reader)).toMatchObject({ status: 403 });
      expect(await service.request('POST', `${path}/secret/rotate`, undefined, reader)).toMatchObject({ status: 403 });
      expect(JSON.stringify((await service.request('GET', path, undefined, reader)).body)).not.toMatch(/secret|whsec/);
      expect((await service.request('GET', `${path}/secret`)).body).toStrictEqual(shown.body);
    });

    test('rotate their secret without a body, and with an overlap', async () => {
      const { id } = await subscribe();
      const path = `/v1/subscriptions/${id}/secret`;
      const rotated = await service.request<{ secret: string }>('POST', `${path}/rotate`);
      expect(rotated.status).toBe(200);
      expect((await service.request('GET', path)).body).toStrictEqual(rotated.body);
      expect(await service.request('POST', `${path}/rotate`, { overlapHours: 0 })).toMatchObject({ status: 200 });
      expect(await service.deps.db.subscriptionSecret.count({ where: { subscriptionId: id } })).toBe(1);
      expect(await refused('POST', `${path}/rotate`, { overlapHours: 169 })).toMatchObject({ field: 'overlapHours' });
      expect(await service.deps.db.subscriptionSecret.count({ where: { subscriptionId: id } })).toBe(1);
    });

    test('accept a test message of their own, with or without a body', async () => {
      const [target, other] = [await subscribe({ eventTypes: ['nothing'] }), await subscribe()];
      const answer = await service.request('POST', `/v1/subscriptions/${target.id}/test`);
      expect(answer).toMatchObject({ status: 202, body: { channelId: channel.id, deliveryStatus: 'pending' } });
      await service.request('POST', `/v1/subscriptions/${target.id}/test`, { eventType: 'a.b', payload: { x: 1 } });
      expect(await service.deps.db.delivery.count({ where: { subscriptionId: target.id } })).toBe(2);
      expect(await service.deps.db.delivery.count({ where: { subscriptionId: other.id } })).toBe(0);
      const broken = await refused('POST', `/v1/subscriptions/${target.id}/test`, { payload: [] });
      expect(broken).toMatchObject({ status: 400, field: 'payload' });
      expect(await refused('POST', `/v1/subscriptions/sub_${MISSING}/test`)).toMatchObject({ status: 404 });
    });

    test('end their deliveries when their channel is deleted, and the messages stay readable', async () => {
      const { id } = await subscribe();
      const message = await publish(service, channel.id);
      await service.request('DELETE', `/v1/channels/${channel.id}`);
      expect(await service.deps.db.delivery.findMany({ where: { subscriptionId: id } })).toMatchObject([
        { status: 'failed', failureReason: 'subscription_deleted', dueAt: null },
      ]);
      expect(await service.request('GET', `/v1/messages/${message.id}`)).toMatchObject({
        status: 200,
        body: { deliveryStatus: 'failed' },
      });
      expect((await service.request<PageJson<unknown>>('GET', '/v1/dlq')).body.data).toEqual([]);
    });
  });

  test('the other environment gets 404 with the text of a missing id, on every path, and changes nothing', async () => {
    const { id } = await subscribe();
    const before = [
      await service.request('GET', `/v1/channels/${channel.id}`),
      await service.request('GET', `/v1/subscriptions/${id}`),
    ].map(({ body }) => body);
    const calls: [Method, string, unknown?][] = [
      ['GET', '/v1/channels/:channel'],
      ['PATCH', '/v1/channels/:channel', { name: 'x' }],
      ['DELETE', '/v1/channels/:channel'],
      ['GET', '/v1/subscriptions/:subscription'],
      ['PATCH', '/v1/subscriptions/:subscription', { name: 'x' }],
      ['DELETE', '/v1/subscriptions/:subscription'],
      ['POST', '/v1/subscriptions/:subscription/pause'],
      ['POST', '/v1/subscriptions/:subscription/resume'],
      ['POST', '/v1/subscriptions/:subscription/test'],
      ['GET', '/v1/subscriptions/:subscription/secret'],
      ['POST', '/v1/subscriptions/:subscription/secret/rotate'],
    ];
    for (const [method, path, body] of calls) {
      const foreign = path.replace(':channel', channel.id).replace(':subscription', id);
      const missing = path.replace(':channel', `chn_${MISSING}`).replace(':subscription', `sub_${MISSING}`);
      const answer = await service.request(method, foreign, body, { key: service.keys.test });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body).toStrictEqual(
        (await service.request(method, missing, body, { key: service.keys.test })).body,
      );
    }
    const after = [
      await service.request('GET', `/v1/channels/${channel.id}`),
      await service.request('GET', `/v1/subscriptions/${id}`),
    ].map(({ body }) => body);
    expect(after).toStrictEqual(before);
  });
});

describe('match literal', () => {
  // The path also matched that of one session, so that Allow named DELETE as well as POST.
  test.each([
    ['DELETE', '/v1/sessions/revoke-others', 'POST'],
    ['OPTIONS', '/v1/user/passkeys/options', 'POST'],
    ['GET', '/v1/messages/batch', 'POST'],
    ['DELETE', '/v1/dlq/replay', 'GET, HEAD, POST'],
  ])(
    'another method of a literal path is not allowed, and Allow names only its own: %s %s',
    async (method, path, allow) => {
      const { status, headers } = await fetch(posthorn.url + path, {
        method,
        headers: { authorization: `Bearer ${posthorn.keys.live}` },
      });
      expect([status, headers.get('allow')]).toEqual([405, allow]);
    },
  );
});

describe('never null', () => {
  const PERSONAL = { eventType: 'customer.changed', payload: { name: 'Elfriede' }, metadata: { contact: 'Elfriede' } };

  // Regression: the row's NULL was written as `payload: null`, although no other absent value is ever null.
  test.each([
    ['published', {}],
    ['waiting for its time', { delay: 86_400_000 }],
  ])('an erased message that was %s has no payload, wherever it is shown', async (_, when) => {
    const channel = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'customers' });
    const path = `/v1/channels/${channel.id}/messages`;
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const send = () => posthorn.request('POST', path, { ...PERSONAL, ...when }, { headers });
    const { body: accepted } = await send();
    const address = `/v1/messages/${String(accepted['id'])}`;
    expect((await posthorn.request('DELETE', address)).status).toBe(204);

    const { body: shown } = await posthorn.request('GET', address);
    expect(shown).toMatchObject({ id: accepted['id'], eventType: 'customer.changed' });
    const { body: repeated, status, headers: answered } = await send();
    expect([status, answered.get('idempotent-replayed'), repeated['id']]).toEqual([202, 'true', accepted['id']]);
    const { body: listed } = await posthorn.request<{ data: Record<string, unknown>[] }>('GET', path);
    const scheduled = `/v1/channels/${channel.id}/scheduled?status=cancelled`;
    const { body: cancelled } = await posthorn.request<{ data: Record<string, unknown>[] }>('GET', scheduled);
    const seen = [shown, repeated, ...listed.data, ...cancelled.data];
    expect(seen).toHaveLength(3);
    if (listed.data.length > 0) {
      const stream = `${posthorn.url}/v1/channels/${channel.id}/stream?${BEGINNING}`;
      const reader = await openStream({ url: stream, key: posthorn.keys.live });
      const [event] = await reader.waitForEvents(1);
      seen.push(JSON.parse(event?.data ?? '') as Record<string, unknown>);
      reader.close();
    }
    for (const each of seen) {
      expect(each['id']).toBe(accepted['id']);
      expect(Object.keys(each)).not.toContain('payload');
      expect(Object.keys(each)).not.toContain('metadata');
      expect(JSON.stringify(each)).not.toContain('null');
    }
  });
});
