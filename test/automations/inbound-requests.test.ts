import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetExpired } from '../../src/dispatch/recovery/forget-expired.ts';
import { longestTurn, referenceTurn } from '../support/check/longest-turn.ts';
import { github, inboundCalls, type Refusal, SECRET } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = inboundCalls(posthorn);
});
afterAll(() => posthorn.stop());

const DAY_MS = 86_400_000;

/** Sends what GitHub would send, and returns the message that it became. */
async function send(webhookId: string, eventId: string, body = '{"n":1}'): Promise<string> {
  const { status, body: answer } = await calls.send(webhookId, body, github(body, eventId));
  expect(status).toBe(200);
  return answer.messageId;
}

test('requests are listed with what became of them: their message, the first one of their event, or the reason', async () => {
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
  // By outcome, and by a time: the one before the refusal is left out.
  const ids = async (query: string): Promise<string[]> =>
    (await calls.requestsTo(webhook.id, query)).map(({ id }) => id);
  expect(await ids('?outcome=repeated')).toEqual([repeated?.id]);
  expect(await ids('?outcome=received')).toEqual([sample?.id, received?.id]);
  expect(await ids(`?until=${received?.receivedAt}`)).toEqual([]);
});

test('requests of a service without ids of events are listed too, each with its own message', async () => {
  const { webhook, channelId } = await calls.makeWebhook({ scheme: 'token', signature: { header: 'X-Token' } });
  for (const n of [1, 2]) await calls.send(webhook.id, `{"n":${n}}`, { 'x-token': 'a secret that both sides know' });
  const messages = await calls.messagesIn(channelId);
  expect(messages).toHaveLength(2);
  expect((await calls.requestsTo(webhook.id)).map(({ outcome, messageId }) => [outcome, messageId])).toEqual(
    messages.map(({ id }) => ['received', id]),
  );
});

test('a request to a paused channel is received once, and repeated after that', async () => {
  const { webhook, channelId } = await calls.makeWebhook();
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  const messageId = await send(webhook.id, 'held');
  expect(await send(webhook.id, 'held')).toBe(messageId);
  const requests = await calls.requestsTo(webhook.id);
  expect(requests.map(({ outcome }) => outcome)).toEqual(['repeated', 'received']);
  // The message waits: it has no event type to show before it is published.
  for (const request of requests) expect([request.messageId, request.eventType]).toEqual([messageId, undefined]);
});

test('a payload that does not fit is refused, and is not received as well', async () => {
  const schemas = { push: { type: 'object', required: ['x'] } };
  const { webhook } = await calls.makeWebhook({}, { schemas });
  const body = '{"n":1}';
  expect((await calls.send(webhook.id, body, github(body, 'unfit'))).status).toBe(400);
  expect((await calls.requestsTo(webhook.id)).map(({ outcome }) => outcome)).toEqual(['refused']);
});

test('repeated requests are written down up to 100 in a minute, and every other one with its message', async () => {
  const { webhook } = await calls.makeWebhook();
  const messageId = await send(webhook.id, 'again');
  const { db, newId } = posthorn.deps;
  const { environmentId } = await db.inboundWebhook.findUniqueOrThrow({ where: { id: webhook.id } });
  const row = { environmentId, webhookId: webhook.id, messageId, isSample: false, isRepeated: true };
  const expiresAt = new Date(Date.now() + DAY_MS);
  await db.inboundReceipt.createMany({
    // Their ids are a day ahead: they count as ones of the last minute however slow the machine is.
    data: Array.from({ length: 100 }, () => ({ ...row, id: newId('inboundReceipt', expiresAt), expiresAt })),
  });
  expect(await send(webhook.id, 'again')).toBe(messageId);
  const next = await send(webhook.id, 'next');
  const count = (isRepeated: boolean) => db.inboundReceipt.count({ where: { webhookId: webhook.id, isRepeated } });
  expect([await count(true), await count(false)]).toEqual([100, 2]);
  expect((await calls.requestsTo(webhook.id, '?outcome=received'))[0]?.messageId).toBe(next);
});

test('a request is kept as long as its channel keeps messages, and then forgotten', async () => {
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
  ['empty objects', 'body', `{"a":[${'{},'.repeat(MIB / 3 - 5)}{}]}`, {}],
  ['lists of empty objects', 'mailgun', `[${'{},'.repeat(MIB / 3 - 2)}{}]`, {}],
  [
    'forms with a wrong signature',
    'twilio',
    'a=1&'.repeat(MIB / 4),
    { ...FORM, 'x-twilio-signature': 'A'.repeat(27) + '=' },
  ],
])('thirty unproven %s at once hold nobody up (%s)', async (_, sender, body, headers) => {
  const scheme = sender === 'body' ? { scheme: sender, secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`] } : {};
  const { webhook } = await calls.makeWebhook({ ...(sender !== 'body' && { provider: sender }), ...scheme });
  const flood = async (id: string, status: number): Promise<number> => {
    let statuses: number[] = [];
    const turn = await longestTurn(async () => {
      const sent = Array.from({ length: 30 }, () => calls.send<Refusal>(id, body, headers));
      statuses = (await Promise.all(sent)).map((each) => each.status);
    });
    expect(new Set(statuses)).toEqual(new Set([status]));
    return turn;
  };
  // What it takes to send as many bytes from this process, and to receive them.
  const carrying = await flood('whk_00000000000000000000000000', 404);
  expect((await flood(webhook.id, 400)) - carrying).toBeLessThan(3 * referenceTurn());
});

test('fifty payload fields by deep pointers are found in one pass, and a payload above 1 MiB is never built', async () => {
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
  const turn = await longestTurn(async () => {
    const sent = await calls.send(webhook.id, body, token);
    status = sent.status;
    messageId = sent.body.messageId;
  });
  expect(status).toBe(200);
  expect(turn).toBeLessThan(3 * referenceTurn());
  const { payload } = await calls.messageOf(messageId);
  expect(payload).toEqual(Object.fromEntries(items.map((value, n) => [`f${n}`, Number(value)])));

  const everything = Object.fromEntries(Array.from({ length: 50 }, (__, n) => [`f${n}`, '']));
  await posthorn.request('PATCH', `/v1/webhooks/${webhook.id}`, { payload: { fields: everything } });
  const { status: refused, body: answer } = await calls.send<Refusal>(webhook.id, body, token);
  expect([refused, answer.error.details?.field]).toEqual([400, 'payload']);
});
