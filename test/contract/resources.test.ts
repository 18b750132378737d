import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { channelAnswer } from '../../src/messaging/channels/schema.ts';
import { deadLetterAnswer } from '../../src/delivery/dead-letters/schema.ts';
import { attemptAnswer, deliveryAnswer } from '../../src/delivery/record/schema.ts';
import { apiKeyAnswer, newApiKeyAnswer } from '../../src/identity/credentials/api-keys/schema.ts';
import { messageAnswer } from '../../src/messaging/messages/schema.ts';
import { subscriptionAnswer } from '../../src/messaging/subscriptions/schema.ts';
import { problemsOf } from '../support/check/answer-check.ts';
import type { ResourceIds } from '../support/check/contract-table.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertAttempt, make, seedResources } from '../support/make/seed.ts';

let posthorn: TestPosthorn;
let ids: ResourceIds;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ids = await seedResources(posthorn, posthorn.keys.live);
});
afterAll(() => posthorn.stop());

/** Reads a resource, checks it against its documented fields and returns the names of its fields. */
async function fieldsOf(resource: z.ZodType, path: string): Promise<string[]> {
  const { status, body } = await posthorn.request('GET', path);
  expect([status, problemsOf(resource, body)]).toEqual([200, []]);
  return Object.keys(body);
}

/** Reads the first item of a list, which must be what the resource's own address shows. */
async function firstOf(resource: z.ZodType, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await posthorn.request<{ data: Record<string, unknown>[] }>('GET', path);
  const [first = {}] = body.data;
  expect([status, problemsOf(resource, first)]).toEqual([200, []]);
  return first;
}

// Specification §2 lists the fields of its resources in this order.
const CHANNEL = ['id', 'name', 'status', 'retentionDays', 'createdAt', 'updatedAt'];
const DELIVERY = [
  'id',
  'messageId',
  'subscriptionId',
  'eventType',
  'status',
  'attempts',
  'policyAttempts',
  'createdAt',
];
const MESSAGE = ['id', 'channelId', 'eventType', 'payload', 'publishedAt', 'deliveryStatus'];
const SUBSCRIPTION = [
  'id',
  'channelId',
  'name',
  'webhookUrl',
  'status',
  'eventTypes',
  'retryPolicy',
  'headers',
  'createdAt',
  'updatedAt',
];

test('a channel has the fields of the specification, without those that were not set', async () => {
  expect((await fieldsOf(channelAnswer, `/v1/channels/${ids.channelId}`)).toSorted()).toEqual(CHANNEL.toSorted());
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const full = await make(posthorn, posthorn.keys.live, '/v1/channels', {
    name: 'full',
    description: '',
    schema,
    schemas: { 'order.paid': schema },
    retentionDays: 7,
  });
  expect((await fieldsOf(channelAnswer, `/v1/channels/${full.id}`)).toSorted()).toEqual(
    [...CHANNEL, 'description', 'schema', 'schemas', 'schemaMode'].toSorted(),
  );
  expect(await firstOf(channelAnswer, '/v1/channels')).toEqual(full);
});

test('a message has the fields of the specification, and metadata only if it was set', async () => {
  expect((await fieldsOf(messageAnswer, `/v1/messages/${ids.messageId}`)).toSorted()).toEqual(MESSAGE.toSorted());
  for (const metadata of [{}, { source: 'till' }]) {
    const list = `/v1/channels/${ids.channelId}/messages`;
    const message = await make(posthorn, posthorn.keys.live, list, { eventType: 'a', payload: {}, metadata });
    expect(message['metadata']).toEqual(metadata);
    expect((await fieldsOf(messageAnswer, `/v1/messages/${message.id}`)).toSorted()).toEqual(
      [...MESSAGE, 'metadata'].toSorted(),
    );
    expect(await firstOf(messageAnswer, list)).toEqual(message);
  }
});

