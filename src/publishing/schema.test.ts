import { describe, expect, test } from '@jest/globals';
import { testSubscriptionBody } from './schema.ts';

describe('the body of a test message', () => {
  test.each([undefined, {}, { eventType: 'order.paid' }, { payload: {} }])('may leave anything out (%#)', (body) => {
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
