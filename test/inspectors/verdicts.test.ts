import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { inspectorCalls, type List, post, type Row } from '../support/make/inspector-calls.ts';
import { make } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inspectorCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = inspectorCalls(posthorn);
});
afterAll(() => posthorn.stop());
// An environment has at most 20.
afterEach(() => posthorn.deps.db.inspector.deleteMany());

describe('the verdict on a signature', () => {
  const NOW = (): string => String(Math.floor(Date.now() / 1_000));
  const sign = (secret: string, id: string, timestamp: string, body: string): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`;

  test.each([
    [
      'the secret is another one',
      (s: string) => ({ secret: `whsec_${Buffer.alloc(32).toString('base64')}`, was: s }),
      'signature_differs',
    ],
    ['the body was changed', () => ({ body: '{"a": 1}' }), 'signature_differs'],
    ['the clock is off', () => ({ timestamp: String(Number(NOW()) - 400) }), 'timestamp_off'],
    ['the time is no number', () => ({ timestamp: 'now' }), 'timestamp_malformed'],
    ['the message is nobody’s', () => ({ messageId: `msg_${'0'.repeat(26)}` }), 'message_unknown'],
    ['a header is missing', () => ({ without: 'webhook-timestamp' }), 'header_missing'],
  ])('is failed with its reason when %s', async (_, change, reason) => {
    const { id, url } = await calls.makeInspector();
    const { messageId, subscriptionId } = await calls.publishTo(url);
    const path = `/v1/subscriptions/${subscriptionId}/secret`;
    const { secret } = (await posthorn.request<{ secret: string }>('GET', path)).body;
    const changed: Record<string, string> = change(secret);
    const { messageId: signedId = messageId, timestamp = NOW(), without = '' } = changed;
    const headers: Record<string, string> = {
      'webhook-id': signedId,
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(changed['secret'] ?? secret, signedId, timestamp, '{"a":1}'),
    };
    delete headers[without];
    await post(`${url}/by-hand`, changed['body'] ?? '{"a":1}', headers);
    const row = (await calls.rowsOf(id)).find((each) => each.path === '/by-hand');
    expect(row?.signature).toMatchObject({ verdict: 'failed', reason });
  });

  test('names no message and no subscription of another environment', async () => {
    const { url: own } = await calls.makeInspector();
    const { messageId, subscriptionId } = await calls.publishTo(own);
    const foreign = await make(posthorn, posthorn.keys.test, '/v1/inspectors', { name: 'theirs' });
    const path = `/v1/subscriptions/${subscriptionId}/secret`;
    const { secret } = (await posthorn.request<{ secret: string }>('GET', path)).body;
    const timestamp = NOW();
    const signature = sign(secret, messageId, timestamp, 'x');
    await post(`${posthorn.url}/inspect/${foreign.id}`, 'x', {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    });
    const list = await posthorn.request<List<Row>>('GET', `/v1/inspectors/${foreign.id}/requests`, undefined, {
      key: posthorn.keys.test,
    });
    expect(list.body.data.map(({ signature: seen }) => seen)).toEqual([
      { verdict: 'failed', reason: 'message_unknown' },
    ]);
  });
});
