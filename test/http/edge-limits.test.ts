import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';
import { waitFor } from '../support/check/wait-for.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ strangerRequestsPerMinute: 40 });
});
afterAll(() => edge.stop());

const BATCH = { messages: [{ eventType: 'a', payload: {} }] };
const NOTHING = { requestsPerMinute: 1_000, burst: 1_000, concurrent: 1_000, batchPerMinute: 1_000 };

function expectLimited(answer: EdgeAnswer, message: string, limit: number): number {
  expect([answer.status, answer.json.error?.code, answer.json.error?.message]).toEqual([429, 'RATE_LIMITED', message]);
  const retryAfter = answer.json.error?.retryAfter;
  expect(answer.headers['retry-after']).toBe(String(retryAfter));
  expect(answer.headers['x-ratelimit-limit']).toBe(String(limit));
  expect(answer.headers['x-request-id']).toBeDefined();
  return retryAfter ?? 0;
}

describe('a key', () => {
  test('with the tier Free has 10 requests in one second, and the refused ones do not use up its minute', async () => {
    // A busy machine may take longer for them than the second that is counted: then it is tried again with another key.
    const { key, answers } = await waitFor('30 requests within one second', async () => {
      const free = await edge.newKey({ tier: 'free', limits: { concurrent: 1_000 } });
      const startedAt = performance.now();
      const made = await Promise.all(Array.from({ length: 30 }, () => edge.call({ key: free })));
      return performance.now() - startedAt < 1_000 && { key: free, answers: made };
    });
    const limited = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(limited).toHaveLength(20);
    for (const answer of limited) expect(expectLimited(answer, 'More than 10 requests in one second', 60)).toBe(1);
    const later = await waitFor('the second to be over', async () => {
      const answer = await edge.call({ key });
      return answer.status === 200 && answer;
    });
    expect(later.headers['x-ratelimit-remaining']).toBe('49');
  });

  test('has its requests per minute, whatever their outcome, then 429 until the window ends', async () => {
    const key = await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 4 } });
    const first = await edge.call({ key });
    expect([first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual(['4', '3']);
    const remaining = [];
    for (const call of [{ path: '/nothing' }, { method: 'PUT' }, { path: '/v1/list?limit=x' }]) {
      remaining.push((await edge.call({ key, ...call })).headers['x-ratelimit-remaining']);
    }
    expect(remaining).toEqual(['2', '1', '0']);
    const limited = await edge.call({ key });
    const retryAfter = expectLimited(limited, 'More than 4 requests in 60 seconds', 4);
    expect(limited.headers['x-ratelimit-remaining']).toBe('0');
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(Math.abs(Number(limited.headers['x-ratelimit-reset']) - Date.now() / 1000 - retryAfter)).toBeLessThanOrEqual(
      2,
    );
  });

  test('has its requests in flight; one that ends makes room', async () => {
    const key = await edge.newKey({ limits: { ...NOTHING, concurrent: 2 } });
    const before = edge.handled();
    const slow = [edge.call({ key, path: '/v1/slow' }), edge.call({ key, path: '/v1/slow' })];
    await waitFor('both to be in flight', () => edge.handled() === before + 2);
    expect(expectLimited(await edge.call({ key }), 'More than 2 requests in flight', 1_000)).toBe(1);
    edge.openGate();
    for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
    for (let request = 0; request < 5; request += 1) expect((await edge.call({ key })).status).toBe(200);
  });

  test('whose caller hangs up gives its place back', async () => {
    const key = await edge.newKey({ limits: { ...NOTHING, concurrent: 1 } });
    const socket = await edge.connect();
    socket.write(
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await waitFor('the request to be in flight', async () => (await edge.call({ key })).status === 429);
    socket.destroy();
    await waitFor('its place to be free', async () => (await edge.call({ key })).status === 200);
  });

  test('has 10 batches a minute on both paths together, with the headers of that bucket there only', async () => {
    const key = await edge.newKey({ tier: 'pro' });
    const paths = ['/v1/messages/batch', '/v1/channels/chn_x/messages/batch'];
    for (let request = 0; request < 10; request += 1) {
      const answer = await edge.call({ key, method: 'POST', path: paths[request % 2] ?? '', body: BATCH });
      expect([answer.status, answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual([
        202,
        '10',
        String(9 - request),
      ]);
    }
    for (const path of paths)
      expectLimited(
        await edge.call({ key, method: 'POST', path, body: BATCH }),
        'More than 10 batch requests in 60 seconds',
        10,
      );
    const other = await edge.call({ key });
    expect([other.status, other.headers['x-ratelimit-limit'], other.headers['x-ratelimit-remaining']]).toEqual([
      200,
      '6000',
      '5989',
    ]);
  });

  test('is limited before its body is read', async () => {
    const key = await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } });
    await edge.call({ key });
    const socket = await edge.connect();
    socket.write(
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('does not use up the limits of another one', async () => {
    const [one, other] = [
      await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } }),
      await edge.newKey({ limits: { ...NOTHING, requestsPerMinute: 1 } }),
    ];
    expect((await edge.call({ key: one })).status).toBe(200);
    expect((await edge.call({ key: one })).status).toBe(429);
    expect((await edge.call({ key: other })).status).toBe(200);
  });
});

describe('a request without a valid key', () => {
  test('is counted by its address, broken ones too, and X-Forwarded-For changes nothing', async () => {
    const first = await edge.call({ key: null });
    expect([first.status, first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual([
      401,
      '40',
      '39',
    ]);
    expect(await edge.raw('nonsense\r\n\r\n')).toContain('X-RateLimit-Remaining: 38');
    for (let request = 0; request < 38; request += 1) {
      const key = request % 2 === 0 ? null : `svc_live_${String(request).padStart(43, '0')}`;
      expect((await edge.call({ key, headers: { 'x-forwarded-for': `203.0.113.${request}` } })).status).toBe(401);
    }
    expectLimited(await edge.call({ key: null }), 'More than 40 requests in 60 seconds', 40);
    expectLimited(await edge.call({ key: null, path: '/nothing' }), 'More than 40 requests in 60 seconds', 40);
    expect((await edge.call({})).status).toBe(200);
    expect((await edge.call({ key: null, path: '/healthz' })).status).toBe(200);
  });

  test('is told that the database is away, not that it calls too often, and keys work again once it is back', async () => {
    const cutOff = await startEdge({ strangerRequestsPerMinute: 1 });
    await cutOff.wire.cut();
    for (let request = 0; request < 3; request += 1) {
      const answer = await cutOff.call({});
      expect([answer.status, answer.json.error?.code, answer.headers['retry-after']]).toEqual([
        503,
        'UNAVAILABLE',
        '1',
      ]);
      expect([answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual(['1', '0']);
    }
    await cutOff.wire.mend();
    await waitFor('the key to be known', async () => (await cutOff.call({})).status === 200);
    await cutOff.stop();
  });

  test('behind one trusted proxy is counted by the address the proxy saw', async () => {
    const behind = await startEdge({ strangerRequestsPerMinute: 1, environment: { TRUSTED_PROXY_HOPS: '1' } });
    const from = async (forwarded: string) =>
      (await behind.call({ key: null, headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await from('203.0.113.1')).toBe(401);
    expect(await from('203.0.113.2')).toBe(401);
    expect(await from('198.51.100.9, 203.0.113.2')).toBe(429);
    expect(await from('2001:db8::1')).toBe(401);
    expect(await from('2001:db8::2')).toBe(429);
    await behind.stop();
  });
});
