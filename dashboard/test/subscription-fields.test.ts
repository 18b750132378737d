import { expect, test } from '@jest/globals';
import type { Subscription } from '../../client/src/index.ts';
import { createBody, newSubscriptionFields, subscriptionFields, updateBody } from '../src/lib/subscription-fields.ts';

const POLICY = { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 };
const SETTINGS = { retentionDays: 7, timeoutMs: 15_000, retryPolicy: POLICY, circuitBreaker: true };
const STORED: Subscription = {
  id: 'sub_1',
  channelId: 'chn_1',
  name: 'Till',
  webhookUrl: 'https://example.com/hook',
  status: 'active',
  eventTypes: ['order.*'],
  filter: 'payload.total > 1',
  retryPolicy: POLICY,
  headers: { 'X-Shop': 'Berlin' },
  timeoutMs: 5_000,
  maxRetryAfter: 1_000,
  rateLimit: 20,
  circuitBreaker: true,
  circuit: { state: 'closed' },
  createdAt: '2026-12-01T00:00:00.000Z',
  updatedAt: '2026-12-01T00:00:00.000Z',
};

test("a new subscription is created with only the edited fields, so that the app's defaults apply to the rest", () => {
  const begun = newSubscriptionFields(SETTINGS, { webhookUrl: 'https://example.com/hook', eventType: 'order.paid' });
  const at = { channelId: 'chn_1' };
  const plain = { channelId: 'chn_1', webhookUrl: 'https://example.com/hook', eventTypes: ['order.paid'] };
  expect(createBody({ values: begun, written: {} }, at)).toEqual(plain);

  const written = { headers: 'X-Shop: Berlin\n\nBroken', rateLimit: '20', maxRetries: 3, owner: ' customer-7 ' };
  expect(createBody({ values: { ...begun, ...written }, written }, at)).toEqual({
    ...plain,
    headers: { 'X-Shop': 'Berlin', Broken: '' },
    rateLimit: 20,
    owner: 'customer-7',
    retryPolicy: { ...POLICY, maxRetries: 3 },
  });
});

test('an update sends only the edited fields, and an empty one removes its setting', () => {
  const fields = subscriptionFields(STORED);
  expect(fields).toMatchObject({ headers: 'X-Shop: Berlin', rateLimit: '20', maxConcurrency: '', owner: '' });
  expect(updateBody({ values: fields, written: {} })).toEqual({});
  const written = { filter: ' ', rateLimit: '', maxRetryAfter: '', eventTypes: [], circuitBreaker: false };
  expect(updateBody({ values: { ...fields, ...written }, written })).toEqual({
    filter: null,
    rateLimit: null,
    maxRetryAfter: 86_400_000,
    eventTypes: [],
    circuitBreaker: false,
  });
});
