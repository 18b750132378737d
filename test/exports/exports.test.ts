import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createExports, MOST_EXPORTED, pagesOf } from '../../src/insight/exports/service.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let channelId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ({ id: channelId } = await createChannel(posthorn));
});
afterAll(() => posthorn.stop());

async function take(
  path: string,
  key = posthorn.keys.live,
): Promise<{ text: string; headers: Headers; status: number }> {
  const response = await fetch(posthorn.url + path, { headers: { authorization: `Bearer ${key}` } });
  return { text: await response.text(), headers: response.headers, status: response.status };
}
async function publishText(eventType: string, payload: string): Promise<string> {
  const response = await fetch(`${posthorn.url}/v1/channels/${channelId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
    body: `{"eventType": ${JSON.stringify(eventType)}, "payload": ${payload}}`,
  });
  expect(response.status).toBe(202);
  // `as`: an answer of the API.
  return ((await response.json()) as { id: string }).id;
}

describe('messages', () => {
  test('leave as lines of JSON with their payload digit for digit, narrowed as the list is', async () => {
    const exact = await publishText('exact.made', '{"total": 12.50,\n "big": 12345678901234567890}');
    await publishText('other.made', '{}');
    const { text, headers } = await take('/v1/messages/export?eventType=exact.*');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="messages.ndjson"');
    const [line = '', ...more] = text.split('\n');
    expect(more).toEqual(['']);
    expect(line).toContain('"payload":{"total": 12.50,  "big": 12345678901234567890}');
    expect((JSON.parse(line) as { id: string }).id).toBe(exact);
  });

  test('leave as a table in which no spreadsheet finds a formula', async () => {
    const id = await publishText('=cmd|calc', '{"say": "\\"no\\", never"}');
    const { text, headers } = await take(`/v1/messages/export?format=csv&eventType=${encodeURIComponent('=cmd|calc')}`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, row = '', ...more] = text.split('\r\n');
    expect(head).toBe('id,channelId,eventType,publishedAt,deliveryStatus,erasedAt,metadata,payload');
    expect(row).toMatch(new RegExp(`^${id},${channelId},'=cmd\\|calc,[^,]+Z,unrouted,,,`));
    expect(row.endsWith(`,"{""say"": ""\\""no\\"", never""}"`)).toBe(true);
    expect(more).toEqual(['']);
  });

  test('that are many and large leave in one go, whole, newest first, and an erased one without its payload', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 25; n += 1)
      ids.push(await publishText('large.made', `{"n": ${n}, "text": "${'x'.repeat(200_000)}"}`));
    await posthorn.request('DELETE', `/v1/messages/${ids[3]}`);
    const { text } = await take('/v1/messages/export?eventType=large.made');
    // `as`: messages.
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; payload?: { n: number } });
    expect(rows.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(rows.map(({ payload }) => payload?.n ?? -1)).toEqual(ids.map((_, n) => (n === 3 ? -1 : n)).toReversed());
  });
});

test('deliveries, dead letters and runs leave as what their lists show, more than a page of them', async () => {
  const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
  const { id: subscriptionId } = await createSubscription(posthorn, target);
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  await posthorn.deps.pool.query(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, 1100) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries,
         initial_delay, max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'failed', 0, 0, 0, 1 FROM message RETURNING id, message_id
     )
     INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type, status,
       reason, attempts, failed_at)
     SELECT posthorn_id('dlq'), $1, $2, message_id, $3, id, 1, 'order.created', 'open', 'exhausted', 1, now() FROM delivery`,
    [environmentId, channelId, subscriptionId],
  );
  for (const [path, of] of [
    ['/v1/deliveries', `subscriptionId=${subscriptionId}&status=failed`],
    ['/v1/dlq', 'reason=exhausted'],
  ] as const) {
    const { text } = await take(`${path}/export?${of}`);
    const lines = text.trimEnd().split('\n');
    expect([path, lines.length, new Set(lines).size]).toEqual([path, 1_100, 1_100]);
    const page = await posthorn.request<{ data: object[] }>('GET', `${path}?${of}&limit=100`);
    expect(lines.slice(0, 100).map((line): unknown => JSON.parse(line))).toEqual(page.body.data);
    const table = await take(`${path}/export?${of}&format=csv`);
    expect(table.text.trimEnd().split('\r\n')).toHaveLength(1_101);
  }
  expect((await take('/v1/runs/export')).text).toBe('');
  expect((await take('/v1/runs/export?format=csv')).text).toMatch(/^id,workflowId,.*output\r\n$/);
  expect((await take('/v1/deliveries/export', posthorn.keys.test)).text).toBe('');
});

test('the audit log says who took what, with the filters', async () => {
  await take('/v1/dlq/export?format=csv&status=open&since=2026-01-31T12:00:00Z');
  const { body } = await posthorn.request<{ data: { after: object; actor: object }[] }>(
    'GET',
    '/v1/audit?action=dead_letter.exported&limit=1',
  );
  expect(body.data[0]).toMatchObject({
    actor: { kind: 'apiKey' },
    after: { format: 'csv', status: 'open', since: '2026-01-31T12:00:00.000Z' },
  });
});

test('nothing leaves where the audit log cannot be written', async () => {
  const { deps, services } = posthorn;
  const exports = createExports(deps, {
    ...services,
    audit: { record: () => Promise.reject(new Error('the log is full')) },
  });
  const caller = { organisationId: 'org_none', environmentId: 'env_none' };
  // `as`: all of a caller that is read before the log is.
  await expect(exports.runs(caller as never, { format: 'csv' })).rejects.toThrow('the log is full');
});

test.each(['format=xml', 'limit=5', 'cursor=x', 'status=none'])('%s is refused', async (query) => {
  expect((await take(`/v1/deliveries/export?${query}`)).status).toBe(400);
});

test(`an export ends with ${MOST_EXPORTED} rows`, async () => {
  let [asked, rows] = [0, 0];
  const pages = pagesOf(({ limit }) => {
    asked += 1;
    return Promise.resolve({
      data: Array.from({ length: limit }, () => 0),
      pagination: { hasMore: true, cursor: 'x' },
    });
  });
  for await (const page of pages) rows += page.length;
  expect([rows, asked]).toEqual([MOST_EXPORTED, MOST_EXPORTED / 500]);
});
