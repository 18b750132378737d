import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

type Named = { id: string } & Record<string, unknown>;
type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
type Received = { received: boolean; messageId: string };
type Secrets = { secrets: { secret: string; createdAt: string; expiresAt?: string }[] };
type Logged = { data: { reason: string; detail: string; eventId?: string }[] };

const SECRET = 'a secret that both sides know';

let posthorn: TestPosthorn;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn({ withWorker: true });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

async function make(path: string, body: object): Promise<Named> {
  const { status, body: made } = await posthorn.request<Named>('POST', path, body);
  expect([status, made]).toEqual([201, made]);
  return made;
}

/** A channel, and a webhook of GitHub for it unless the fields say otherwise. */
async function makeWebhook(
  fields: object = {},
  channelFields: object = {},
): Promise<{ webhook: Named; channelId: string }> {
  const channel = await make('/v1/channels', { name: 'in', ...channelFields });
  const sender = { provider: 'github', secrets: [SECRET] };
  const webhook = await make('/v1/webhooks', { name: 'GitHub', channelId: channel.id, ...sender, ...fields });
  return { webhook, channelId: channel.id };
}

const github = (body: string, id: string, secret = SECRET): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'push',
  'x-github-delivery': id,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

const send = <T = Received>(webhookId: string, body: string, headers: Record<string, string>, query = '') =>
  posthorn.request<T>('POST', `/v1/webhooks/${webhookId}${query}`, body, { key: null, headers });

const messageOf = async (id: string) =>
  (
    await posthorn.request<{ eventType: string; payload: unknown; metadata: object; deliveryStatus: string }>(
      'GET',
      `/v1/messages/${id}`,
    )
  ).body;
const messagesIn = async (channelId: string): Promise<{ id: string }[]> =>
  (await posthorn.request<{ data: { id: string }[] }>('GET', `/v1/channels/${channelId}/messages?limit=100`)).body.data;
const refusalsOf = async (id: string, query = ''): Promise<Logged['data']> =>
  (await posthorn.request<Logged>('GET', `/v1/webhooks/${id}/refusals${query}`)).body.data;

describe('a request with a good signature', () => {
  test('becomes a message that is delivered, digit for digit, and names its webhook', async () => {
    const { webhook, channelId } = await makeWebhook();
    await make('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    const body = '{"ref":"refs/heads/main",  "size": 12345678901234567890.10}';
    const { status, headers, body: answer } = await send(webhook.id, body, github(body, 'd-1'), '?added=by%20them');
    expect([status, answer]).toEqual([200, { received: true, messageId: expect.stringMatching(/^msg_/) }]);
    expect(headers.get('x-ratelimit-limit')).toBe('600');
    expect(await messageOf(answer.messageId)).toMatchObject({
      eventType: 'push',
      metadata: { webhookId: webhook.id, provider: 'github', eventId: 'd-1' },
    });
    const delivered = await waitFor('the delivery', () =>
      receiver.requests.find((request) => request.body.includes(answer.messageId)),
    );
    expect(delivered.body).toContain(body);
  });

  test('with the id of an earlier event answers with the first message, whatever the body says', async () => {
    const { webhook, channelId } = await makeWebhook();
    const [one, other] = ['{"n":1}', '{"n":2}'];
    const first = await send(webhook.id, one, github(one, 'same'));
    const again = await send(webhook.id, other, github(other, 'same'));
    const next = await send(webhook.id, one, github(one, 'next'));
    expect(again.body).toEqual(first.body);
    expect(next.body.messageId).not.toBe(first.body.messageId);
    expect(await messagesIn(channelId)).toHaveLength(2);
  });

  test('fifty times at once is one message, and every answer names it', async () => {
    const { webhook, channelId } = await makeWebhook();
    const body = '{"race":true}';
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(webhook.id, body, github(body, 'raced'))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body: { messageId } }) => messageId)).size).toBe(1);
    expect(await messagesIn(channelId)).toHaveLength(1);
  });

  test('of another webhook has ids of its own', async () => {
    const [one, other] = [await makeWebhook(), await makeWebhook()];
    const body = '{}';
    const first = await send(one.webhook.id, body, github(body, 'd'));
    const second = await send(other.webhook.id, body, github(body, 'd'));
    expect(first.body.messageId).not.toBe(second.body.messageId);
  });

  test('is taken as a form, in which GitHub puts its JSON into a field', async () => {
    const { webhook } = await makeWebhook();
    const body = `payload=${encodeURIComponent('{"zen":"Keep it simple"}')}`;
    const headers = { ...github(body, 'form'), 'content-type': 'application/x-www-form-urlencoded' };
    const { body: answer } = await send(webhook.id, body, headers);
    expect((await messageOf(answer.messageId)).payload).toEqual({ zen: 'Keep it simple' });
  });

  test('that is a ping is answered and becomes no message', async () => {
    const { webhook, channelId } = await makeWebhook();
    const body = '{"zen":"Design for failure."}';
    const { status, body: answer } = await send(webhook.id, body, { ...github(body, 'p'), 'x-github-event': 'ping' });
    expect([status, answer, await messagesIn(channelId)]).toEqual([200, { received: true }, []]);
  });
});

