import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { github, inboundCalls, type Refusal } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const REFUSALS = 5;

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false, strangerRequestsPerMinute: REFUSALS });
  calls = inboundCalls(posthorn);
});
afterAll(() => posthorn.stop());

test('a webhook has a bucket of its own, which its good requests empty, and the next webhook has another one', async () => {
  const [{ webhook }, { webhook: other }] = [await calls.makeWebhook(), await calls.makeWebhook()];
  const body = '{"n":1}';
  // One event again and again: it is one message, and each request counts.
  const again = (id: string) => calls.send<Refusal>(id, body, github(body, 'the-same'));
  for (let count = 0; count < 600; count += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => again(webhook.id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  }
  let last = await again(webhook.id);
  // On a slow machine the minute may be over, and a new one has room for as many again.
  while (last.status === 200) last = await again(webhook.id);
  const { status, headers, body: refused } = last;
  expect([status, refused.error.code, headers.get('x-ratelimit-remaining')]).toEqual([429, 'RATE_LIMITED', '0']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]/);
  expect((await again(other.id)).status).toBe(200);
}, 300_000);

test('an address whose requests are refused has a bucket for them, of which the headers tell once it is empty', async () => {
  const { webhook } = await calls.makeWebhook();
  const { webhook: other } = await calls.makeWebhook();
  const body = '{"n":1}';
  const limitsOf = (headers: Headers) => ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));

  // Good requests leave the bucket of the address alone, and refused ones that of the webhook.
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
    // The headers were those of the webhook, which had most of its requests left.
    expect(limitsOf(headers)).toEqual([String(REFUSALS), '0']);
    const waitSeconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000;
    expect(Math.abs(waitSeconds - Number(headers.get('retry-after')))).toBeLessThanOrEqual(2);
  }
  expect(await calls.refusalsOf(webhook.id)).toHaveLength(REFUSALS);
  expect(await calls.refusalsOf(other.id)).toEqual([]);
});
