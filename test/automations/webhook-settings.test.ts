import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { github, inboundCalls, type Refusal, SECRET } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Secrets = { secrets: { secret: string; createdAt: string; expiresAt?: string }[] };

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = inboundCalls(posthorn);
});
afterAll(() => posthorn.stop());

describe('secrets', () => {
  const body = '{}';
  let sent = 0;
  const statusWith = async (id: string, secret: string): Promise<number> =>
    (await calls.send(id, body, github(body, `s-${(sent += 1)}`, secret))).status;

  // Old: the next rotation ended the oldest secret at once, whose requests were refused hours before the time that GET had shown.
  test('hold until the time that their rotation has told: beyond three older ones a rotation is CONFLICT', async () => {
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
      `3 older secrets are still valid beside the current one, and no more may be. The one made at ${oldest?.createdAt} is valid until ${oldest?.expiresAt}: rotate after that, or with overlapHours 0, which ends all older secrets now`,
    );
    const { body: kept } = await posthorn.request<Secrets>('GET', path);
    expect(kept.secrets.map(({ secret }) => secret)).toEqual(all);
    expect(kept.secrets.at(-1)?.expiresAt).toBe(oldest?.expiresAt);
  });

  test('that were replaced without an overlap do not hold', async () => {
    const { webhook } = await calls.makeWebhook();
    const path = `/v1/webhooks/${webhook.id}/secrets`;
    for (const body of [{ secret: 'second' }, { overlapHours: 0 }])
      expect((await posthorn.request('POST', `${path}/rotate`, body)).status).toBe(200);
    const { body: last } = await posthorn.request<Secrets>('GET', path);
    expect(last.secrets).toHaveLength(1);
    for (const secret of [SECRET, 'second']) expect(await statusWith(webhook.id, secret)).toBe(400);
    expect(await statusWith(webhook.id, String(last.secrets[0]?.secret))).toBe(200);
  });

  // Old: of two secrets that a webhook was made with, one ended at the first rotation, whatever its overlap.
  test('of which a webhook was made with two both hold beside the next one', async () => {
    const { webhook } = await calls.makeWebhook({ secrets: ['one', 'two'] });
    const path = `/v1/webhooks/${webhook.id}/secrets/rotate`;
    expect((await posthorn.request('POST', path, { secret: 'three' })).status).toBe(200);
    for (const secret of ['one', 'two', 'three']) expect(await statusWith(webhook.id, secret)).toBe(200);
  });

  test('are sealed in the database, stand in no other answer and not in the audit log', async () => {
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

  test('are made where the service lets its user choose', async () => {
    const channel = await calls.make('/v1/channels', { name: 'in' });
    const made = await calls.make('/v1/webhooks', { name: 'own', channelId: channel.id });
    expect(made).toMatchObject({ scheme: 'body', url: expect.stringMatching(/\/v1\/webhooks\/whk_[0-9a-z]{26}$/) });
    const { body: shown } = await posthorn.request<Secrets>('GET', `/v1/webhooks/${made.id}/secrets`);
    expect(shown.secrets[0]?.secret).toMatch(/^whsec_/);
  });

  // Old: Stripe shows its secret once it has the address, and an address was made only for whoever had the secret.
  test('are set later where the service shows its own once it has the address: until then it is told to come again', async () => {
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

  test('a generic HMAC with a time of its own, an id by pointer and a type by CEL', async () => {
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

  test('a type that is not where the webhook looks is refused, and a literal one is always there', async () => {
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
  ])('an id of the event behind %s is refused, and stands in the log', async (_, eventId) => {
    const { webhook, channelId } = await calls.makeWebhook({ eventId });
    const body = '{"empty":""}';
    const refused = await calls.send<Refusal>(webhook.id, body, github(body, 'd'));
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      { field: 'eventId', reason: 'is not where the webhook looks for it' },
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
  ])('a wrong %s is INVALID_REQUEST with its field', async (field, fields) => {
    const channel = await calls.make('/v1/channels', { name: 'in' });
    const whole = { name: 'x', channelId: channel.id, ...fields };
    const { status, body } = await posthorn.request<Refusal>('POST', '/v1/webhooks', whole);
    expect([status, body.error.details?.field]).toEqual([400, field]);
  });
});