describe('a request that is refused', () => {
  test('for its signature is INVALID_REQUEST, stands in the log without its body, and may come again', async () => {
    const { webhook, channelId } = await makeWebhook();
    const body = '{"password":"hunter2"}';
    const bad = await send<Refusal>(webhook.id, body, github(body, 'd-9', 'wrong'));
    expect([bad.status, bad.body.error.code, bad.body.error.details?.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'signature',
    ]);
    const { 'x-hub-signature-256': _, ...none } = github(body, 'd-9');
    expect((await send<Refusal>(webhook.id, body, none)).status).toBe(400);
    expect(await messagesIn(channelId)).toEqual([]);
    const logged = await refusalsOf(webhook.id);
    expect(logged.map(({ reason }) => reason)).toEqual(['signature_missing', 'signature_wrong']);
    expect(JSON.stringify(logged)).not.toContain('hunter2');
    expect(await refusalsOf(webhook.id, '?reason=signature_wrong')).toHaveLength(1);
    expect((await send(webhook.id, body, github(body, 'd-9'))).status).toBe(200);
  });

  test('for an unknown webhook is NOT_FOUND with all headers, whatever the id looks like', async () => {
    for (const id of ['whk_00000000000000000000000000', 'x', 'whk_%00', 'msg_00000000000000000000000000']) {
      const { status, headers, body } = await send<Refusal>(id, '{}', {});
      expect([id, status, body.error.code]).toEqual([id, 404, 'NOT_FOUND']);
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    }
  });

  test('for its payload is INVALID_REQUEST with the field of the schema, and is taken once the schema lets it', async () => {
    const schema = { type: 'object', required: ['order'] };
    const { webhook, channelId } = await makeWebhook({}, { schema });
    const body = '{"n":1}';
    const { status, body: refused } = await send<Refusal>(webhook.id, body, github(body, 'misfit'));
    expect([status, refused.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusalsOf(webhook.id)).toMatchObject([{ reason: 'payload_refused', eventId: 'misfit' }]);
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schema: null });
    expect((await send(webhook.id, body, github(body, 'misfit'))).status).toBe(200);
  });

  test.each([
    ['no JSON', '{'],
    ['a number', '1'],
    ['a prototype', '{"__proto__":{}}'],
    ['nothing', ''],
  ])('for a body that is %s is INVALID_REQUEST', async (_, body) => {
    const { webhook } = await makeWebhook();
    expect((await send(webhook.id, body, github(body, 'd'))).status).toBe(400);
    expect(await refusalsOf(webhook.id)).toMatchObject([{ reason: 'body_invalid' }]);
  });

  test('above 1 MiB is PAYLOAD_TOO_LARGE, and above the 256 KiB of a message unless a part is mapped', async () => {
    const { webhook } = await makeWebhook({ payload: { pointer: '/small' } });
    const large = JSON.stringify({ small: { n: 1 }, rest: 'x'.repeat(400_000) });
    expect((await send(webhook.id, large, github(large, 'large'))).status).toBe(200);
    await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { payload: null });
    const refused = await send<Refusal>(webhook.id, large, github(large, 'larger'));
    expect([refused.status, refused.body.error.details?.field]).toEqual([400, 'payload']);
    expect((await send(webhook.id, 'x'.repeat(1_100_000), {})).status).toBe(413);
  });
});

describe('the state of the channel and of the webhook', () => {
  const body = '{"n":1}';

  test('paused: the request is taken, waits, repeats itself, and goes on when the channel is active again', async () => {
    const { webhook, channelId } = await makeWebhook({}, { status: 'paused' });
    const { status, body: answer } = await send(webhook.id, body, github(body, 'held'));
    expect(status).toBe(200);
    expect((await send(webhook.id, body, github(body, 'held'))).body).toEqual(answer);
    expect(await messagesIn(channelId)).toEqual([]);
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
    await waitFor('the held message', async () => (await messagesIn(channelId)).length === 1);
    expect((await messagesIn(channelId)).map(({ id }) => id)).toEqual([answer.messageId]);
    expect((await send(webhook.id, body, github(body, 'held'))).body).toEqual(answer);
  });

  test('archived, deleted or disabled: CONFLICT, and a line in the log', async () => {
    const { webhook, channelId } = await makeWebhook();
    const refused = async (): Promise<[number, string | undefined]> => {
      const { status } = await send(webhook.id, body, github(body, 'd'));
      return [status, (await refusalsOf(webhook.id))[0]?.reason];
    };
    await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'disabled' });
    expect(await refused()).toEqual([409, 'webhook_disabled']);
    await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'active' });
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'archived' });
    expect(await refused()).toEqual([409, 'channel_archived']);
    await posthorn.request('DELETE', `/v1/channels/${channelId}`);
    expect(await refused()).toEqual([409, 'channel_deleted']);
    expect((await posthorn.request('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
    expect((await send(webhook.id, body, github(body, 'd'))).status).toBe(404);
  });
});

