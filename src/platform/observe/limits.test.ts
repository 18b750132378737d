import { expect, test } from '@jest/globals';
import type { Allowance, Limiter } from '../rate-limits/limiter.ts';
import { observedLimiter } from './limits.ts';
import { createMeters } from './meters.ts';

const headers = { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' };
const ALLOWED: Allowance = { headers, release: () => undefined };
const limiterWith = (answer: () => Promise<Allowance>, further: Partial<Limiter> = {}): Limiter => ({
  allow: answer,
  allowStranger: answer,
  allowAddress: answer,
  allowThing: answer,
  countAgainst: async () => undefined,
  close: async () => undefined,
  ...further,
});
const series = async (meters: ReturnType<typeof createMeters>, name: string): Promise<string[]> =>
  (await meters.registry.getSingleMetricAsString(name)).split('\n').filter((line) => /^[a-z]/.test(line));
const LIMITS = { requestsPerMinute: 1, batchPerMinute: 1, burst: 1, concurrent: 1 };

test('without metrics the limiter is the very same', () => {
  const limiter = limiterWith(async () => ALLOWED);
  expect(observedLimiter(limiter, undefined)).toBe(limiter);
});

test('each decision is counted by its kind of limit and its outcome, and is the answer', async () => {
  const meters = createMeters();
  const refused: Allowance = { ...ALLOWED, refusal: { reason: 'too many', retryAfter: 1 } };
  let answer = ALLOWED;
  const limiter = observedLimiter(
    limiterWith(async () => answer),
    meters,
  );
  expect(await limiter.allow('key_1', LIMITS)).toBe(ALLOWED);
  answer = refused;
  expect(await limiter.allowStranger('127.0.0.1')).toBe(refused);
  expect(await limiter.allowAddress({ name: 'signUp', perMinute: 1 }, '127.0.0.1')).toBe(refused);
  expect(await series(meters, 'posthorn_rate_limit_decisions_total')).toEqual([
    'posthorn_rate_limit_decisions_total{limit="principal",outcome="allowed"} 1',
    'posthorn_rate_limit_decisions_total{limit="stranger",outcome="refused"} 1',
    'posthorn_rate_limit_decisions_total{limit="address",outcome="refused"} 1',
  ]);
});

test('a decision that fails is not counted, and its failure is the answer', async () => {
  const meters = createMeters();
  const limiter = observedLimiter(
    limiterWith(() => Promise.reject(new Error('no Redis'))),
    meters,
  );
  await expect(limiter.allow('key_1', LIMITS)).rejects.toThrow('no Redis');
  expect(await series(meters, 'posthorn_rate_limit_decisions_total')).toEqual([]);
});

test('whether the limits are shared is shown where there is something to share them', async () => {
  const meters = createMeters();
  expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual([]);
  let isShared = true;
  observedLimiter(
    limiterWith(async () => ALLOWED, { isShared: () => isShared }),
    meters,
  );
  expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual(['posthorn_rate_limits_shared 1']);
  isShared = false;
  expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual(['posthorn_rate_limits_shared 0']);
});
