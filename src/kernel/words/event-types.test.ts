import { describe, expect, test } from '@jest/globals';
import {
  eventTypePatternProblem,
  listedEventTypes,
  MAX_EVENT_TYPE_LENGTH,
  MAX_EVENT_TYPES,
  wantsEventType,
  BACKLOG_HIGH,
  FAILING_DAYS,
  SYSTEM_CHANNEL_NAME,
  systemChannelId,
} from './event-types.ts';
import { encodeBase32, isId } from '../values/ids.ts';

describe('wantsEventType', () => {
  test.each<[string, string[], string, boolean]>([
    ['an empty list wants all', [], 'order.created', true],
    ['a star wants all', ['*'], 'order.created', true],
    ['the same word is wanted', ['order.created'], 'order.created', true],
    ['another case is another word', ['order.created'], 'Order.Created', false],
    ['a longer word is another word', ['order.created'], 'order.created.late', false],
    ['order.* wants what begins with order.', ['order.*'], 'order.created', true],
    ['order.* wants deeper ones too', ['order.*'], 'order.item.added', true],
    ['order.* wants order. itself', ['order.*'], 'order.', true],
    ['order.* does not want order', ['order.*'], 'order', false],
    ['order.* does not want orders.created', ['order.*'], 'orders.created', false],
    ['one of several is enough', ['user.*', 'order.created'], 'order.created', true],
    ['none of several is not', ['user.*', 'order.created'], 'order.deleted', false],
    ['a star among others wants all', ['user.*', '*'], 'order.deleted', true],
    ['characters of regular expressions stand for themselves', ['a.c'], 'abc', false],
    ['characters of SQL patterns stand for themselves', ['or%.*'], 'order.created', false],
    ['an event type that is a star itself', ['order.created'], '*', false],
    ['words outside ASCII are compared by their characters', ['größe.*'], 'größe.neu', true],
  ])('%s', (_, eventTypes, eventType, wanted) => {
    expect(wantsEventType(eventTypes, eventType)).toBe(wanted);
  });
});

describe('eventTypePatternProblem', () => {
  test.each(['*', 'order.*', 'order.item.*', 'order.created', 'order', '.', 'a b', '..*'])('accepts %j', (pattern) => {
    expect(eventTypePatternProblem(pattern)).toBeUndefined();
  });

  test.each(['order*', '*.created', 'order.*.late', '**', '.*', 'order.**', '*.*', 'a*b', '* '])(
    'rejects %j',
    (pattern) => {
      expect(eventTypePatternProblem(pattern)).toBe(
        'must have a * only alone, or at the end after a dot, as in order.*',
      );
    },
  );
});

test('the bounds of an eventType and of a list of patterns', () => {
  expect([MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES]).toEqual([128, 100]);
});

test('the first ten of many event types are listed, and the others are counted', () => {
  const types = Array.from({ length: 12 }, (_, index) => `t${index}`);
  expect(listedEventTypes(types.slice(0, 10))).toBe('t0, t1, t2, t3, t4, t5, t6, t7, t8, t9');
  expect(listedEventTypes(types)).toBe('t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more');
});

test('the id of a system channel is an id of a channel, one for each environment', () => {
  const [one, other] = [1, 2].map((last) => `env_${encodeBase32(new Uint8Array(16).fill(last))}`);
  expect(isId('channel', systemChannelId(one ?? ''))).toBe(true);
  expect(systemChannelId(one ?? '')).not.toBe(systemChannelId(other ?? ''));
});

test('the names and numbers that callers rely on do not change', () => {
  expect(SYSTEM_CHANNEL_NAME).toBe('posthorn.system');
  expect(FAILING_DAYS).toBe(5);
  expect(BACKLOG_HIGH).toEqual({ waiting: 1_000, ageSeconds: 300, low: { waiting: 500, ageSeconds: 60 } });
});
