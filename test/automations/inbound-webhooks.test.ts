import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEventTypeExpressions } from '../../src/inbound/mapping.ts';
import { createReceiveWebhook } from '../../src/inbound/receive.ts';
import { readJson } from '../../src/api/http/reading/parse-body.ts';
import { createFetchText } from '../../src/platform/outbound/fetch-text.ts';
import { createAddressGuard } from '../../src/platform/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../src/platform/outbound/guard/own-addresses.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { github, inboundCalls, type Refusal, SECRET } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { startRawReceiver } from '../support/world/raw-receiver.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('inbound webhooks', () => {
  let receiver: Receiver;
  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    receiver = await startReceiver();
    calls = inboundCalls(posthorn);
  });
  afterAll(async () => {
    await receiver.close();
  });

  describe('a request with a valid signature', () => {
    test('becomes a message that is delivered, digit for digit, and names its webhook', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      await calls.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
      const body = '{"ref":"refs/heads/main",  "size": 12345678901234567890.10}';
      const {
        status,
        headers,
        body: answer,
      } = await calls.send(webhook.id, body, github(body, 'd-1'), '?added=by%20them');
      expect([status, answer]).toEqual([200, { received: true, messageId: expect.stringMatching(/^msg_/) }]);
      expect(headers.get('x-ratelimit-limit')).toBe('600');
      expect(await calls.messageOf(answer.messageId)).toMatchObject({
        eventType: 'push',
        metadata: { webhookId: webhook.id, provider: 'github', eventId: 'd-1' },
      });
      const delivered = await waitFor('the delivery', () =>
        receiver.requests.find((request) => request.body.includes(answer.messageId)),
      );
      expect(delivered.body).toContain(body);
    });

    test.each([
      ['NUL', String.raw`{"a":"\u0000","\u0000exact":"1"}`],
      ['half of a surrogate pair', String.raw`{"a":"\ud83d"}`],
      ['a number beyond a double', '{"a":1e400,"b":-1E-400, "c":1.10}'],
      ['a prototype', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
      ['300 KiB', `{"a":"${'x'.repeat(300_000)}"}`],
      ['20,000 members', `{${Array.from({ length: 20_000 }, (_, n) => `"m${n}":${n}`).join()}}`],
      ['all of 1 MiB', `{"a":"${'x'.repeat(1_048_568)}"}`],
    ])('becomes a message digit for digit with %s, and every reader of it continues', async (_, body) => {
      const { webhook, channelId } = await calls.makeWebhook();
      const filter = 'payload.?a.orValue("") != 12345678901234567';
      await calls.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url, filter });
      const { status, body: answer } = await calls.send(webhook.id, body, github(body, 'odd'));
      expect(status).toBe(200);
      const delivered = await waitFor('the delivery', () =>
        receiver.requests.find((request) => request.body.includes(answer.messageId)),
      );
      expect(delivered.body).toContain(`"data":${body}`);
      expect(Object.keys({}.constructor.prototype as object)).toEqual([]);
      const reads = [
        `/v1/messages/${answer.messageId}`,
        `/v1/channels/${channelId}/messages`,
        `/v1/messages/export?channelId=${channelId}`,
        `/v1/messages/export?format=csv&channelId=${channelId}`,
        `/v1/search?q=${encodeURIComponent('payload.a="x"')}`,
        `/v1/search?q=${answer.messageId}`,
      ];
      for (const path of reads) expect([path, (await posthorn.request('GET', path)).status]).toEqual([path, 200]);
    });

    test('with the id of an earlier event returns the first message, whatever the body says', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const [one, other] = ['{"n":1}', '{"n":2}'];
      const first = await calls.send(webhook.id, one, github(one, 'same'));
      const again = await calls.send(webhook.id, other, github(other, 'same'));
      const next = await calls.send(webhook.id, one, github(one, 'next'));
      expect(again.body).toEqual(first.body);
      expect(next.body.messageId).not.toBe(first.body.messageId);
      expect(await calls.messagesIn(channelId)).toHaveLength(2);
    });

    test('fifty times at once is one message, and every response names it', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const body = '{"race":true}';
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => calls.send(webhook.id, body, github(body, 'raced'))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body: { messageId } }) => messageId)).size).toBe(1);
      expect(await calls.messagesIn(channelId)).toHaveLength(1);
    });

    test('to another webhook has its own event ids', async () => {
      const [one, other] = [await calls.makeWebhook(), await calls.makeWebhook()];
      const body = '{}';
      const first = await calls.send(one.webhook.id, body, github(body, 'd'));
      const second = await calls.send(other.webhook.id, body, github(body, 'd'));
      expect(first.body.messageId).not.toBe(second.body.messageId);
    });

    test("is accepted as a form with GitHub's JSON in a field", async () => {
      const { webhook } = await calls.makeWebhook();
      const body = `payload=${encodeURIComponent('{"zen":"Keep it simple"}')}`;
      const headers = { ...github(body, 'form'), 'content-type': 'application/x-www-form-urlencoded' };
      const { body: answer } = await calls.send(webhook.id, body, headers);
      expect((await calls.messageOf(answer.messageId)).payload).toEqual({ zen: 'Keep it simple' });
    });

    test.each(['?utm_source=hub', '?limit=many&cursor=none', '?a=1&a=2&a', '?%E0%A4%A=%', '?'])(
      'may have an unknown query: %s',
      async (query) => {
        const { webhook, channelId } = await calls.makeWebhook();
        const { status, body } = await calls.send(webhook.id, '{}', github('{}', 'queried'), query);
        expect([status, body]).toEqual([200, { received: true, messageId: expect.stringMatching(/^msg_/) }]);
        expect(await calls.messagesIn(channelId)).toHaveLength(1);
        expect(await calls.refusalsOf(webhook.id)).toEqual([]);
      },
    );

    test('is accepted at the address with a trailing slash, which other resources do not have', async () => {
      const { webhook } = await calls.makeWebhook();
      const body = '{"n":1}';
      const inspector = await calls.make('/v1/inspectors', { name: 'slash' });
      const post = async (path: string): Promise<number> =>
        (await fetch(`${posthorn.url}${path}`, { method: 'POST', body, headers: github(body, path.slice(-9)) })).status;
      expect(await post(`/v1/webhooks/${webhook.id}/?a=1`)).toBe(200);
      expect(await post(`/v1/webhooks/${webhook.id}//`)).toBe(404);
      expect(await post(`/v1/webhooks/${webhook.id}/secrets/rotate/`)).toBe(404);
      expect(await post(`/inspect/${inspector.id}/`)).toBe(200);
    });

    test('that is a ping is answered and becomes no message', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const body = '{"zen":"Design for failure."}';
      const { status, body: answer } = await calls.send(webhook.id, body, {
        ...github(body, 'p'),
        'x-github-event': 'ping',
      });
      expect([status, answer, await calls.messagesIn(channelId)]).toEqual([200, { received: true }, []]);
    });
  });

  describe('a request that is refused', () => {
    test('for its signature is INVALID_REQUEST, is in the log without its body, and may be repeated', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const body = '{"password":"hunter2"}';
      const bad = await calls.send<Refusal>(webhook.id, body, github(body, 'd-9', 'wrong'));
      expect([bad.status, bad.body.error.code, bad.body.error.details?.field]).toEqual([
        400,
        'INVALID_REQUEST',
        'signature',
      ]);
      const { 'x-hub-signature-256': _, ...none } = github(body, 'd-9');
      expect((await calls.send<Refusal>(webhook.id, body, none)).status).toBe(400);
      expect(await calls.messagesIn(channelId)).toEqual([]);
      const logged = await calls.refusalsOf(webhook.id);
      expect(logged.map(({ reason }) => reason)).toEqual(['signature_missing', 'signature_wrong']);
      expect(JSON.stringify(logged)).not.toContain('hunter2');
      expect(await calls.refusalsOf(webhook.id, '?reason=signature_wrong')).toHaveLength(1);
      expect((await calls.send(webhook.id, body, github(body, 'd-9'))).status).toBe(200);
    });

    test('for its signature by Discord is UNAUTHORIZED, which Discord tests before it accepts an address', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const secret = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
      const { webhook } = await calls.makeWebhook({ provider: 'discord', secrets: [secret] });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const send = (body: string, signed: string) =>
        calls.send<Refusal>(webhook.id, body, {
          'content-type': 'application/json',
          'x-signature-timestamp': timestamp,
          'x-signature-ed25519': sign(null, Buffer.from(timestamp + signed), privateKey).toString('hex'),
        });
      const bad = await send('{"type":1}', '{"type":2}');
      expect([bad.status, bad.body.error.code, bad.body.error.details?.field]).toEqual([
        401,
        'UNAUTHORIZED',
        'signature',
      ]);
      const { status, body } = await send('{"type":1}', '{"type":1}');
      expect([status, body]).toEqual([200, { type: 1 }]);
    });

    test('for an unknown webhook is NOT_FOUND with all headers, whatever the id looks like', async () => {
      for (const id of ['whk_00000000000000000000000000', 'x', 'whk_%00', 'msg_00000000000000000000000000']) {
        const { status, headers, body } = await calls.send<Refusal>(id, '{}', {});
        expect([id, status, body.error.code]).toEqual([id, 404, 'NOT_FOUND']);
        expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
      }
    });

    test('for its payload is INVALID_REQUEST with the field of the schema, and is accepted once the schema allows it', async () => {
      const schema = { type: 'object', required: ['order'] };
      const { webhook, channelId } = await calls.makeWebhook({}, { schema });
      const body = '{"n":1}';
      const { status, body: refused } = await calls.send<Refusal>(webhook.id, body, github(body, 'misfit'));
      expect([status, refused.error.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(await calls.refusalsOf(webhook.id)).toMatchObject([{ reason: 'payload_refused', eventId: 'misfit' }]);
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schema: null });
      expect((await calls.send(webhook.id, body, github(body, 'misfit'))).status).toBe(200);
    });

    test.each([
      ['no JSON', '{'],
      ['a number', '1'],
      ['nothing', ''],
    ])('for a body that is %s is INVALID_REQUEST', async (_, body) => {
      const { webhook } = await calls.makeWebhook();
      expect((await calls.send(webhook.id, body, github(body, 'd'))).status).toBe(400);
      expect(await calls.refusalsOf(webhook.id)).toMatchObject([{ reason: 'body_invalid' }]);
    });

    test('above 1 MiB is PAYLOAD_TOO_LARGE, and is not in the log', async () => {
      const { webhook } = await calls.makeWebhook();
      const body = JSON.stringify({ x: 'x'.repeat(1_048_576) });
      expect((await calls.send(webhook.id, body, github(body, 'large'))).status).toBe(413);
      expect(await calls.refusalsOf(webhook.id)).toEqual([]);
    });
  });

  describe('the state of the channel and of the webhook', () => {
    const body = '{"n":1}';

    test('paused: the request is accepted, waits, is deduplicated, and continues when the channel is active again', async () => {
      const { webhook, channelId } = await calls.makeWebhook({}, { status: 'paused' });
      const { status, body: answer } = await calls.send(webhook.id, body, github(body, 'held'));
      expect(status).toBe(200);
      expect((await calls.send(webhook.id, body, github(body, 'held'))).body).toEqual(answer);
      expect(await calls.messagesIn(channelId)).toEqual([]);
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
      await waitFor('the held message', async () => (await calls.messagesIn(channelId)).length === 1);
      expect((await calls.messagesIn(channelId)).map(({ id }) => id)).toEqual([answer.messageId]);
      expect((await calls.send(webhook.id, body, github(body, 'held'))).body).toEqual(answer);
    });

    test('archived, deleted or disabled: the request is a CONFLICT with a line in the log', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const refused = async (): Promise<[number, string | undefined]> => {
        const { status } = await calls.send(webhook.id, body, github(body, 'd'));
        return [status, (await calls.refusalsOf(webhook.id))[0]?.reason];
      };
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'disabled' });
      expect(await refused()).toEqual([409, 'webhook_disabled']);
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'active' });
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'archived' });
      expect(await refused()).toEqual([409, 'channel_archived']);
      await posthorn.request('DELETE', `/v1/channels/${channelId}`);
      expect(await refused()).toEqual([409, 'channel_deleted']);
      expect((await posthorn.request('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
      expect((await calls.send(webhook.id, body, github(body, 'd'))).status).toBe(404);
    });
  });
});

