import { describe, expect, test } from '@jest/globals';
import { hasEventType, misspeltNames, valuesNamed } from '../src/lib/filter-names.ts';

const PAYLOADS = ['{"total": 250.50, "shipping": {"country": "DE"}}', '{"total": 7, "note": "x"}'];

describe('values that a filter refers to', () => {
  test('are shown as the payload has them, each once, with a dash for an absent one', () => {
    const [payload = ''] = PAYLOADS;
    expect(valuesNamed('payload.total > 1 && payload.total < 9 && payload.shipping.country == "FR"', payload)).toBe(
      'total 250.50, shipping.country "DE"',
    );
    expect(valuesNamed('payload.shipping.city == "Bonn"', payload)).toBe('shipping.city —');
  });
});

describe('names that no payload has', () => {
  test('are reported with their position and the name that is probably meant', () => {
    const filter = 'payload.total > 1 && payload.shiping.country == "DE"';
    expect(misspeltNames(filter, PAYLOADS)).toEqual([
      { message: 'Unknown field shiping', from: 29, to: 36, fix: 'shipping' },
    ]);
    expect(misspeltNames('payload.shipping.contry == "DE"', PAYLOADS)).toMatchObject([{ fix: 'country' }]);
  });

  test('are accepted if nothing is spelt almost the same, if they are inside `has`, and if there are no payloads', () => {
    expect(misspeltNames('payload.customer.vip', PAYLOADS)).toEqual([]);
    expect(misspeltNames('has(payload.nota)', PAYLOADS)).toEqual([]);
    expect(misspeltNames('payload.shiping.country == "DE"', [])).toEqual([]);
  });
});

test.each([
  [[], 'order.paid', true],
  [['order.paid'], 'order.paid', true],
  [['order.*'], 'order.paid', true],
  [['order.*', 'refund.issued'], 'refund.paid', false],
])('a subscription to %j and a message of the type %s: %s', (wanted, type, isReceived) => {
  expect(hasEventType(wanted, type)).toBe(isReceived);
});