test('a subscription has the fields of the specification, its limits and its circuit breaker, and never its secret', async () => {
  const path = `/v1/subscriptions/${ids.subscriptionId}`;
  const ours = ['statusChangedAt', 'timeoutMs', 'maxRetryAfter', 'circuitBreaker', 'circuit', 'concurrency'];
  expect((await fieldsOf(subscriptionAnswer, path)).toSorted()).toEqual([...SUBSCRIPTION, ...ours].toSorted());
  const { body } = await posthorn.request('GET', path);
  // Defaults are included.
  expect(body).toMatchObject({
    name: 'example.com',
    eventTypes: [],
    headers: {},
    retryPolicy: { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 },
    timeoutMs: 15_000,
    circuitBreaker: true,
    circuit: { state: 'closed' },
    concurrency: { limit: 20, inFlight: 0 },
  });
  const changed = await posthorn.request('PATCH', path, { headers: { 'x-shop': '7' }, eventTypes: ['order.*'] });
  // A list does not query the requests in flight of each subscription.
  const { concurrency, ...listed } = changed.body;
  expect(concurrency).toEqual(body['concurrency']);
  expect(await firstOf(subscriptionAnswer, '/v1/subscriptions')).toEqual(listed);
});

test('a delivery has no times and no response before its first attempt, and has them after it', async () => {
  const list = `/v1/channels/${ids.channelId}/messages`;
  const message = await make(posthorn, posthorn.keys.live, list, { eventType: 'order.created', payload: {} });
  const fresh = await firstOf(deliveryAnswer, `/v1/deliveries?messageId=${message.id}`);
  expect(Object.keys(fresh).toSorted()).toEqual(DELIVERY.toSorted());
  const path = `/v1/deliveries/${String(fresh['id'])}`;
  expect((await posthorn.request('GET', path)).body).toEqual(fresh);

  const where = { id: String(fresh['id']) };
  const tried = { attempts: 1, lastAttemptAt: new Date(), status: 'retrying' };
  // A connection that was refused: attempted, without a response.
  await posthorn.deps.db.delivery.update({ where, data: { ...tried, nextRetryAt: new Date() } });
  expect((await fieldsOf(deliveryAnswer, path)).toSorted()).toEqual(
    [...DELIVERY, 'lastAttemptAt', 'nextRetryAt'].toSorted(),
  );
  const answered = { responseStatus: 204, responseBody: '', responseLatencyMs: 3 };
  const done = { ...answered, status: 'delivered', nextRetryAt: null, dueAt: null };
  await posthorn.deps.db.delivery.update({ where, data: done });
  expect((await fieldsOf(deliveryAnswer, path)).toSorted()).toEqual(
    [...DELIVERY, 'lastAttemptAt', 'response'].toSorted(),
  );
  expect((await posthorn.request('GET', path)).body).toMatchObject({
    response: { status: 204, body: '', latencyMs: 3 },
  });

  expect((await fieldsOf(deliveryAnswer, `/v1/deliveries/${ids.deliveryId}`)).toSorted()).toEqual(
    [...DELIVERY, 'lastAttemptAt', 'response', 'reason', 'error'].toSorted(),
  );
  await posthorn.request('POST', `/v1/subscriptions/${ids.subscriptionId}/pause`);
  const waiting = await make(posthorn, posthorn.keys.live, list, { eventType: 'order.created', payload: {} });
  expect(Object.keys(await firstOf(deliveryAnswer, `/v1/deliveries?messageId=${waiting.id}`)).toSorted()).toEqual(
    [...DELIVERY, 'held'].toSorted(),
  );
  await posthorn.request('POST', `/v1/subscriptions/${ids.subscriptionId}/resume`);
});

