import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { createSubscriptionBody, listSubscriptionsQuery, rotateSecretBody, updateSubscriptionBody } from './schema.ts';

const least = { channelId: 'chn_1', webhookUrl: 'https://example.com/hook' };

/** The path of the first problem, from which the field of the error is derived; undefined if there is none. */
function problemPath(schema: z.ZodType, input: unknown): string | undefined {
  const result = schema.safeParse(input);
  return result.success ? undefined : result.error.issues[0]?.path.join('.');
}

describe('the body of a new subscription', () => {
  test('needs only channelId and webhookUrl; timeout, policy and circuit breaker default to those of the app', () => {
    expect(createSubscriptionBody.parse(least)).toEqual({
      ...least,
      status: 'active',
      eventTypes: [],
      retryPolicy: {},
      headers: {},
    });
  });

  test.each([
    { eventTypes: ['*'] },
    { eventTypes: ['order.*', 'order.paid', 'x'.repeat(128)] },
    { eventTypes: Array.from({ length: 100 }, (_, index) => `type${index}`) },
    { retryPolicy: { maxRetries: 0, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 } },
    { retryPolicy: { maxRetries: 100, initialDelay: 86_400_000, maxDelay: 604_800_000, backoffMultiplier: 10 } },
    { timeoutMs: 1_000 },
    { timeoutMs: 30_000 },
    { maxConcurrency: 1, rateLimit: 1 },
    { maxConcurrency: 1_000, rateLimit: 10_000 },
    { name: 'x'.repeat(200) },
    { status: 'paused' },
  ])('takes a value at its bound (%#)', (part) => {
    expect(problemPath(createSubscriptionBody, { ...least, ...part })).toBeUndefined();
  });

  test.each([
    ['channelId', { channelId: undefined }],
    ['channelId', { channelId: 7 }],
    ['webhookUrl', { webhookUrl: undefined }],
    ['webhookUrl', { webhookUrl: '' }],
    ['webhookUrl', { webhookUrl: `https://example.com/${'x'.repeat(2_048)}` }],
    ['maxConcurrency', { maxConcurrency: 0 }],
    ['maxConcurrency', { maxConcurrency: 1_001 }],
    ['maxConcurrency', { maxConcurrency: '5' }],
    ['rateLimit', { rateLimit: 0 }],
    ['rateLimit', { rateLimit: 10_001 }],
    ['rateLimit', { rateLimit: 0.5 }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'two\nlines' }],
    ['status', { status: 'disabled' }],
    ['id', { id: 'sub_1' }],
    ['secret', { secret: 'whsec_mine' }],
    ['eventTypes', { eventTypes: 'order.paid' }],
    ['eventTypes', { eventTypes: Array.from({ length: 101 }, () => 'x') }],
    ['eventTypes.1', { eventTypes: ['order.paid', 7] }],
    ['eventTypes.0', { eventTypes: [''] }],
    ['eventTypes.0', { eventTypes: ['x'.repeat(129)] }],
    ['eventTypes.0', { eventTypes: ['order\npaid'] }],
    ['eventTypes.0', { eventTypes: ['order*'] }],
    ['eventTypes.0', { eventTypes: ['*.paid'] }],
    ['retryPolicy', { retryPolicy: [] }],
    ['retryPolicy', { retryPolicy: { maxRetrys: 3 } }],
    ['retryPolicy.maxRetries', { retryPolicy: { maxRetries: -1 } }],
    ['retryPolicy.maxRetries', { retryPolicy: { maxRetries: 101 } }],
    ['retryPolicy.maxRetries', { retryPolicy: { maxRetries: '3' } }],
    ['retryPolicy.initialDelay', { retryPolicy: { initialDelay: 99 } }],
    ['retryPolicy.initialDelay', { retryPolicy: { initialDelay: 86_400_001 } }],
    ['retryPolicy.initialDelay', { retryPolicy: { initialDelay: 100.5 } }],
    ['retryPolicy.maxDelay', { retryPolicy: { maxDelay: 99 } }],
    ['retryPolicy.maxDelay', { retryPolicy: { maxDelay: 604_800_001 } }],
    ['retryPolicy.backoffMultiplier', { retryPolicy: { backoffMultiplier: 0 } }],
    ['retryPolicy.backoffMultiplier', { retryPolicy: { backoffMultiplier: 11 } }],
    ['headers', { headers: [] }],
    ['headers.x-team', { headers: { 'x-team': 7 } }],
    ['timeoutMs', { timeoutMs: 999 }],
    ['timeoutMs', { timeoutMs: 30_001 }],
  ])('is refused at %s (%#)', (path, part) => {
    expect(problemPath(createSubscriptionBody, { ...least, ...part })).toBe(path);
  });
});

describe('the patch of a subscription', () => {
  test('adds no defaults', () => {
    expect(updateSubscriptionBody.parse({ retryPolicy: { maxRetries: 1 }, eventTypes: [] })).toStrictEqual({
      retryPolicy: { maxRetries: 1 },
      eventTypes: [],
    });
  });

  test.each([
    ['', {}],
    ['secret', { id: 'sub_1', secret: 'whsec_mine' }],
    ['createdAt', { createdAt: 'today' }],
    ['status', { status: null }],
    ['name', { name: null }],
    ['headers', { headers: null }],
    ['eventTypes', { eventTypes: null }],
    ['retryPolicy', { retryPolicy: null }],
    ['retryPolicy', { retryPolicy: { jitter: true } }],
    ['timeoutMs', { timeoutMs: 1.5e4 + 0.5 }],
  ])('is refused at %j (%#)', (path, body) => {
    expect(problemPath(updateSubscriptionBody, body)).toBe(path);
  });
});

describe('the query of the list of subscriptions', () => {
  test('accepts channelId and status', () => {
    const query = { channelId: 'chn_1', status: 'disabled', limit: '1' };
    expect(listSubscriptionsQuery.parse(query)).toEqual({ channelId: 'chn_1', status: 'disabled', limit: 1 });
  });

  test.each([
    ['status', { status: 'archived' }],
    ['limit', { limit: '-1' }],
  ])('is refused at %s', (path, query) => {
    expect(problemPath(listSubscriptionsQuery, query)).toBe(path);
  });
});

describe('the body of a rotation', () => {
  test.each([undefined, {}, { overlapHours: 24 }, { overlapHours: null }])('means 24 hours by default (%#)', (body) => {
    expect(rotateSecretBody.parse(body)).toEqual({ overlapHours: 24 });
  });

  test.each([0, 168])('accepts %i hours', (overlapHours) => {
    expect(rotateSecretBody.parse({ overlapHours })).toEqual({ overlapHours });
  });

  test.each([-1, 169, 0.5, '24'])('rejects %j hours', (overlapHours) => {
    expect(problemPath(rotateSecretBody, { overlapHours })).toBe('overlapHours');
  });
});
