import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { createLimiter, type Limiter } from '../../src/platform/rate-limits/limiter.ts';
import {
  createRedisCounters,
  PLACE_LEASE_MS,
  type RedisTimings,
} from '../../src/platform/rate-limits/redis-counters.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/service/redis.ts';
import { waitFor } from '../support/check/wait-for.ts';

const wide = { requestsPerMinute: 1_000_000, burst: 1_000_000, concurrent: 1_000_000, batchPerMinute: 1_000_000 };

describeWithRedis('rate limits shared through Redis', () => {
  let redis: TestRedis;
  let inspector: Redis;
  const limiters: Limiter[] = [];
  let lines: { level: number; msg: string }[];
  let credential: string;
  let counter = 0;

  // With 200 ms for a command, as in production, a moment's stall of this machine is an outage of Redis.
  const newLimiter = async (redisTimings: Partial<RedisTimings> = { commandMs: 10_000 }): Promise<Limiter> => {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const limiter = createLimiter({ redisUrl: redis.url, redisTimings, log });
    limiters.push(limiter);
    await waitFor('the limiter to reach Redis', () => limiter.isShared?.());
    return limiter;
  };

  beforeAll(async () => {
    redis = await startRedis();
    inspector = new Redis(redis.url, { retryStrategy: () => 50 });
    inspector.on('error', () => undefined);
  });
  afterAll(async () => {
    for (const limiter of limiters) await limiter.close();
    inspector.disconnect();
    await redis.kill();
  });
  beforeEach(() => {
    lines = [];
    counter += 1;
    credential = `key_${counter}`;
  });

  test('two processes count in one window', async () => {
    const [one, other] = [await newLimiter(), await newLimiter()];
    const limits = { ...wide, requestsPerMinute: 3 };
    expect((await one.allow(credential, limits)).headers['X-RateLimit-Remaining']).toBe('2');
    expect((await other.allow(credential, limits)).headers['X-RateLimit-Remaining']).toBe('1');
    expect((await one.allow(credential, limits)).headers['X-RateLimit-Remaining']).toBe('0');
    const refused = await other.allow(credential, limits);
    expect(refused.refusal?.retryAfter).toBeGreaterThan(0);
    expect(refused.refusal?.retryAfter).toBeLessThanOrEqual(60);
    const reset = Number(refused.headers['X-RateLimit-Reset']) - Date.now() / 1000;
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(61);
  });

  test('a burst is counted together, and what it refuses is given back to the minute', async () => {
    const [one, other] = [await newLimiter(), await newLimiter()];
    const limits = { ...wide, requestsPerMinute: 60, burst: 10 };
    // A busy machine may take longer for them than the second that is counted: then it is tried again for another key.
    const allowances = await waitFor('40 requests within one second', async () => {
      credential += '+';
      const startedAt = performance.now();
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).allow(credential, limits)),
      );
      return performance.now() - startedAt < 1_000 && made;
    });
    expect(allowances.filter((allowance) => allowance.refusal === undefined)).toHaveLength(10);
    await waitFor(
      'the refused ones to be given back',
      async () => (await inspector.get(`posthorn:limit:60:minute:${credential}`)) === '10',
    );
  });

  test('both processes share the batch bucket', async () => {
    const [one, other] = [await newLimiter(), await newLimiter()];
    const limits = { ...wide, batchPerMinute: 1 };
    expect((await one.allow(credential, limits, 'batch')).headers).toMatchObject({
      'X-RateLimit-Limit': '1',
      'X-RateLimit-Remaining': '0',
    });
    expect((await other.allow(credential, limits, 'batch')).refusal?.reason).toBe(
      'More than 1 batch requests in 60 seconds',
    );
  });

  test('requests in flight are counted together, and a place that is given back is free for the other process', async () => {
    const [one, other] = [await newLimiter(), await newLimiter()];
    const limits = { ...wide, concurrent: 2 };
    const first = await one.allow(credential, limits);
    await other.allow(credential, limits);
    expect((await other.allow(credential, limits)).refusal?.reason).toBe('More than 2 requests in flight');
    first.release();
    await waitFor(
      'the place to be free',
      async () => (await inspector.zcard(`posthorn:in-flight:${credential}`)) === 1,
    );
    expect((await other.allow(credential, limits)).refusal).toBeUndefined();
  });

  test('the places of a process that has died are free when their lease has ended', async () => {
    const limiter = await newLimiter();
    const limits = { ...wide, concurrent: 1 };
    const key = `posthorn:in-flight:${credential}`;
    await limiter.allow(credential, limits); // never released, as by a killed process
    expect((await limiter.allow(credential, limits)).refusal).toBeDefined();
    expect(await inspector.pttl(key)).toBeGreaterThan(PLACE_LEASE_MS - 10_000);
    const [place = '', score = '0'] = await inspector.zrange(key, 0, -1, 'WITHSCORES');
    await inspector.zadd(key, Number(score) - PLACE_LEASE_MS - 1, place); // as if the lease had ended
    expect((await limiter.allow(credential, limits)).refusal).toBeUndefined();
    expect(await inspector.zrange(key, 0, -1)).not.toContain(place);
  });

  test('a place that is taken for longer, as by a stream, keeps its lease until it is given back', async () => {
    const counters = createRedisCounters(redis.url, pino({ level: 'silent' }), { commandMs: 10_000, renewMs: 20 });
    try {
      await waitFor('Redis to be reached', () => counters.isUp());
      const keyOf = (name: string): string => `posthorn:in-flight:${name}`;
      const isRenewed = async (name: string): Promise<boolean> => {
        const [place = '', score = '0'] = await inspector.zrange(keyOf(name), 0, -1, 'WITHSCORES');
        await waitFor('a renewal', async () => Number(await inspector.zscore(keyOf(name), place)) > Number(score));
        return (await inspector.pttl(keyOf(name))) > PLACE_LEASE_MS - 10_000;
      };
      const leave = await counters.enter(credential, 1);
      expect(await isRenewed(credential)).toBe(true);
      leave?.();
      const leaveOther = await counters.enter(`${credential}_other`, 1);
      expect(await isRenewed(`${credential}_other`)).toBe(true);
      // By then what was given back would have been renewed, too.
      expect(await inspector.zcard(keyOf(credential))).toBe(0);
      leaveOther?.();
    } finally {
      await counters.close();
    }
  });

  test('while Redis is down this process counts alone, says so once, and shares again when it is back', async () => {
    const limiter = await newLimiter();
    const limits = { ...wide, requestsPerMinute: 2, concurrent: 1 };
    await redis.kill();
    const first = await limiter.allow(credential, limits);
    expect(first.refusal).toBeUndefined();
    expect(limiter.isShared?.()).toBe(false);
    expect((await limiter.allow(credential, limits)).refusal?.reason).toBe('More than 1 requests in flight');
    first.release();
    (await limiter.allow(credential, limits)).release();
    expect((await limiter.allow(credential, limits)).refusal?.reason).toBe('More than 2 requests in 60 seconds');
    expect(lines.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
      'Redis is unavailable; rate limits are counted in this process',
    ]);
    await redis.restart();
    await waitFor('Redis to be used again', () => limiter.isShared?.());
    expect((await limiter.allow(credential, limits)).refusal).toBeUndefined();
    expect(await inspector.get(`posthorn:limit:60:minute:${credential}`)).toBe('1');
  });

  test('a Redis that hangs holds no request up for long', async () => {
    const limiter = await newLimiter({});
    redis.freeze();
    try {
      const startedAt = performance.now();
      const allowance = await limiter.allow(credential, wide);
      expect(allowance.refusal).toBeUndefined();
      // A command may take 200 ms; without that limit it would wait for ever.
      expect(performance.now() - startedAt).toBeLessThan(30_000);
      allowance.release();
    } finally {
      redis.thaw();
    }
  });

  test('no key or name in Redis is a secret, and all of them expire', async () => {
    const limiter = await newLimiter();
    await limiter.allow(credential, wide, 'batch');
    await limiter.allowStranger('203.0.113.7');
    const keys = await inspector.keys('*');
    expect(keys).toContain('posthorn:limit:60:address:203.0.113.7');
    expect(keys.filter((key) => !key.startsWith('posthorn:'))).toEqual([]);
    // -1 is a key without an end, and -2 one that has ended meanwhile.
    for (const key of keys) expect(await inspector.pttl(key)).not.toBe(-1);
  });
});