test('an attempt has its fields and errorMessage, and error and response only if there was one', async () => {
  const attempt = ['id', 'deliveryId', 'number', 'startedAt', 'durationMs', 'outcome', 'temporalWorkflowId'];
  const path = `/v1/deliveries/${ids.deliveryId}/attempts`;
  expect(Object.keys(await firstOf(attemptAnswer, path)).toSorted()).toEqual(
    [...attempt, 'errorClass', 'errorMessage', 'response'].toSorted(),
  );
  const noAnswer = { responseStatus: null, responseHeaders: undefined, responseBody: null, responseLatencyMs: null };
  await insertAttempt(posthorn, ids.deliveryId, 2, { ...noAnswer, errorClass: 'connect' });
  expect(Object.keys(await firstOf(attemptAnswer, path)).toSorted()).toEqual(
    [...attempt, 'errorClass', 'errorMessage'].toSorted(),
  );
  const good = { outcome: 'delivered', errorClass: null, errorMessage: null, responseStatus: 200 };
  await insertAttempt(posthorn, ids.deliveryId, 3, good);
  expect(Object.keys(await firstOf(attemptAnswer, path)).toSorted()).toEqual([...attempt, 'response'].toSorted());
});

test('a dead letter has its fields, and when and by whom only once it is replayed', async () => {
  const path = `/v1/dlq/${ids.deadLetterId}`;
  const open = await fieldsOf(deadLetterAnswer, path);
  expect(await firstOf(deadLetterAnswer, '/v1/dlq')).toEqual((await posthorn.request('GET', path)).body);
  expect((await posthorn.request('GET', path)).body).toMatchObject({
    kind: 'delivery',
    status: 'open',
    lastError: { class: 'status', message: 'answered with status 500', status: 500 },
  });
  await posthorn.request('POST', `${path}/replay`);
  expect((await fieldsOf(deadLetterAnswer, path)).toSorted()).toEqual([...open, 'replayedAt', 'replayedBy'].toSorted());
});

test('an API key has its fields and its limits, and is shown only once', async () => {
  const { live } = posthorn.keys;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await make(posthorn, live, '/v1/api-keys', { name: 'till', expiresAt });
  expect(problemsOf(newApiKeyAnswer, made)).toEqual([]);
  const { key, ...shown } = made;
  expect(shown).toMatchObject({ expiresAt, prefix: String(key).slice(0, 12), last4: String(key).slice(-4) });
  const path = `/v1/api-keys/${made.id}`;
  expect((await posthorn.request('GET', path)).body).toEqual(shown);
  expect(await firstOf(apiKeyAnswer, '/v1/api-keys')).toEqual(shown);
  const rotated = await posthorn.request('POST', `${path}/rotate`);
  expect(problemsOf(newApiKeyAnswer, rotated.body)).toEqual([]);
  expect(rotated.body['key']).not.toBe(key);
});

test('the schemas of responses detect fields that are missing, unknown, null or of another type', () => {
  const channel = { id: `chn_01m${'0'.repeat(23)}`, name: 'a', status: 'active', retentionDays: 30 };
  const times = { createdAt: '2026-01-31T12:00:00.000Z', updatedAt: '2026-01-31T12:00:00.000Z' };
  const problems = (value: unknown): string[] => problemsOf(channelAnswer, value);
  expect(problems({ ...channel, ...times })).toEqual([]);
  expect(problems({ ...channel, createdAt: times.createdAt })).toEqual([expect.stringMatching(/^updatedAt: /)]);
  expect(problems({ ...channel, ...times, extra: 1 })).toEqual([expect.stringMatching(/"extra"/)]);
  expect(problems({ ...channel, ...times, description: null })).toHaveLength(1);
  expect(problems({ ...channel, ...times, id: 'msg_x' })).toHaveLength(1);
  for (const createdAt of ['2026-01-31T12:00:00+00:00', '2026-01-31T12:00:00Z', '2026-02-30T12:00:00.000Z', 0])
    expect(problems({ ...channel, ...times, createdAt })).toHaveLength(1);
  expect(problems([])).toHaveLength(1);
});
