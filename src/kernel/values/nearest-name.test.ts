import { expect, test } from '@jest/globals';
import { editDistance, nearestName } from './nearest-name.ts';

const SUBSCRIPTION = ['channelId', 'name', 'webhookUrl', 'status', 'eventTypes', 'filter', 'retryPolicy', 'headers'];
const MESSAGE = ['id', 'eventType', 'payload', 'metadata', 'deliverAt', 'delay', 'channelId'];
const POLICY = ['maxRetries', 'initialDelay', 'maxDelay', 'backoffMultiplier'];
const LIST = ['cursor', 'limit', 'since', 'until', 'status', 'channelId'];

test.each([
  ['events', SUBSCRIPTION, 'eventTypes'],
  ['event_types', SUBSCRIPTION, 'eventTypes'],
  ['EventTypes', SUBSCRIPTION, 'eventTypes'],
  ['eventType', SUBSCRIPTION, 'eventTypes'],
  ['url', SUBSCRIPTION, 'webhookUrl'],
  ['webhookURL', SUBSCRIPTION, 'webhookUrl'],
  ['weboohkUrl', SUBSCRIPTION, 'webhookUrl'],
  ['retries', SUBSCRIPTION, 'retryPolicy'],
  ['retries', POLICY, 'maxRetries'],
  ['maxRetry', POLICY, 'maxRetries'],
  ['max_retry', POLICY, 'maxRetries'],
  ['Filters', SUBSCRIPTION, 'filter'],
  ['channel', SUBSCRIPTION, 'channelId'],
  ['type', MESSAGE, 'eventType'],
  ['data', MESSAGE, 'payload'],
  ['paylaod', MESSAGE, 'payload'],
  ['meta-data', MESSAGE, 'metadata'],
  ['dealy', MESSAGE, 'delay'],
  ['per_page', LIST, 'limit'],
  ['page', LIST, 'cursor'],
  ['from', LIST, 'since'],
  ['nmae', SUBSCRIPTION, 'name'],
  ['limti', ['limits', 'limit'], 'limit'],
  ['zebra', SUBSCRIPTION, undefined],
  ['x', ['a'], undefined],
  ['__proto__', SUBSCRIPTION, undefined],
  ['constructor', SUBSCRIPTION, undefined],
  ['', SUBSCRIPTION, undefined],
  ['eventTypes'.repeat(7), SUBSCRIPTION, undefined],
  ['events', [], undefined],
])('%j among %j means %s', (given, known, nearest) => {
  expect(nearestName(given, known)).toBe(nearest);
});

test.each([
  ['', '', 0],
  ['a', '', 1],
  ['', 'ab', 2],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
  ['ca', 'abc', 3],
  ['name', 'nmae', 1],
])('from %j to %j are %i changes', (one, other, changes) => {
  expect(editDistance(one, other)).toBe(changes);
  expect(editDistance(other, one)).toBe(changes);
});

test.each([
  ['kitten', 'sitting', 3],
  ['name', 'nmae', 1],
  ['subscriptions', 'subscription', 1],
])('from %j to %j are %i changes, also where no more are looked for', (one, other, changes) => {
  expect(editDistance(one, other, changes)).toBe(changes);
  expect(editDistance(other, one, changes - 1)).toBeGreaterThan(changes - 1);
});