describe('webhook settings', () => {
  type Secrets = { secrets: { secret: string; createdAt: string; expiresAt?: string }[] };

  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    calls = inboundCalls(posthorn);
  });

  describe('secrets', () => {
    const body = '{}';
    let sent = 0;
    const statusWith = async (id: string, secret: string): Promise<number> =>
      (await calls.send(id, body, github(body, `s-${(sent += 1)}`, secret))).status;

    // Regression: the next rotation ended the oldest secret at once, whose requests were refused hours before the time that GET had
    // shown.
    test('are valid until the time that their rotation returned: a rotation beyond three older ones is a CONFLICT', async () => {
      const { webhook } = await calls.makeWebhook();
      const path = `/v1/webhooks/${webhook.id}/secrets`;
      const rotate = (fields: object) => posthorn.request<Secrets & Refusal>('POST', `${path}/rotate`, fields);
      const { body: shown } = await rotate({ secret: 'second' });
      expect(shown.secrets.map(({ secret, expiresAt }) => [secret, expiresAt !== undefined])).toEqual([
        ['second', false],
        [SECRET, true],
      ]);
      await rotate({ secret: 'third', overlapHours: 168 });
      await rotate({ secret: 'fourth', overlapHours: 168 });
      const all = ['fourth', 'third', 'second', SECRET];
      for (const secret of all) expect(await statusWith(webhook.id, secret)).toBe(200);
      const [oldest] = shown.secrets.slice(-1);
      const { status, body: refusal } = await rotate({ secret: 'fifth', overlapHours: 168 });
      expect([status, refusal.error.code]).toEqual([409, 'CONFLICT']);
      expect(refusal.error.message).toBe(
        `At most 3 older secrets can be valid in addition to the current one. The one created at ${oldest?.createdAt} is valid until ${oldest?.expiresAt}; rotate after that, or with overlapHours 0, which ends all older secrets now`,
      );
      const { body: kept } = await posthorn.request<Secrets>('GET', path);
      expect(kept.secrets.map(({ secret }) => secret)).toEqual(all);
      expect(kept.secrets.at(-1)?.expiresAt).toBe(oldest?.expiresAt);
    });

    test('that were replaced without an overlap are invalid', async () => {
      const { webhook } = await calls.makeWebhook();
      const path = `/v1/webhooks/${webhook.id}/secrets`;
      for (const body of [{ secret: 'second' }, { overlapHours: 0 }])
        expect((await posthorn.request('POST', `${path}/rotate`, body)).status).toBe(200);
      const { body: last } = await posthorn.request<Secrets>('GET', path);
      expect(last.secrets).toHaveLength(1);
      for (const secret of [SECRET, 'second']) expect(await statusWith(webhook.id, secret)).toBe(400);
      expect(await statusWith(webhook.id, String(last.secrets[0]?.secret))).toBe(200);
    });

    // Regression: of two secrets that a webhook was created with, one ended at the first rotation, whatever its overlap.
    test('of a webhook created with two are both valid alongside the next one', async () => {
      const { webhook } = await calls.makeWebhook({ secrets: ['one', 'two'] });
      const path = `/v1/webhooks/${webhook.id}/secrets/rotate`;
      expect((await posthorn.request('POST', path, { secret: 'three' })).status).toBe(200);
      for (const secret of ['one', 'two', 'three']) expect(await statusWith(webhook.id, secret)).toBe(200);
    });

    test('are encrypted in the database, and in no other response or the audit log', async () => {
      const { webhook } = await calls.makeWebhook();
      expect(JSON.stringify(webhook)).not.toContain(SECRET);
      const { rows } = await posthorn.deps.pool.query<{ ciphertext: string }>(
        'SELECT ciphertext FROM inbound_webhook_secrets WHERE inbound_webhook_id = $1',
        [webhook.id],
      );
      expect(rows).toEqual([{ ciphertext: expect.stringMatching(/^v1\.test\./) }]);
      const { body: log } = await posthorn.request<object>('GET', `/v1/audit?targetId=${webhook.id}`);
      expect(JSON.stringify(log)).toContain('webhook.created');
      expect(JSON.stringify(log)).not.toContain(SECRET);
    });

    test('are generated if the service lets its user choose one', async () => {
      const channel = await calls.make('/v1/channels', { name: 'in' });
      const made = await calls.make('/v1/webhooks', { name: 'own', channelId: channel.id });
      expect(made).toMatchObject({ scheme: 'body', url: expect.stringMatching(/\/v1\/webhooks\/whk_[0-9a-z]{26}$/) });
      const { body: shown } = await posthorn.request<Secrets>('GET', `/v1/webhooks/${made.id}/secrets`);
      expect(shown.secrets[0]?.secret).toMatch(/^whsec_/);
    });

    // Regression: Stripe shows its secret once it has the address, but an address was created only with the secret.
    test('are set later if the service shows its own once it has the address: until then its requests are told to retry', async () => {
      const channel = await calls.make('/v1/channels', { name: 'in' });
      const stripe = await calls.make('/v1/webhooks', { name: 'Stripe', channelId: channel.id, provider: 'stripe' });
      const path = `/v1/webhooks/${stripe.id}`;
      expect((await posthorn.request<Secrets>('GET', `${path}/secrets`)).body.secrets).toEqual([]);
      expect((await posthorn.request('GET', `${path}/sample`)).body).toMatchObject({ isSignable: false });
      expect((await posthorn.request('POST', `${path}/sample`, {})).status).toBe(409);

      const sent = await calls.send(stripe.id, '{"id":"evt_1"}', { 'stripe-signature': 't=1,v1=00' });
      expect([sent.status, sent.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await calls.refusalsOf(stripe.id)).toMatchObject([{ reason: 'secret_missing' }]);

      const rotate = (body: object) => posthorn.request<Refusal>('POST', `${path}/secrets/rotate`, body);
      const without = await rotate({});
      expect([without.status, without.body.error.details?.field]).toEqual([400, 'secret']);
      expect((await rotate({ secret: 'whsec_shown' })).status).toBe(200);
      expect((await posthorn.request('POST', `${path}/sample`, {})).body).toMatchObject({ outcome: 'received' });
    });
  });

  describe('schemes and mappings of a webhook', () => {
    const now = (): string => String(Math.floor(Date.now() / 1_000));

    test('may be a generic HMAC with its own time, an id by pointer and a type by CEL', async () => {
      const { webhook } = await calls.makeWebhook({
        provider: null,
        scheme: 'hmac',
        signature: {
          header: 'X-Sign',
          prefix: 'v1=',
          algorithm: 'sha512',
          encoding: 'base64',
          timestampHeader: 'X-Time',
        },
        eventId: { pointer: '/meta/id' },
        eventType: { cel: 'payload.total > 10 ? "order.large" : "order.small"' },
        payload: { fields: { total: '/total', first: '/items/0', none: '/nowhere' } },
      });
      const body = '{"meta":{"id":12345678901234567890},"total":11.50,"items":[{"a":1}]}';
      const time = now();
      const mac = createHmac('sha512', SECRET).update(`${time}.${body}`).digest('base64');
      const headers = { 'x-sign': `v1=${mac}`, 'x-time': time };
      const { status, body: answer } = await calls.send(webhook.id, body, headers);
      expect(status).toBe(200);
      expect(await calls.messageOf(answer.messageId)).toMatchObject({
        eventType: 'order.large',
        payload: { total: 11.5, first: { a: 1 } },
        metadata: { eventId: '12345678901234567890' },
      });
      const stale = await calls.send<Refusal>(webhook.id, body, { ...headers, 'x-time': String(Number(time) - 400) });
      expect(stale.status).toBe(400);
    });

    test('refuse a type that is missing in the request, while a literal one is always there', async () => {
      const { webhook } = await calls.makeWebhook({ eventType: { pointer: '/type' } });
      const body = '{}';
      const refused = await calls.send<Refusal>(webhook.id, body, github(body, 'd'));
      expect([refused.status, refused.body.error.details?.field]).toEqual([400, 'eventType']);
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventType: { literal: 'pushed' } });
      const { body: answer } = await calls.send(webhook.id, body, github(body, 'd'));
      expect((await calls.messageOf(answer.messageId)).eventType).toBe('pushed');
    });

    test.each([
      ['a pointer that leads nowhere', { pointer: '/id' }],
      ['a pointer to an empty text', { pointer: '/empty' }],
      ['a header that is not there', { header: 'X-Nowhere' }],
    ])('refuse an event id with %s, and log the refusal', async (_, eventId) => {
      const { webhook, channelId } = await calls.makeWebhook({ eventId });
      const body = '{"empty":""}';
      const refused = await calls.send<Refusal>(webhook.id, body, github(body, 'd'));
      expect([refused.status, refused.body.error.details]).toEqual([
        400,
        { field: 'eventId', reason: "was not found where the webhook's mapping looks for it" },
      ]);
      expect(await calls.refusalsOf(webhook.id)).toMatchObject([{ reason: 'mapping_failed' }]);
      expect(await calls.messagesIn(channelId)).toEqual([]);
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventId: null });
      expect((await calls.send(webhook.id, body, github(body, 'd'))).status).toBe(200);
    });

    test.each([
      ['scheme', { provider: 'github', scheme: 'stripe' }],
      ['signature', { scheme: 'hmac' }],
      ['signature', { provider: 'github', signature: { header: 'x' } }],
      ['signature.header', { scheme: 'token', signature: { header: 'Content-Length' } }],
      ['provider', { scheme: 'ed25519' }],
      ['eventType.cel', { eventType: { cel: 'payload.n + ' } }],
      ['eventType.cel', { eventType: { cel: 'payload.n == 1' } }],
      ['eventType.pointer', { eventType: { pointer: 'n' } }],
      ['secrets[0]', { scheme: 'standard', secrets: ['short'] }],
      ['channelId', { channelId: 'chn_00000000000000000000000000' }],
    ])('with a wrong %s are INVALID_REQUEST with the field', async (field, fields) => {
      const channel = await calls.make('/v1/channels', { name: 'in' });
      const whole = { name: 'x', channelId: channel.id, ...fields };
      const { status, body } = await posthorn.request<Refusal>('POST', '/v1/webhooks', whole);
      expect([status, body.error.details?.field]).toEqual([400, field]);
    });
  });
});

