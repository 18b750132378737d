import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { github, inboundCalls, type Refusal } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn({ withWorker: true });
  calls = inboundCalls(posthorn);
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

describe('a request with a good signature', () => {
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
  ])('becomes a message digit for digit with %s, and every reader of it goes on', async (_, body) => {
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

  test('with the id of an earlier event answers with the first message, whatever the body says', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const [one, other] = ['{"n":1}', '{"n":2}'];
    const first = await calls.send(webhook.id, one, github(one, 'same'));
    const again = await calls.send(webhook.id, other, github(other, 'same'));
    const next = await calls.send(webhook.id, one, github(one, 'next'));
    expect(again.body).toEqual(first.body);
    expect(next.body.messageId).not.toBe(first.body.messageId);
    expect(await calls.messagesIn(channelId)).toHaveLength(2);
  });

  test('fifty times at once is one message, and every answer names it', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const body = '{"race":true}';
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => calls.send(webhook.id, body, github(body, 'raced'))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body: { messageId } }) => messageId)).size).toBe(1);
    expect(await calls.messagesIn(channelId)).toHaveLength(1);
  });

  test('to another webhook has ids of its own', async () => {
    const [one, other] = [await calls.makeWebhook(), await calls.makeWebhook()];
    const body = '{}';
    const first = await calls.send(one.webhook.id, body, github(body, 'd'));
    const second = await calls.send(other.webhook.id, body, github(body, 'd'));
    expect(first.body.messageId).not.toBe(second.body.messageId);
  });

  test('is taken as a form, in which GitHub puts its JSON into a field', async () => {
    const { webhook } = await calls.makeWebhook();
    const body = `payload=${encodeURIComponent('{"zen":"Keep it simple"}')}`;
    const headers = { ...github(body, 'form'), 'content-type': 'application/x-www-form-urlencoded' };
    const { body: answer } = await calls.send(webhook.id, body, headers);
    expect((await calls.messageOf(answer.messageId)).payload).toEqual({ zen: 'Keep it simple' });
  });

  test.each(['?utm_source=hub', '?limit=many&cursor=none', '?a=1&a=2&a', '?%E0%A4%A=%', '?'])(
    'may have a query that nobody here knows: %s',
    async (query) => {
      const { webhook, channelId } = await calls.makeWebhook();
      const { status, body } = await calls.send(webhook.id, '{}', github('{}', 'queried'), query);
      expect([status, body]).toEqual([200, { received: true, messageId: expect.stringMatching(/^msg_/) }]);
      expect(await calls.messagesIn(channelId)).toHaveLength(1);
      expect(await calls.refusalsOf(webhook.id)).toEqual([]);
    },
  );

  test('is taken at the address with a slash behind it, of which other resources have none', async () => {
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
  test('for its signature is INVALID_REQUEST, stands in the log without its body, and may come again', async () => {
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

  test('for its signature by Discord is UNAUTHORIZED, which Discord tries before it takes an address', async () => {
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

  test('for its payload is INVALID_REQUEST with the field of the schema, and is taken once the schema lets it', async () => {
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

  test('above 1 MiB is PAYLOAD_TOO_LARGE, and stands in no log', async () => {
    const { webhook } = await calls.makeWebhook();
    const body = JSON.stringify({ x: 'x'.repeat(1_048_576) });
    expect((await calls.send(webhook.id, body, github(body, 'large'))).status).toBe(413);
    expect(await calls.refusalsOf(webhook.id)).toEqual([]);
  });
});

describe('the state of the channel and of the webhook', () => {
  const body = '{"n":1}';

  test('paused: the request is taken, waits, repeats itself, and goes on when the channel is active again', async () => {
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

  test('archived, deleted or disabled: CONFLICT, and a line in the log', async () => {
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
