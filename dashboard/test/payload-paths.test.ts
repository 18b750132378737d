import { expect, test } from '@jest/globals';
import { payloadPaths } from '../src/lib/payload-paths.ts';

test('paths of payloads are those of their values, the most common first', () => {
  const order = { number: 1, total: 12.5, isPaid: true, note: null, items: [{ sku: 'A' }, { sku: 'B' }] };
  expect(payloadPaths([order, { number: 2 }])).toEqual([
    'payload.number',
    'payload.total',
    'payload.isPaid',
    'payload.items.*.sku',
  ]);
});

test('unsupported names, deeply nested values, and payloads that are not objects have no path', () => {
  expect(payloadPaths([{ 'a b': 1, a: { b: { c: { d: { e: 1 } } } } }, 5, 'text', null, []])).toEqual([]);
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`n${n}`, n]));
  expect(payloadPaths([wide])).toHaveLength(12);
});
