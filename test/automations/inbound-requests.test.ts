import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CATALOGUE } from '../../src/inbound/providers/catalogue.ts';
import type { Provider } from '../../src/inbound/providers/provider.ts';
import { forgetExpired } from '../../src/delivery/queue/recovery/forget-expired.ts';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { github, inboundCalls, type Refusal, SECRET } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('inbound requests', () => {
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    calls = inboundCalls(posthorn);
  });
  afterAll(() => posthorn.stop());

  const DAY_MS = 86_400_000;

  /** Sends what GitHub would send, and returns the resulting message. */
  async function send(webhookId: string, eventId: string, body = '{"n":1}'): Promise<string> {
    const { status, body: answer } = await calls.send(webhookId, body, github(body, eventId));
    expect(status).toBe(200);
    return answer.messageId;
  }

  /** Regression: only a literal type was checked, so messages were accepted that no subscription filter can name. */
  test.each<[where: string, eventType: object, headers: Record<string, string>]>([
    ['a header', { header: 'X-Kind' }, { 'x-kind': 'order.*' }],
    ['the body', { pointer: '/kind' }, {}],
    ['an expression', { cel: 'payload.kind' }, {}],
    ['the provider', {}, { 'x-github-event': 'order.*' }],
  ])(
    'a request with an event type that is not allowed for publishers, in %s, is refused and stored',
    async (_, eventType, given) => {
      const { webhook, channelId } = await calls.makeWebhook(Object.keys(eventType).length > 0 ? { eventType } : {});
      const body = JSON.stringify({ kind: 'order.*' });
      const refused = await calls.send<Refusal>(webhook.id, body, { ...github(body, 'unnamed'), ...given });
      const publish = `/v1/channels/${channelId}/messages`;
      const published = await posthorn.request<Refusal>('POST', publish, { eventType: 'order.*', payload: {} });
      expect([refused.status, refused.body.error.details]).toEqual([400, published.body.error.details]);
      const [kept] = await calls.refusalsOf(webhook.id);
      const detail = 'eventType: must not contain *, which stands for several event types in filters';
      expect(kept).toMatchObject({ reason: 'mapping_failed', hasBody: true, detail });
      expect(await calls.messagesIn(channelId)).toEqual([]);
    },
  );

  test('requests are listed with their outcome: their message, the first one of their event, or the reason', async () => {
    const { webhook } = await calls.makeWebhook();
    const messageId = await send(webhook.id, 'one');
    expect(await send(webhook.id, 'one')).toBe(messageId);
    await calls.send(webhook.id, '{}', github('{}', 'two', 'wrong'));
    await posthorn.request('POST', `/v1/webhooks/${webhook.id}/sample`, {});
    const [sample, refused, repeated, received, ...others] = await calls.requestsTo(webhook.id);
    expect(others).toEqual([]);
    const event = { eventId: 'one', messageId, eventType: 'push', isSample: false };
    expect(received).toMatchObject({ outcome: 'received', ...event });
    expect(repeated).toMatchObject({ outcome: 'repeated', ...event });
    expect(refused).toMatchObject({ outcome: 'refused', reason: 'signature_wrong', isSample: false });
    expect(refused).not.toHaveProperty('messageId');
    expect(sample).toMatchObject({ outcome: 'received', isSample: true });
    // By outcome, and by time: the one before the refusal is left out.
    const ids = async (query: string): Promise<string[]> =>
      (await calls.requestsTo(webhook.id, query)).map(({ id }) => id);
    expect(await ids('?outcome=repeated')).toEqual([repeated?.id]);
    expect(await ids('?outcome=received')).toEqual([sample?.id, received?.id]);
    expect(await ids(`?until=${received?.receivedAt}`)).toEqual([]);
  });

  test('requests of a service without event ids are listed too, each with its own message', async () => {
    const { webhook, channelId } = await calls.makeWebhook({ scheme: 'token', signature: { header: 'X-Token' } });
    for (const n of [1, 2]) await calls.send(webhook.id, `{"n":${n}}`, { 'x-token': 'a secret that both sides know' });
    const messages = await calls.messagesIn(channelId);
    expect(messages).toHaveLength(2);
    expect((await calls.requestsTo(webhook.id)).map(({ outcome, messageId }) => [outcome, messageId])).toEqual(
      messages.map(({ id }) => ['received', id]),
    );
  });

  test('a request to a paused channel is received once, and a duplicate after that', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    const messageId = await send(webhook.id, 'held');
    expect(await send(webhook.id, 'held')).toBe(messageId);
    const requests = await calls.requestsTo(webhook.id);
    expect(requests.map(({ outcome }) => outcome)).toEqual(['repeated', 'received']);
    // The message is scheduled: it has no event type to show before it is published.
    for (const request of requests) expect([request.messageId, request.eventType]).toEqual([messageId, undefined]);
  });

  test('a payload that violates the schema is refused, and is not listed as received as well', async () => {
    const schemas = { push: { type: 'object', required: ['x'] } };
    const { webhook } = await calls.makeWebhook({}, { schemas });
    const body = '{"n":1}';
    expect((await calls.send(webhook.id, body, github(body, 'unfit'))).status).toBe(400);
    expect((await calls.requestsTo(webhook.id)).map(({ outcome }) => outcome)).toEqual(['refused']);
  });

  test('duplicate requests are recorded up to 100 in a minute, and every other one with its message', async () => {
    const { webhook } = await calls.makeWebhook();
    const messageId = await send(webhook.id, 'again');
    const { db, newId } = posthorn.deps;
    const { environmentId } = await db.inboundWebhook.findUniqueOrThrow({ where: { id: webhook.id } });
    const row = { environmentId, webhookId: webhook.id, messageId, isSample: false, isRepeated: true };
    const expiresAt = new Date(Date.now() + DAY_MS);
    await db.inboundReceipt.createMany({
      // Their ids are a day ahead, so that they count as part of the last minute however slow the machine is.
      data: Array.from({ length: 100 }, () => ({ ...row, id: newId('inboundReceipt', expiresAt), expiresAt })),
    });
    expect(await send(webhook.id, 'again')).toBe(messageId);
    const next = await send(webhook.id, 'next');
    const count = (isRepeated: boolean) => db.inboundReceipt.count({ where: { webhookId: webhook.id, isRepeated } });
    expect([await count(true), await count(false)]).toEqual([100, 2]);
    expect((await calls.requestsTo(webhook.id, '?outcome=received'))[0]?.messageId).toBe(next);
  });

  test('a request is stored as long as its channel stores messages, and then deleted', async () => {
    const { webhook } = await calls.makeWebhook({}, { retentionDays: 3 });
    await send(webhook.id, 'kept');
    const { db, pool } = posthorn.deps;
    const where = { webhookId: webhook.id };
    const { expiresAt } = await db.inboundReceipt.findFirstOrThrow({ where });
    expect(Math.abs(expiresAt.getTime() - Date.now() - 3 * DAY_MS)).toBeLessThan(DAY_MS / 2);
    await forgetExpired(pool);
    expect(await calls.requestsTo(webhook.id)).toHaveLength(1);
    await db.inboundReceipt.updateMany({ where, data: { expiresAt: new Date(Date.now() - DAY_MS) } });
    await forgetExpired(pool);
    expect(await calls.requestsTo(webhook.id)).toEqual([]);
  });

  const MIB = 1_048_576;
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  test.each([
    ['forms of one field', 'body', 'a&'.repeat(20_000), FORM],
    [
      'forms of plus signs',
      'twilio',
      `a=${'+'.repeat(MIB - 2)}`,
      { ...FORM, 'x-twilio-signature': `${'A'.repeat(27)}=` },
    ],
    ['empty objects', 'body', `{"a":[${'{},'.repeat(MIB / 3 - 5)}{}]}`, {}],
    ['lists of empty objects', 'mailgun', `[${'{},'.repeat(MIB / 3 - 2)}{}]`, {}],
    [
      'forms with a wrong signature',
      'twilio',
      'a=1&'.repeat(MIB / 4),
      { ...FORM, 'x-twilio-signature': 'A'.repeat(27) + '=' },
    ],
  ])('thirty unauthenticated %s at once do not block the event loop (%s)', async (_, sender, body, headers) => {
    const scheme =
      sender === 'body' ? { scheme: sender, secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`] } : {};
    const { webhook } = await calls.makeWebhook({ ...(sender !== 'body' && { provider: sender }), ...scheme });
    await expectShortTurns(async () => {
      const sent = Array.from({ length: 30 }, () => calls.send<Refusal>(webhook.id, body, headers));
      expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([400]));
    });
  });

  test('fifty payload fields with deep pointers are found in one pass, and a payload above 1 MiB is never built', async () => {
    const deep = (n: number): string => `${'/a'.repeat(30)}/${n}`;
    const fields = Object.fromEntries(Array.from({ length: 50 }, (__, n) => [`f${n}`, deep(n)]));
    const { webhook } = await calls.makeWebhook({
      scheme: 'token',
      signature: { header: 'X-Token' },
      payload: { fields },
    });
    const token = { 'x-token': SECRET, 'content-type': 'application/json' };
    const items = Array.from({ length: 50 }, (__, n) => `${n}.10`);
    const body = `${'{"a":'.repeat(30)}[${items.join()}]${'}'.repeat(29)},"more":[${'{},'.repeat(340_000)}0]}`;
    let status = 0;
    let messageId = '';
    await expectShortTurns(async () => {
      const sent = await calls.send(webhook.id, body, token);
      status = sent.status;
      messageId = sent.body.messageId;
    });
    expect(status).toBe(200);
    const { payload } = await calls.messageOf(messageId);
    expect(payload).toEqual(Object.fromEntries(items.map((value, n) => [`f${n}`, Number(value)])));

    const everything = Object.fromEntries(Array.from({ length: 50 }, (__, n) => [`f${n}`, '']));
    await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { payload: { fields: everything } });
    const { status: refused, body: answer } = await calls.send<Refusal>(webhook.id, body, token);
    expect([refused, answer.error.details?.field]).toEqual([400, 'payload']);
  });

  /** Regression: pages ended at 25 MiB, and those in commit order and of scheduled messages did not end before 100 messages. */
  test.each([
    ['newest first', 'messages?', 'active', (ids: string[]) => ids.toReversed()],
    ['in the order of commits', 'messages?order=committed&', 'active', (ids: string[]) => ids],
    ['that wait while their channel is paused', 'scheduled?', 'paused', (ids: string[]) => ids],
  ])(
    'a page of messages of 1 MiB %s ends at 8 MiB, and the next one continues after it',
    async (_, list, status, inOrder) => {
      const { webhook, channelId } = await calls.makeWebhook();
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status });
      const sent: string[] = [];
      for (let n = 0; n < 12; n += 1) sent.push(await send(webhook.id, `large-${n}`));
      type Listed = { data: { id: string }[]; pagination: { cursor?: string; hasMore: boolean } };
      const read = async (query: string) =>
        (await posthorn.request<Listed>('GET', `/v1/channels/${channelId}/${list}${query}`)).body;
      // Commit order leaves out what was published while an older transaction is open, in any database of the server.
      await waitFor('all of them in the list', async () => (await read('limit=100')).data.length === sent.length);
      for (const table of ['messages', 'scheduled_messages'])
        await posthorn.deps.pool.query(
          `UPDATE ${table} SET payload = '{"a":"' || repeat('x', ${MIB - 8}) || '"}' WHERE channel_id = $1`,
          [channelId],
        );
      const first = await read('limit=100');
      expect([first.data.length, first.pagination.hasMore]).toEqual([8, true]);
      const rest = await read(`limit=100&cursor=${first.pagination.cursor}`);
      expect([rest.data.length, rest.pagination.hasMore]).toEqual([4, false]);
      expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(inOrder(sent));
    },
  );

  describe('a refused request with a valid signature', () => {
    type Kept = { contentType?: string; bytes: number; body: string; encoding: string };
    type Accepted = { outcome: string; messageId: string };
    const bodyOf = <T = Kept>(id = '') => posthorn.request<T>('GET', `/v1/inbound-requests/${id}/body`);
    const accept = <T = Accepted>(id = '') => posthorn.request<T>('POST', `/v1/inbound-requests/${id}/accept`);
    const refusedAt = async (webhookId: string) => (await calls.requestsTo(webhookId, '?outcome=refused'))[0];

    test('keeps its body, and becomes one message when it is accepted, with its original headers', async () => {
      const schemas = { push: { type: 'object', required: ['x'] } };
      const { webhook, channelId } = await calls.makeWebhook({}, { schemas });
      const body = String.raw`{"n":1.10, "a":"\u0000","__proto__":1e400}`;
      expect((await calls.send(webhook.id, body, github(body, 'unfit'))).status).toBe(400);
      const refused = await refusedAt(webhook.id);
      expect(refused).toMatchObject({ reason: 'payload_refused', eventId: 'unfit', hasBody: true });
      const kept = await bodyOf(refused?.id);
      expect(kept.body).toEqual({
        requestId: refused?.id,
        contentType: 'application/json',
        bytes: body.length,
        body,
        encoding: 'text',
      });

      expect((await accept<Refusal>(refused?.id)).body.error.details?.field).toBe('payload.x');
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schemas: null });
      const answers = await Promise.all(Array.from({ length: 5 }, () => accept(refused?.id)));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
      const [messageId, ...others] = new Set(answers.map((answer) => answer.body.messageId));
      expect(others).toEqual([]);
      expect(answers.filter((answer) => answer.body.outcome === 'received')).toHaveLength(1);
      expect((await accept(refused?.id)).body).toEqual({ outcome: 'repeated', messageId });
      expect(await calls.messagesIn(channelId)).toHaveLength(1);
      expect(await calls.messageOf(messageId ?? '')).toMatchObject({
        eventType: 'push',
        metadata: { eventId: 'unfit' },
      });
      const { rows } = await posthorn.deps.pool.query('SELECT payload FROM messages WHERE id = $1', [messageId]);
      expect(rows).toEqual([{ payload: body }]);

      // The message has the content now: erasing it leaves no copy.
      expect((await bodyOf(refused?.id)).status).toBe(409);
      expect(await refusedAt(webhook.id)).toMatchObject({ id: refused?.id, hasBody: false, messageId });
      // The service sends it again, which is the same event.
      expect((await calls.send(webhook.id, body, github(body, 'unfit'))).body.messageId).toBe(messageId);
    });

    test('is accepted once without an event id too, and as the existing message of an event that was repeated meanwhile', async () => {
      const token = { 'x-token': SECRET, 'content-type': 'application/json', 'x-kind': 'door.opened' };
      const { webhook, channelId } = await calls.makeWebhook({
        scheme: 'token',
        signature: { header: 'X-Token' },
        eventType: { pointer: '/kind' },
      });
      expect((await calls.send(webhook.id, '{"n":1}', token)).status).toBe(400);
      const refused = await refusedAt(webhook.id);
      expect(refused).toMatchObject({ reason: 'mapping_failed', hasBody: true });
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventType: { header: 'X-Kind' } });
      const [one, other] = await Promise.all([accept(refused?.id), accept(refused?.id)]);
      expect(one?.body.messageId).toBe(other?.body.messageId);
      const message = await calls.messageOf(one?.body.messageId ?? '');
      expect(message).toMatchObject({
        eventType: 'door.opened',
        metadata: { webhookId: webhook.id, provider: 'token' },
      });
      expect(message.metadata).not.toHaveProperty('eventId');
      expect(await calls.messagesIn(channelId)).toHaveLength(1);

      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventType: null, eventId: { pointer: '/id' } });
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'disabled' });
      expect((await calls.send(webhook.id, '{"id":"e"}', token)).status).toBe(409);
      const closed = await refusedAt(webhook.id);
      expect((await accept(closed?.id)).status).toBe(409);
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'active' });
      const { body: again } = await calls.send(webhook.id, '{"id":"e"}', token);
      expect((await accept(closed?.id)).body).toEqual({ outcome: 'repeated', messageId: again.messageId });
    });

    test('lists the reason of the last refusal, and the id of its event as soon as a mapping finds one', async () => {
      const { webhook, channelId } = await calls.makeWebhook(
        { scheme: 'token', signature: { header: 'X-Token' }, eventId: { pointer: '/missing' } },
        { schema: { type: 'object', required: ['x'] } },
      );
      const token = { 'x-token': SECRET, 'content-type': 'application/json' };
      expect((await calls.send(webhook.id, '{"id":"e-1"}', token)).status).toBe(400);
      const refused = await refusedAt(webhook.id);
      expect(refused).toMatchObject({ reason: 'mapping_failed', hasBody: true });
      expect(refused).not.toHaveProperty('eventId');

      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { eventId: { pointer: '/id' } });
      expect((await accept<Refusal>(refused?.id)).status).toBe(400);
      const again = { id: refused?.id, reason: 'payload_refused', eventId: 'e-1', hasBody: true };
      expect(await refusedAt(webhook.id)).toMatchObject(again);
      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'disabled' });
      expect((await accept<Refusal>(refused?.id)).status).toBe(409);
      const detail = 'The webhook is disabled';
      expect(await refusedAt(webhook.id)).toMatchObject({ ...again, reason: 'webhook_disabled', detail });

      await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { status: 'active' });
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schema: null });
      const { body } = await accept(refused?.id);
      expect(await refusedAt(webhook.id)).toMatchObject({ eventId: 'e-1', messageId: body.messageId, hasBody: false });
    });

    test('stores neither a secret nor a credential, and a body that is not JSON unchanged', async () => {
      const { webhook } = await calls.makeWebhook({ scheme: 'token', signature: { header: 'X-Token' } });
      const bytes = Buffer.from([0xff, 0x00, 0x7b]);
      const headers = { 'x-token': SECRET, authorization: 'Bearer of-a-proxy', cookie: 'session=of-a-proxy' };
      const sent = await fetch(`${posthorn.url}/v1/webhooks/${webhook.id}`, { method: 'POST', headers, body: bytes });
      expect(sent.status).toBe(400);
      const refused = await refusedAt(webhook.id);
      expect((await bodyOf(refused?.id)).body).toMatchObject({
        bytes: 3,
        body: bytes.toString('base64'),
        encoding: 'base64',
      });
      const row = await posthorn.deps.db.inboundRefusal.findUniqueOrThrow({ where: { id: refused?.id ?? '' } });
      expect(row.head).not.toMatch(/secret|of-a-proxy/);
      expect((await accept<Refusal>(refused?.id)).body.error.details).toEqual({
        field: 'body',
        reason: 'must be valid UTF-8',
      });
    });

    test('differs from an unauthenticated one, whose body is never stored', async () => {
      const { webhook } = await calls.makeWebhook();
      await calls.send(webhook.id, '{"password":"hunter2"}', github('{}', 'forged'));
      const forged = await refusedAt(webhook.id);
      expect(forged).toMatchObject({ reason: 'signature_wrong', hasBody: false });
      for (const answer of [await bodyOf(forged?.id), await accept(forged?.id)]) expect(answer.status).toBe(409);
      const row = await posthorn.deps.db.inboundRefusal.findUniqueOrThrow({ where: { id: forged?.id ?? '' } });
      expect([row.body, row.head, row.keptBytes]).toEqual([null, null, null]);
      expect((await accept('irf_00000000000000000000000000')).status).toBe(404);
      expect((await accept('x')).status).toBe(404);
    });

    test('is stored even if unauthenticated refusals fill the log, and up to 64 MiB of a webhook', async () => {
      const { webhook } = await calls.makeWebhook({ eventType: { pointer: '/kind' } });
      const { db, newId } = posthorn.deps;
      const { environmentId } = await db.inboundWebhook.findUniqueOrThrow({ where: { id: webhook.id } });
      const inADay = new Date(Date.now() + DAY_MS);
      const row = {
        environmentId,
        webhookId: webhook.id,
        reason: 'signature_wrong',
        detail: '',
        address: '::1',
        bytes: 0,
      };
      const times = { refusedAt: inADay, expiresAt: inADay };
      const refusal = () => ({ ...row, ...times, id: newId('inboundRefusal', inADay) });
      await db.inboundRefusal.createMany({ data: Array.from({ length: 100 }, refusal) });
      const rows = () => db.inboundRefusal.count({ where: { webhookId: webhook.id, refusedAt: { lt: inADay } } });
      await calls.send(webhook.id, '{}', github('[]', 'forged'));
      expect(await rows()).toBe(0);
      await calls.send(webhook.id, '{}', github('{}', 'kept'));
      expect(await rows()).toBe(1);
      await db.inboundRefusal.create({ data: { ...refusal(), keptBytes: 64 * MIB - 3 } });
      await calls.send(webhook.id, '{}', github('{}', 'no room'));
      expect(await rows()).toBe(1);
    });
  });
});

describe('inbound samples', () => {
  type Sample = { isSignable: boolean; reason?: string; body?: string; headers?: Record<string, string> };
  type Sent = { outcome: string; status: number; messageId?: string; reason?: string; detail?: string };
  type Refused = { error: { code: string; details?: { field: string; reason: string } } };
  type Logged = { reason: string; detail: string; userAgent?: string; eventId?: string };

  /** Senders that sign the address sign this one. */
  const PUBLIC_BASE_URL = 'https://hooks.example.com';
  let posthorn: TestPosthorn;
  let receiver: Receiver;
  let calls: ReturnType<typeof inboundCalls>;
  beforeAll(async () => {
    receiver = await startReceiver();
    posthorn = await startPosthorn({ withWorker: true, variables: { PUBLIC_BASE_URL } });
    calls = inboundCalls(posthorn);
  });
  afterAll(async () => {
    await posthorn.stop();
    await receiver.close();
  });

  const sampleOf = async (id: string): Promise<Sample> =>
    (await posthorn.request<Sample>('GET', `/v1/webhooks/${id}/sample`)).body;
  const send = async (id: string, given: object = {}): Promise<Sent> => {
    const { status, body } = await posthorn.request<Sent>('POST', `/v1/webhooks/${id}/sample`, given);
    if (status !== 200) throw new Error(`a sample was answered with ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const rotate = (id: string, secret: string, overlapHours = 0) =>
    posthorn.request('POST', `/v1/webhooks/${id}/secrets/rotate`, { secret, overlapHours });
  const refusalsOf = async (id: string): Promise<Logged[]> =>
    (await posthorn.request<{ data: Logged[] }>('GET', `/v1/webhooks/${id}/refusals`)).body.data;

  const KEEP_THEIR_KEY = ['discord', 'sendgrid', 'sns'];
  const isStandard = (scheme: string): boolean => ['standard', 'svix', 'body'].includes(scheme);
  const secretFor = (scheme: string, last: string): string =>
    isStandard(scheme) ? `whsec_${'A'.repeat(31)}${last}` : `secret-${last}`;

  const OWN: readonly { name: string; scheme: Provider['scheme']; fields: object }[] = [
    { name: 'a program, signed in the body', scheme: 'body', fields: {} },
    { name: 'Standard Webhooks', scheme: 'standard', fields: {} },
    { name: 'a token', scheme: 'token', fields: { signature: { header: 'X-Token' } } },
    {
      name: 'an HMAC of address, time and id',
      scheme: 'hmac',
      fields: {
        signature: {
          header: 'X-S',
          prefix: 'v1=',
          timestampHeader: 'X-T',
          idHeader: 'X-I',
          template: '{url}{timestamp}{id}{body}',
        },
        eventId: { header: 'X-I' },
        eventType: { pointer: '/what/kind' },
      },
    },
  ];

  describe.each([
    ...Object.values(CATALOGUE)
      .filter(({ name }) => !KEEP_THEIR_KEY.includes(name))
      .map(({ name, scheme }) => ({ name, scheme, fields: { provider: name } })),
    ...OWN,
  ])('$name', ({ scheme, fields }) => {
    test('has samples that are accepted, before its secret is rotated and after, and become messages marked as samples', async () => {
      const secrets = [secretFor(scheme, 'A')];
      const { webhook, channelId } = await calls.makeWebhook({ ...fields, scheme, secrets });
      expect(await sampleOf(webhook.id)).toMatchObject({ isSignable: true, body: expect.any(String) });
      const first = await send(webhook.id);
      expect(first).toEqual({ outcome: 'received', status: 200, messageId: expect.stringMatching(/^msg_/) });
      expect((await rotate(webhook.id, secretFor(scheme, 'Q'))).status).toBe(200);
      const second = await send(webhook.id);
      expect(second.outcome).toBe('received');
      const messages = await calls.messagesIn(channelId);
      expect(messages.map(({ id }) => id)).toEqual([second.messageId, first.messageId]);
      const message = await calls.messageOf(first.messageId ?? '');
      expect(message.metadata).toMatchObject({ webhookId: webhook.id, sample: 'true' });
      expect(message.eventType).not.toBe('');
      expect(await refusalsOf(webhook.id)).toEqual([]);
    });
  });

  describe('a service that signs with its own key', () => {
    const discordKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const ecdsaKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      format: 'der',
      type: 'spki',
    });

    test.each([
      ['discord', 'ed25519', discordKey.toString('hex'), 'scheme'],
      ['sendgrid', 'ecdsa', ecdsaKey.toString('base64'), 'scheme'],
      ['sns', 'sns', 'arn:aws:sns:eu-west-1:123456789012:orders', 'scheme'],
      [undefined, 'standard', `whpk_${discordKey.toString('base64')}`, 'secrets'],
    ])('(%s, %s) has no sample: it is refused, and nothing is recorded', async (provider, scheme, secret, field) => {
      const sender = provider === undefined ? { scheme } : { provider, scheme };
      const { webhook, channelId } = await calls.makeWebhook({ ...sender, secrets: [secret] });
      const { isSignable, reason, ...rest } = await sampleOf(webhook.id);
      expect([isSignable, reason, rest]).toEqual([false, expect.stringMatching(/^cannot /), {}]);
      const { status, body } = await posthorn.request<Refused>('POST', `/v1/webhooks/${webhook.id}/sample`, {});
      expect([status, body.error.code, body.error.details]).toEqual([409, 'CONFLICT', { field, reason }]);
      expect([await calls.messagesIn(channelId), await refusalsOf(webhook.id)]).toEqual([[], []]);
    });

    test('and a signing one of Standard Webhooks with it: the latter has samples, even if a public key is newer', async () => {
      const { webhook } = await calls.makeWebhook({ scheme: 'standard', secrets: [secretFor('standard', 'A')] });
      await rotate(webhook.id, `whpk_${discordKey.toString('base64')}`, 24);
      expect((await send(webhook.id)).outcome).toBe('received');
    });
  });

  describe('a sample of GitHub', () => {
    test('is delivered as it was written, digit for digit, with the type of its header', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      await calls.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
      const body = '{"action":"opened",  "size": 12345678901234567890.10}';
      const { messageId = '' } = await send(webhook.id, { body, headers: { 'x-github-event': 'issues' } });
      expect(await calls.messageOf(messageId)).toMatchObject({ eventType: 'issues', metadata: { sample: 'true' } });
      const delivered = await waitFor('the delivery', () =>
        receiver.requests.find((request) => request.body.includes(messageId)),
      );
      expect(delivered.body).toContain(body);
    });

    test('with the id of an earlier request is a duplicate of it, and says so', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const real = await calls.send(webhook.id, '{}', github('{}', 'd-1'));
      const sent = await send(webhook.id, { headers: { 'X-GitHub-Delivery': 'd-1' } });
      expect(sent).toEqual({ outcome: 'repeated', status: 200, messageId: real.body.messageId });
      expect(await calls.messagesIn(channelId)).toHaveLength(1);
    });

    test('that is a handshake is answered and becomes no message', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const sent = await send(webhook.id, { headers: { 'X-GitHub-Event': 'ping' } });
      expect([sent, await calls.messagesIn(channelId)]).toEqual([{ outcome: 'handshake', status: 200 }, []]);
    });

    test('that cannot be read is refused like the same request from GitHub, and marked in the log', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      const real = await calls.send<Refused>(webhook.id, 'no JSON', github('no JSON', 'd'));
      const sent = await send(webhook.id, { body: 'no JSON' });
      expect(sent).toMatchObject({ outcome: 'refused', status: real.status, reason: 'body_invalid' });
      const [logged, before] = await refusalsOf(webhook.id);
      expect(logged).toMatchObject({ reason: before?.reason, detail: before?.detail, userAgent: 'posthorn-sample' });
      expect([sent.detail, before?.userAgent === 'posthorn-sample']).toEqual([logged?.detail, false]);
      expect(await calls.messagesIn(channelId)).toEqual([]);
    });

    test('cannot be forged by a stranger', async () => {
      const { webhook } = await calls.makeWebhook();
      await calls.send<Refused>(webhook.id, '{}', { ...github('{}', 'd', 'wrong'), 'user-agent': 'posthorn-sample' });
      const [logged] = await refusalsOf(webhook.id);
      expect([logged?.reason, logged?.userAgent]).toEqual(['signature_wrong', undefined]);
    });

    test('that violates the schema of its channel is refused with the reason', async () => {
      const schemas = { push: { type: 'object', required: ['ticket'] } };
      const { webhook } = await calls.makeWebhook({}, { schemas });
      const sent = await send(webhook.id);
      expect(sent).toMatchObject({ outcome: 'refused', status: 400, reason: 'payload_refused' });
      expect(sent.detail).toContain('ticket');
    });

    test.each<readonly [string, (of: { webhookId: string; channelId: string }) => Promise<unknown>, string]>([
      [
        'disabled',
        ({ webhookId }) => posthorn.request('PATCH', `/v1/webhooks/${webhookId}`, { status: 'disabled' }),
        'webhook_disabled',
      ],
      [
        'of an archived channel',
        ({ channelId }) => posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'archived' }),
        'channel_archived',
      ],
    ])('for a webhook that is %s is refused like a real request', async (_, close, reason) => {
      const { webhook, channelId } = await calls.makeWebhook();
      await close({ webhookId: webhook.id, channelId });
      const real = await calls.send<Refused>(webhook.id, '{}', github('{}', 'd'));
      const sent = await send(webhook.id);
      expect(sent).toMatchObject({ outcome: 'refused', status: 409, reason });
      expect([real.status, (await refusalsOf(webhook.id)).map((row) => row.reason)]).toEqual([409, [reason, reason]]);
      expect(await calls.messagesIn(channelId)).toEqual([]);
    });

    test('for a paused channel is accepted, and waits there', async () => {
      const { webhook, channelId } = await calls.makeWebhook();
      await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
      expect(await send(webhook.id)).toMatchObject({ outcome: 'received', messageId: expect.stringMatching(/^msg_/) });
    });
  });

  test('without an object, with invalid headers or with unknown fields is refused with its fields', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, 'v']));
    for (const [given, field] of [
      [{ body: 7 }, 'body'],
      [{ headers: { 'X Y': 'v' } }, 'headers'],
      [{ headers: { X: 'a\nb' } }, 'headers.X'],
      [{ headers: tooMany }, 'headers'],
      [{ content: '' }, 'content'],
    ] as const) {
      const { status, body } = await posthorn.request<Refused>('POST', `/v1/webhooks/${webhook.id}/sample`, given);
      expect([given, status, body.error.details?.field]).toEqual([given, 400, expect.stringContaining(field)]);
    }
    expect(await calls.messagesIn(channelId)).toEqual([]);
  });
});
