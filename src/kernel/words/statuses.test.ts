import { describe, expect, test } from '@jest/globals';
import {
  ATTEMPT_OUTCOMES,
  REPLAY_STATUSES,
  CANCEL_REASONS,
  CHANNEL_STATUSES,
  DEAD_LETTER_REASONS,
  DEAD_LETTER_STATUSES,
  DELIVERY_STATUSES,
  DELIVERY_SUMMARIES,
  type DeliveryStatus,
  type DeliverySummary,
  ERROR_CLASSES,
  isEndedForGood,
  isUnfinished,
  SCHEDULE_STATUSES,
  SUBSCRIPTION_STATUSES,
  summariseDeliveries,
} from './statuses.ts';

test('the statuses are those of the specification, and those of resources that it mentions without fields', () => {
  expect(CHANNEL_STATUSES).toEqual(['active', 'paused', 'archived']);
  expect(DELIVERY_STATUSES).toEqual(['pending', 'delivered', 'failed', 'retrying']);
  expect(SUBSCRIPTION_STATUSES).toEqual(['active', 'paused', 'disabled']);
  expect(DELIVERY_SUMMARIES).toEqual(['pending', 'delivered', 'failed', 'unrouted']);
  expect(SCHEDULE_STATUSES).toEqual(['scheduled', 'cancelled']);
  expect(CANCEL_REASONS).toEqual(['requested', 'erased', 'channel_deleted']);
  expect(ATTEMPT_OUTCOMES).toEqual(['delivered', 'failed', 'held']);
  expect(DEAD_LETTER_STATUSES).toEqual(['open', 'replayed', 'discarded']);
  expect(DEAD_LETTER_REASONS).toEqual(['exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'failed_step']);
  expect(REPLAY_STATUSES).toEqual(['pending', 'running', 'completed', 'cancelled', 'failed']);
  expect(ERROR_CLASSES).toEqual([
    'dns',
    'connect',
    'tls',
    'timeout',
    'status',
    'blocked_address',
    'protocol',
    'crashed',
    'internal',
  ]);
});

test.each<[DeliveryStatus, boolean]>([
  ['pending', true],
  ['retrying', true],
  ['delivered', false],
  ['failed', false],
])('a delivery that is %s is unfinished: %j', (status, unfinished) => {
  expect(isUnfinished(status)).toBe(unfinished);
});

test.each([
  ['subscription_deleted', true],
  ['erased', true],
  ['exhausted', false],
  ['circuit', false],
  [null, false],
])('a delivery that failed with the reason %s has ended for good: %j', (reason, isForGood) => {
  expect(isEndedForGood(reason)).toBe(isForGood);
});

describe('a deliveryStatus', () => {
  test.each<[DeliveryStatus[], DeliverySummary]>([
    [[], 'unrouted'],
    [['pending'], 'pending'],
    [['retrying'], 'pending'],
    [['delivered'], 'delivered'],
    [['failed'], 'failed'],
    [['delivered', 'delivered'], 'delivered'],
    [['delivered', 'failed'], 'failed'],
    [['failed', 'delivered', 'retrying'], 'pending'],
    [['pending', 'failed'], 'pending'],
  ])('for %j is %s', (statuses, summary) => {
    expect(summariseDeliveries(statuses)).toBe(summary);
  });
});