describe('inbound limits', () => {
  const REFUSALS = 5;

  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false, strangerRequestsPerMinute: REFUSALS });
    calls = inboundCalls(posthorn);
  });
  afterAll(() => posthorn.stop());

  test('a webhook has its own bucket, which its valid requests empty, and the next webhook has another', async () => {
    const [{ webhook }, { webhook: other }] = [await calls.makeWebhook(), await calls.makeWebhook()];
    const body = '{"n":1}';
    // One event repeatedly: it is one message, and each request counts.
    const again = (id: string) => calls.send<Refusal>(id, body, github(body, 'the-same'));
    for (let count = 0; count < 600; count += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => again(webhook.id)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    }
    let last = await again(webhook.id);
    // On a slow machine the minute may have ended, and a new one allows as many again.
    while (last.status === 200) last = await again(webhook.id);
    const { status, headers, body: refused } = last;
    expect([status, refused.error.code, headers.get('x-ratelimit-remaining')]).toEqual([429, 'RATE_LIMITED', '0']);
    expect(headers.get('retry-after')).toMatch(/^[1-9]/);
    expect((await again(other.id)).status).toBe(200);
  }, 300_000);

  test('an address whose requests are refused has a bucket for them, shown in the headers once it is empty', async () => {
    const { webhook } = await calls.makeWebhook();
    const { webhook: other } = await calls.makeWebhook();
    const body = '{"n":1}';
    const limitsOf = (headers: Headers) => ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));

    // Valid requests do not use the bucket of the address, and refused ones not that of the webhook.
    for (let count = 0; count < REFUSALS + 2; count += 1)
      expect((await calls.send(webhook.id, body, github(body, `good-${count}`))).status).toBe(200);
    for (let count = 0; count < REFUSALS; count += 1) {
      const forged = await calls.send(webhook.id, body, github(body, `forged-${count}`, 'wrong'));
      expect([forged.status, ...limitsOf(forged.headers)]).toEqual([400, '600', String(600 - REFUSALS - 3)]);
    }

    for (const id of [webhook.id, other.id]) {
      const { status, headers, body: refused } = await calls.send<Refusal>(id, body, github(body, 'late'));
      expect([status, refused.error.code, refused.error.message]).toEqual([
        429,
        'RATE_LIMITED',
        `More than ${REFUSALS} refused requests in 60 seconds`,
      ]);
      // Regression: the headers were those of the webhook, which had most of its requests left.
      expect(limitsOf(headers)).toEqual([String(REFUSALS), '0']);
      const waitSeconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000;
      expect(Math.abs(waitSeconds - Number(headers.get('retry-after')))).toBeLessThanOrEqual(2);
    }
    expect(await calls.refusalsOf(webhook.id)).toHaveLength(REFUSALS);
    expect(await calls.refusalsOf(other.id)).toEqual([]);
  });
});

