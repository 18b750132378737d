import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CONTRACT,
  type ContractRow,
  fillPath,
  parameterOf,
  type ResourceIds,
} from '../support/check/contract-table.ts';
import { oneOfEachKind } from '../support/check/contract-kinds.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { asPerson, personScheme } from '../support/world/person-scheme.ts';
import { seedResources } from '../support/make/seed.ts';
import { tableContents } from '../support/check/table-contents.ts';

let posthorn: TestPosthorn;
let ids: ResourceIds;
/** Headers of a user above the environments. */
let person: Record<string, string>;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, schemes: [personScheme] });
  const { organisationId } = await posthorn.deps.db.app.findFirstOrThrow();
  person = asPerson(organisationId);
  ids = await seedResources(posthorn, posthorn.keys.live);
});
afterAll(() => posthorn.stop());

type Fault = { field: string; reason: string };
type Refusal = { error?: { code: string; details?: Fault & { errors?: Fault[] } } };
type Sent = { body?: unknown; query?: string };

/** Calls the row's endpoint with the request as given; also with a body on GET, which fetch would not send. */
function call(row: ContractRow, { body, query = '' }: Sent): Promise<{ status: number; body: Refusal }> {
  const parameter = parameterOf(row.path);
  const path = fillPath(row.path, parameter === undefined ? '' : ids[parameter]) + query;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      posthorn.url + path,
      {
        method: row.method,
        agent: false,
        headers: {
          ...(row.level === 'organisation' ? person : { authorization: `Bearer ${posthorn.keys.live}` }),
          ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (incoming) => {
        const { statusCode: status = 0 } = incoming;
        if (incoming.headers['content-type']?.startsWith('application/json') === false) {
          incoming.destroy();
          resolve({ status, body: {} });
          return;
        }
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          // `as`: the assertions check whatever the response is.
          resolve({ status, body: (answer === '' ? {} : JSON.parse(answer)) as Refusal });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

type Refused = Sent & { field: string; reason: string };

/** Sends each of them, and expects a refusal of that field whose reason begins with that text. */
async function expectEachRefused(row: ContractRow, sent: readonly Refused[]): Promise<void> {
  for (const { field, reason, ...what } of sent) {
    const { status, body } = await call(row, what);
    // Routes that check further list the one fault again.
    const { errors = [], ...first } = body.error?.details ?? { field: '', reason: '' };
    expect([row.method, row.path, what, status, body.error?.code, first]).toEqual([
      row.method,
      row.path,
      what,
      400,
      'INVALID_REQUEST',
      { field, reason },
    ]);
    expect(errors.slice(0, 1)).toEqual(errors.length === 0 ? [] : [first]);
  }
}

async function expectSameTables(work: () => Promise<void>): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  await work();
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}

const expectRefused = (row: ContractRow, sent: readonly Refused[]): Promise<void> =>
  expectSameTables(() => expectEachRefused(row, sent));

const UNKNOWN_FIELD = 'is not a known field';
const UNKNOWN_PARAMETER = 'is not a known parameter';

// Regression: zod's objects dropped unknown fields, and a route without a schema checked nothing.
test('each route refuses an unknown field and an unknown parameter, and changes nothing', () =>
  expectSameTables(async () => {
    for (const row of CONTRACT) {
      const body = row.body?.(ids) ?? {};
      await expectEachRefused(row, [
        { body: { ...body, zebra: { zebra: 1 } }, field: 'zebra', reason: UNKNOWN_FIELD },
        { query: '?zebra=1', body: row.body?.(ids), field: 'zebra', reason: UNKNOWN_PARAMETER },
      ]);
    }
  }));

describe.each(oneOfEachKind(CONTRACT))('%s', (_, row) => {
  const good = (): Record<string, unknown> => row.body?.(ids) ?? {};

  test('refuses an unknown field, and changes nothing', async () => {
    await expectRefused(row, [
      { body: { ...good(), zebra: { zebra: 1 } }, field: 'zebra', reason: UNKNOWN_FIELD },
      { body: { zebra: null }, field: 'zebra', reason: UNKNOWN_FIELD },
    ]);
  });

  test('refuses an unknown parameter, with a value or without, and changes nothing', async () => {
    await expectRefused(
      row,
      ['?zebra=1', '?zebra', '?zebra='].map((query) => ({
        query,
        body: row.body?.(ids),
        field: 'zebra',
        reason: UNKNOWN_PARAMETER,
      })),
    );
  });

  if (row.body === undefined) {
    test('refuses a body that is malformed or not an object', async () => {
      await expectRefused(row, [
        { body: '{', field: 'body', reason: 'must be valid JSON (at position 1)' },
        { body: '[]', field: 'body', reason: 'must be an object' },
        { body: '"x"', field: 'body', reason: 'must be an object' },
        { body: 'null', field: 'body', reason: 'must be an object' },
      ]);
    });

    test(`answers ${row.status} to an empty object`, async () => {
      expect((await call(row, { body: {} })).status).toBe(row.status);
      // Resources that were deleted, replayed or cancelled must exist again for the next endpoint.
      if (row.method !== 'GET') ids = await seedResources(posthorn, posthorn.keys.live);
    });
  }
});

test('a request with unknown fields inside known objects is refused with the nearest known name', async () => {
  const rowOf = (method: string, path: string): ContractRow => {
    const row = CONTRACT.find((each) => each.method === method && each.path === path);
    if (row === undefined) throw new Error(`${method} ${path} is not in the contract`);
    return row;
  };
  const target = { channelId: ids.channelId, webhookUrl: 'https://example.com/in' };
  const message = { eventType: 'order.created', payload: {} };
  const cases: [string, string, Record<string, unknown>, string, string | undefined][] = [
    ['POST', '/v1/subscriptions', { ...target, events: ['a'] }, 'events', 'eventTypes'],
    ['POST', '/v1/subscriptions', { channelId: ids.channelId, url: 'https://example.com' }, 'url', 'webhookUrl'],
    ['POST', '/v1/subscriptions', { ...target, retryPolicy: { retries: 1 } }, 'retryPolicy.retries', 'maxRetries'],
    ['POST', '/v1/subscriptions', { ...target, retryPolicy: { maxRetry: 1 } }, 'retryPolicy.maxRetry', 'maxRetries'],
    [
      'PATCH',
      '/v1/subscriptions/:subscriptionId',
      { retryPolicy: { maxRetrys: 1 } },
      'retryPolicy.maxRetrys',
      'maxRetries',
    ],
    ['POST', '/v1/api-keys', { name: 'key', limits: { batchPerMin: 1 } }, 'limits.batchPerMin', 'batchPerMinute'],
    ['PATCH', '/v1/api-keys/:apiKeyId', { limits: { jitter: 1 } }, 'limits.jitter', undefined],
    ['POST', '/v1/channels/:channelId/messages', { type: 'a', payload: {} }, 'type', 'eventType'],
    [
      'POST',
      '/v1/channels/:channelId/messages/batch',
      { messages: [message, { ...message, data: {} }] },
      'messages[1].data',
      'payload',
    ],
    ['POST', '/v1/channels/:channelId/validate', { messages: [{ ...message, ttl: 1 }] }, 'messages[0].ttl', undefined],
    ['POST', '/v1/dlq/discard', { channel: ids.channelId }, 'channel', 'channelId'],
    ['POST', '/v1/dlq/replay', { channel: ids.channelId }, 'channel', 'channelId'],
    ['POST', '/v1/subscriptions/:subscriptionId/replay', { from: '2026-01-01T00:00:00Z' }, 'from', 'since'],
    ['POST', '/v1/messages/:messageId/replay', { subscription: 'x' }, 'subscription', 'subscriptionId'],
    ['PATCH', '/v1/channels/:channelId', { schemaMod: 'warn' }, 'schemaMod', 'schemaMode'],
  ];
  for (const [method, path, body, field, nearest] of cases) {
    const reason = nearest === undefined ? UNKNOWN_FIELD : `${UNKNOWN_FIELD}; did you mean ${nearest}?`;
    await expectRefused(rowOf(method, path), [{ body, field, reason }]);
  }
  const lists: [string, string, string, string][] = [
    ['/v1/deliveries', '?message=x', 'message', 'messageId'],
    ['/v1/channels', '?page=2', 'page', 'cursor'],
    ['/v1/dlq', '?per_page=2', 'per_page', 'limit'],
    ['/v1/channels/:channelId/messages', '?from=2026-01-01T00:00:00Z', 'from', 'since'],
  ];
  for (const [path, query, field, nearest] of lists)
    await expectRefused(rowOf('GET', path), [
      { query, field, reason: `${UNKNOWN_PARAMETER}; did you mean ${nearest}?` },
    ]);
});

test('a request may have unknown fields inside payload, metadata, headers and a schema', async () => {
  const schema = { type: 'object', properties: { zebra: { type: 'integer' } } };
  const channel = await posthorn.request('POST', '/v1/channels', { name: 'free', schema, schemas: { zebra: schema } });
  const subscription = await posthorn.request('POST', '/v1/subscriptions', {
    channelId: channel.body['id'],
    webhookUrl: 'https://example.com/in',
    headers: { 'x-zebra': '1' },
  });
  const message = await posthorn.request('POST', `/v1/channels/${String(channel.body['id'])}/messages`, {
    eventType: 'zebra',
    payload: { zebra: 1, data: { events: null } },
    metadata: { zebra: 'yes' },
  });
  expect([channel.status, subscription.status, message.status]).toEqual([201, 201, 202]);
  expect([channel.body['schema'], subscription.body['headers'], message.body['payload']]).toEqual([
    schema,
    { 'x-zebra': '1' },
    { zebra: 1, data: { events: null } },
  ]);
});

test('probes accept any parameters, because other programs write those requests', async () => {
  for (const path of ['/healthz?probe=1', '/readyz?verbose', '/readyz?zebra='])
    expect([path, (await fetch(posthorn.url + path)).status]).toEqual([path, 200]);
});
