import { describe, expect, test } from '@jest/globals';
import { publishMessageBody, testSubscriptionBody } from './schema.ts';

describe('the body of a test message', () => {
  test.each([undefined, {}, { eventType: 'order.paid' }, { payload: {} }])('may omit any field (%#)', (body) => {
    expect(testSubscriptionBody.parse(body)).toEqual(body);
  });

  test.each([
    ['eventType', { eventType: '' }],
    ['eventType', { eventType: 'x'.repeat(129) }],
    ['payload', { payload: [] }],
    ['', []],
  ])('is refused at %j (%#)', (path, body) => {
    expect(testSubscriptionBody.safeParse(body).error?.issues[0]?.path.join('.')).toBe(path);
  });
});

/** Filters interpret such texts differently, so nobody could subscribe to or list only these messages. */
test.each([
  ['*', 'must not contain *, which stands for several event types in filters'],
  ['order.*', 'must not contain *, which stands for several event types in filters'],
  ['a*b', 'must not contain *, which stands for several event types in filters'],
  ['a,b', 'must not contain a comma, which separates event types in filters'],
  [' a', 'must not begin or end with white space'],
  ['a\u00a0', 'must not begin or end with white space'],
])('the event type %j cannot be published', (eventType, reason) => {
  const { error } = publishMessageBody.safeParse({ eventType, payload: {} });
  expect(error?.issues.map(({ path, message }) => ({ path, message }))).toEqual([
    { path: ['eventType'], message: reason },
  ]);
});

test.each(['a b', 'Order/Created:v1', 'ü', '.', 'order..'])('the event type %j can be published', (eventType) => {
  expect(publishMessageBody.safeParse({ eventType, payload: {} }).success).toBe(true);
});
