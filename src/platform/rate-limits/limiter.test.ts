import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { createLimiter, type Limiter, addressBucket } from './limiter.ts';
import { TIER_LIMITS, TIERS } from '../../kernel/words/rights.ts';

const log = pino({ level: 'silent' });
let limiter: Limiter;

// Windows last a minute: the clock is the test's. No Temporal worker runs here.
beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') });
  limiter = createLimiter({ log });
});
afterEach(() => {
  jest.useRealTimers();
});

const wide = { requestsPerMinute: 1_000_000, burst: 1_000_000, concurrent: 1_000_000, batchPerMinute: 1_000_000 };

/** Number of requests let in, of `count` in a row; each ends before the next. */
async function allowed(count: number, limits: typeof wide, bucket?: 'batch' | 'transactional'): Promise<number> {
  let letIn = 0;
  for (let request = 0; request < count; request += 1) {
    const { refusal, release } = await limiter.allow('key_1', limits, bucket);
    if (refusal === undefined) letIn += 1;
    release();
  }
  return letIn;
}

test.each(TIERS.filter((tier) => tier !== 'enterprise'))(
  'tier %s: requests per minute, burst and requests in flight are those of the table',
  async (tier) => {
    const limits = TIER_LIMITS[tier];
    expect(await allowed(limits.requestsPerMinute + 5, { ...wide, requestsPerMinute: limits.requestsPerMinute })).toBe(
      limits.requestsPerMinute,
    );
    limiter = createLimiter({ log });
    expect(await allowed(limits.burst + 5, { ...wide, burst: limits.burst })).toBe(limits.burst);
    const inFlight = await Promise.all(
      Array.from({ length: limits.concurrent + 5 }, () =>
        limiter.allow('key_2', { ...wide, concurrent: limits.concurrent }),
      ),
    );
    expect(inFlight.filter(({ refusal }) => refusal === undefined)).toHaveLength(limits.concurrent);
  },
);

test('the headers count down, name the end of the window and start again after it', async () => {
  const limits = { ...wide, requestsPerMinute: 2 };
  const headersOf = async () => (await limiter.allow('key_1', limits)).headers;
  const end = String(Date.parse('2026-01-01T00:01:00Z') / 1000);
  expect(await headersOf()).toEqual({
    'X-RateLimit-Limit': '2',
    'X-RateLimit-Remaining': '1',
    'X-RateLimit-Reset': end,
  });
  jest.advanceTimersByTime(10_000);
  expect(await headersOf()).toEqual({
    'X-RateLimit-Limit': '2',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': end,
  });
  const refused = await limiter.allow('key_1', limits);
  expect(refused.refusal).toEqual({ reason: 'More than 2 requests in 60 seconds', retryAfter: 50 });
  expect(refused.headers['X-RateLimit-Remaining']).toBe('0');
  jest.advanceTimersByTime(50_000);
  expect(await headersOf()).toMatchObject({
    'X-RateLimit-Remaining': '1',
    'X-RateLimit-Reset': String(Date.parse('2026-01-01T00:02:00Z') / 1000),
  });
});

test('a request rejected for the burst does not use up the minute, and one second later there is room again', async () => {
  const limits = { ...wide, requestsPerMinute: 60, burst: 10 };
  expect(await allowed(100, limits)).toBe(10);
  const refused = await limiter.allow('key_1', limits);
  expect(refused.refusal).toEqual({ reason: 'More than 10 requests in one second', retryAfter: 1 });
  expect(refused.headers['X-RateLimit-Remaining']).toBe('50');
  jest.advanceTimersByTime(1_000);
  expect(await allowed(100, limits)).toBe(10);
});

test('a request in flight releases its slot once, and a rejected one has none', async () => {
  const limits = { ...wide, concurrent: 1 };
  const first = await limiter.allow('key_1', limits);
  const refused = await limiter.allow('key_1', limits);
  expect(refused.refusal).toEqual({ reason: 'More than 1 requests in flight', retryAfter: 1 });
  refused.release();
  expect((await limiter.allow('key_1', limits)).refusal).toBeDefined();
  first.release();
  expect((await limiter.allow('key_1', limits)).refusal).toBeUndefined();
  expect((await limiter.allow('key_2', limits)).refusal).toBeUndefined();
});

test('the batch bucket is counted in addition to the minute, its headers take precedence, and what it rejects is not counted elsewhere', async () => {
  const limits = { ...wide, requestsPerMinute: 60, batchPerMinute: 10 };
  const first = await limiter.allow('key_1', limits, 'batch');
  expect(first.headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '9' });
  expect(await allowed(20, limits, 'batch')).toBe(9);
  const refused = await limiter.allow('key_1', limits, 'batch');
  expect(refused.refusal).toEqual({ reason: 'More than 10 batch requests in 60 seconds', retryAfter: 60 });
  expect(refused.headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '0' });
  expect((await limiter.allow('key_1', limits)).headers).toMatchObject({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '49',
  });
});