describe('secrets', () => {
  const body = '{}';
  let sent = 0;
  const statusWith = async (id: string, secret: string): Promise<number> =>
    (await send(id, body, github(body, `s-${(sent += 1)}`, secret))).status;

  test('two hold at a time, and one that was replaced without overlap does not', async () => {
    const { webhook } = await makeWebhook();
    const rotate = (fields: object) =>
      posthorn.request<Secrets>('POST', `/v1/webhooks/${webhook.id}/secrets/rotate`, fields);
    const { body: shown } = await rotate({ secret: 'second' });
    expect(shown.secrets.map(({ secret, expiresAt }) => [secret, expiresAt !== undefined])).toEqual([
      ['second', false],
      [SECRET, true],
    ]);
    expect([await statusWith(webhook.id, SECRET), await statusWith(webhook.id, 'second')]).toEqual([200, 200]);
    await rotate({ secret: 'third', overlapHours: 1 });
    expect(await statusWith(webhook.id, SECRET)).toBe(400);
    expect([await statusWith(webhook.id, 'second'), await statusWith(webhook.id, 'third')]).toEqual([200, 200]);
    await rotate({ overlapHours: 0 });
    const { body: last } = await posthorn.request<Secrets>('GET', `/v1/webhooks/${webhook.id}/secrets`);
    expect(last.secrets).toHaveLength(1);
    expect(await statusWith(webhook.id, 'third')).toBe(400);
    expect(await statusWith(webhook.id, String(last.secrets[0]?.secret))).toBe(200);
  });

  test('are sealed in the database, stand in no other answer and not in the audit log', async () => {
    const { webhook } = await makeWebhook();
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

  test('are made where the service lets its user choose, and asked for where it does not', async () => {
    const channel = await make('/v1/channels', { name: 'in' });
    const made = await make('/v1/webhooks', { name: 'own', channelId: channel.id });
    expect(made).toMatchObject({ scheme: 'body', url: expect.stringMatching(/\/v1\/webhooks\/whk_[0-9a-z]{26}$/) });
    const { body: shown } = await posthorn.request<Secrets>('GET', `/v1/webhooks/${made.id}/secrets`);
    expect(shown.secrets[0]?.secret).toMatch(/^whsec_/);
    const stripe = { name: 'Stripe', channelId: channel.id, scheme: 'stripe' };
    const { status, body: refused } = await posthorn.request<Refusal>('POST', '/v1/webhooks', stripe);
    expect([status, refused.error.details?.field]).toEqual([400, 'secrets']);
  });
});

describe('schemes and mappings of a webhook', () => {
  const now = (): string => String(Math.floor(Date.now() / 1_000));

  test('a generic HMAC with a time of its own, an id by pointer and a type by CEL', async () => {
    const { webhook } = await makeWebhook({
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
    const { status, body: answer } = await send(webhook.id, body, headers);
    expect(status).toBe(200);
    expect(await messageOf(answer.messageId)).toMatchObject({
      eventType: 'order.large',
      payload: { total: 11.5, first: { a: 1 } },
      metadata: { eventId: '12345678901234567890' },
    });
    const stale = await send<Refusal>(webhook.id, body, { ...headers, 'x-time': String(Number(time) - 400) });
    expect(stale.status).toBe(400);
  });

  test('a type that is not where the webhook looks is refused, and a literal one is always there', async () => {
    const { webhook } = await makeWebhook({ eventType: { pointer: '/type' } });
    const body = '{}';
    const refused = await send<Refusal>(webhook.id, body, github(body, 'd'));
    expect([refused.status, refused.body.error.details?.field]).toEqual([400, 'eventType']);
    await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventType: { literal: 'pushed' } });
    const { body: answer } = await send(webhook.id, body, github(body, 'd'));
    expect((await messageOf(answer.messageId)).eventType).toBe('pushed');
  });

  test.each([
    ['scheme', { provider: 'github', scheme: 'stripe' }],
    ['signature', { scheme: 'hmac' }],
    ['signature', { provider: 'github', signature: { header: 'x' } }],
    ['provider', { scheme: 'ed25519' }],
    ['eventType.cel', { eventType: { cel: 'payload.n + ' } }],
    ['eventType.cel', { eventType: { cel: 'payload.n == 1' } }],
    ['eventType.pointer', { eventType: { pointer: 'n' } }],
    ['secrets[0]', { scheme: 'standard', secrets: ['short'] }],
    ['channelId', { channelId: 'chn_00000000000000000000000000' }],
  ])('a wrong %s is INVALID_REQUEST with its field', async (field, fields) => {
    const channel = await make('/v1/channels', { name: 'in' });
    const whole = { name: 'x', channelId: channel.id, ...fields };
    const { status, body } = await posthorn.request<Refusal>('POST', '/v1/webhooks', whole);
    expect([status, body.error.details?.field]).toEqual([400, field]);
  });
});