describe('sns certificates', () => {
  /** Notifications whose certificate is requested from a server of this test instead of Amazon's. */
  const vectorsFile = new URL('../../src/inbound/providers/vectors.json', import.meta.url);
  type Vector = { provider: string; secret: string; now: number; body: string };
  const { vectors, snsCertificate } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as {
    vectors: Vector[];
    snsCertificate: string;
  };

  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    calls = inboundCalls(posthorn);
  });

  let certificates = 0;
  /** Creates a webhook, and returns its response to a notification while the certificate server responds like this, or is unreachable. */
  async function answeredWith(answer: string | undefined) {
    const vector = vectors.find(({ provider }) => provider === 'sns');
    if (vector === undefined) throw new Error('no vector of sns');
    const { webhook, channelId } = await calls.makeWebhook({
      provider: 'sns',
      scheme: 'sns',
      secrets: [vector.secret],
    });
    const trusted = makeCertificate(['127.0.0.1']);
    const server = await startRawReceiver(
      { onRequest: (socket) => socket.end(answer ?? '') },
      createTlsServer(trusted),
      'secureConnection',
    );
    if (answer === undefined) await server.stop();
    const rules = { allowCidrs: ['127.0.0.0/8'], allowHttp: false, own: createOwnAddresses([]) };
    const guard = createAddressGuard({ ...rules, trustedCertificates: [trusted.cert] });
    const fetchText = createFetchText({ guard, version: '0.0.0' });
    const { receive } = createReceiveWebhook(
      { ...posthorn.deps, clock: () => new Date(vector.now * 1_000) },
      {
        publishing: posthorn.services.publishing,
        expressions: createEventTypeExpressions(),
        fetchText: () => fetchText(`https://127.0.0.1:${server.port}/`),
      },
    );
    // Certificates are cached by their address.
    certificates += 1;
    const body = vector.body.replace('Service-1.pem', `Service-of${certificates}.pem`);
    const request = { target: '/', header: () => [], bytes: Buffer.from(body), readJson, address: '192.0.2.1' };
    const settled = await receive(webhook.id, request).then(
      (value) => ({ value }),
      (failure: unknown) => ({ failure }),
    );
    if (answer !== undefined) await server.stop();
    const refusals = (await calls.refusalsOf(webhook.id)).map(({ reason }) => reason);
    return { ...settled, refusals, messages: await calls.messagesIn(channelId) };
  }

  const http = (status: string, body = ''): string =>
    `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

  test('an available certificate proves its notification', async () => {
    const { value, messages } = { value: undefined, ...(await answeredWith(http('200 OK', snsCertificate))) };
    expect(value).toMatchObject({ received: true, messageId: messages[0]?.id });
  });

  // Regression: such a request was refused as an invalid signature, with 400: Amazon does not retry such a notification, and the
  // message was lost.
  test.each([
    ['cannot be reached', undefined],
    ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n-----BEGIN'],
    ['is at fault', http('503 Slow Down')],
    ['has too much to do', http('429 Too Many Requests')],
  ])('a certificate server that %s causes UNAVAILABLE, which Amazon retries, and no refusal', async (_, answer) => {
    expect(await answeredWith(answer)).toMatchObject({
      failure: { code: 'UNAVAILABLE', retryAfter: expect.any(Number) },
      refusals: [],
      messages: [],
    });
  });

  test.each([
    ['a certificate that does not fit', http('200 OK', makeCertificate(['127.0.0.1']).cert)],
    ['a text that is no certificate', http('200 OK', 'hello')],
    ['no such certificate', http('403 Forbidden')],
  ])('%s is an invalid signature', async (_, answer) => {
    expect(await answeredWith(answer)).toMatchObject({
      failure: { code: 'INVALID_REQUEST', details: { field: 'signature' } },
      refusals: ['signature_wrong'],
      messages: [],
    });
  });
});