test('the transactional bucket is counted separately from the batch bucket, with the same limit', async () => {
  const limits = { ...wide, batchPerMinute: 2 };
  expect(await allowed(5, limits, 'batch')).toBe(2);
  const first = await limiter.allow('key_1', limits, 'transactional');
  expect(first.headers).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '1' });
  expect(await allowed(5, limits, 'transactional')).toBe(1);
  const refused = await limiter.allow('key_1', limits, 'transactional');
  expect(refused.refusal?.reason).toBe('More than 2 transactional requests in 60 seconds');
  expect((await limiter.allow('key_1', limits)).refusal).toBeUndefined();
});

test('changed limits apply to the current window', async () => {
  expect(await allowed(5, { ...wide, requestsPerMinute: 5 })).toBe(5);
  expect((await limiter.allow('key_1', { ...wide, requestsPerMinute: 10 })).headers['X-RateLimit-Remaining']).toBe('4');
});

test('callers without a valid key have one bucket per IPv4 address and per IPv6 /64', async () => {
  limiter = createLimiter({ log, strangerRequestsPerMinute: 2 });
  const remaining = async (address: string) => (await limiter.allowStranger(address)).headers['X-RateLimit-Remaining'];
  expect(await remaining('203.0.113.7')).toBe('1');
  expect(await remaining('::ffff:203.0.113.7')).toBe('0');
  expect((await limiter.allowStranger('203.0.113.7')).refusal?.retryAfter).toBe(60);
  expect(await remaining('203.0.113.8')).toBe('1');
  expect(await remaining('2001:db8::1')).toBe('1');
  expect(await remaining('2001:db8::2')).toBe('0');
  expect(await remaining('2001:db8:0:1::2')).toBe('1');
});

describe('a request for a resource', () => {
  const webhooks = { name: 'webhook', perMinute: 10 } as const;
  const ADDRESS = '203.0.113.7';
  const ask = (id: string, address = ADDRESS) => limiter.allowThing(webhooks, id, { address });
  /** One that its route refuses. */
  const refuse = async (id: string, address = ADDRESS): Promise<void> => (await ask(id, address)).refused?.();

  beforeEach(() => {
    limiter = createLimiter({ log, strangerRequestsPerMinute: 3 });
  });

  test('counts for the resource, and for its address only if it is rejected', async () => {
    for (let count = 0; count < 5; count += 1) await ask('whk_1');
    await refuse('whk_1');
    await refuse('whk_2');
    expect((await ask('whk_1')).headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '4' });
    expect((await limiter.allowStranger(ADDRESS)).headers['X-RateLimit-Remaining']).toBe('0');
  });

  test('is rejected once its address has too many rejected requests, with the headers of the address, while others are not', async () => {
    for (let count = 0; count < 3; count += 1) await refuse('whk_1');
    const refused = await ask('whk_1');
    expect(refused.refusal).toEqual({ reason: 'More than 3 refused requests in 60 seconds', retryAfter: 60 });
    expect(refused.headers).toMatchObject({ 'X-RateLimit-Limit': '3', 'X-RateLimit-Remaining': '0' });
    expect((await ask('whk_2')).refusal).toBeDefined();
    const other = await ask('whk_1', '203.0.113.8');
    expect(other.refusal).toBeUndefined();
    expect(other.headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '9' });
  });

  // The old mechanism: the service's own requests counted for its address, which all tenants' deliveries have.
  test('from a sender of this service counts for that sender if it is rejected, and for nobody else', async () => {
    const askAs = (sender: string) => limiter.allowThing(webhooks, 'whk_1', { address: ADDRESS, sender });
    for (let count = 0; count < 3; count += 1) await (await askAs('sub_1')).refused?.();
    expect((await askAs('sub_1')).refusal).toEqual({
      reason: 'More than 3 refused requests in 60 seconds',
      retryAfter: 60,
    });
    for (const { refusal } of [await askAs('sub_2'), await ask('whk_1')]) expect(refusal).toBeUndefined();
    expect((await limiter.allowStranger(ADDRESS)).headers['X-RateLimit-Remaining']).toBe('2');
    for (let count = 0; count < 3; count += 1) await refuse('whk_1');
    expect((await askAs('sub_2')).refusal).toBeUndefined();
  });

  test('is rejected by the window of the resource with the headers of the resource', async () => {
    for (let count = 0; count < 10; count += 1) await ask('whk_1');
    const refused = await ask('whk_1');
    expect(refused.refusal?.reason).toBe('More than 10 requests in 60 seconds');
    expect(refused.headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '0' });
    expect((await ask('whk_2')).refusal).toBeUndefined();
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', 'unknown'],
])('%s counts in the bucket %s', (address, bucket) => {
  expect(addressBucket(address)).toBe(bucket);
});
