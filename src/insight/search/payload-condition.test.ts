import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../kernel/errors.ts';
import { payloadConditionOf, payloadValueOf } from './payload-condition.ts';

const PAYLOAD = `{ "order" : {"id": 42, "total": 12.50, "big": 12345678901234567890, "note": "a=b", "paid": true, "gone": null},
  "items": [ {"sku": "A1"}, {"sku": "B\\u0032"} ], "a.b": {"c d": "x"}, "id": "42", "empty": "", "twice": 1, "twice": 2 }`;

test.each([
  'payload.order.id=42',
  'payload.id=42',
  'payload.id="42"',
  'payload.order.total=12.50',
  'payload.order.big=12345678901234567890',
  'payload.order.note=a=b',
  'payload.order.paid=true',
  'payload.order.gone=null',
  'payload.items.1.sku=B2',
  'payload.items.*.sku=A1',
  'payload."a.b"."c d"=x',
  'payload.empty=',
  'payload.twice=2',
  'payload.order.id = 42',
])('%s fits', (q) => {
  expect(payloadConditionOf(q)?.fits(PAYLOAD)).toBe(true);
});

test.each([
  'payload.order.id="42"',
  'payload.order.id=42.0',
  'payload.order.id=4',
  'payload.order.total=12.5',
  'payload.order.big=12345678901234567000',
  'payload.order=42',
  'payload.order.id.deeper=42',
  'payload.items.2.sku=A1',
  'payload.items.sku=A1',
  'payload.items.*.sku=C3',
  'payload.toString=x',
  'payload.twice=1',
])('%s does not fit', (q) => {
  expect(payloadConditionOf(q)?.fits(PAYLOAD)).toBe(false);
});

test('every matching payload contains the text to look for', () => {
  for (const q of ['payload.order.id=42', 'payload.order.note="a=b"'])
    expect(PAYLOAD).toContain(payloadConditionOf(q)?.needle);
});

test.each(['order.created', 'payload', 'payload.made', 'payloads.a=1', 'a=1', ' payload.a=1'])(
  '%s is not a condition',
  (q) => {
    expect(payloadConditionOf(q)).toBeUndefined();
  },
);

describe('a condition is refused', () => {
  test.each([
    ['payload.=1', 'must be a path and a value such as payload.order.id=42'],
    ['payload.a..b=1', 'must be a path and a value such as payload.order.id=42'],
    ['payload.a b=1', 'must be a path and a value such as payload.order.id=42'],
    ['payload."a=1', 'must be a path and a value such as payload.order.id=42'],
    ['payload."\\x"=1', 'has a name with an unclosed or invalid quote'],
    ['payload.a="1', 'has a value with an unclosed or invalid quote'],
    [`payload${'.a'.repeat(33)}=1`, 'must have at most 32 names in its path'],
  ])('%s', (q, reason) => {
    let problem: unknown;
    try {
      payloadConditionOf(q);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(ApiError);
    expect(problem).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'q', reason } });
  });
});

test.each(['payload.a="x\\u0000y"', 'payload."a\\u0000"=1', 'payload.a="\\ud800"'])(
  '%s is refused with the field q',
  (q) => {
    expect(() => payloadConditionOf(q)).toThrow(
      expect.objectContaining({
        details: { field: 'q', reason: 'has a NUL character or a lone surrogate, which no payload can contain' },
      }),
    );
  },
);

describe('a bare value', () => {
  const TEXT = `{ "order": {"id": "SO-10922", "total": 561.90, "mail" : "jonas@example.com", "path": "C:\\\\temp", "tag": "a, b"},
    "lines":[{"sku":"\\u0041-17"},[ -42, 1000,2000 ,12345678901234567890]], "said": "\\"yes\\"", "561.91": null, "is": true, "big": 1e400 }`;

  test.each([
    'SO-10922',
    '"SO-10922"',
    '561.90',
    'jonas@example.com',
    'C:\\temp',
    'a, b',
    'A-17',
    '-42',
    '1000',
    '2000',
    '12345678901234567890',
    '"yes"',
    '"\\"yes\\""',
    '1e400',
  ])('%s is found', (q) => {
    expect(payloadValueOf(q)?.fits(TEXT)).toBe(q !== '"yes"');
  });

  test.each([
    'SO-1092',
    'so-10922',
    'O-10922',
    '561.9',
    '61.90',
    '561.91',
    '"561.90"',
    'total',
    'true',
    'null',
    ', ',
    ', "b',
    '{"sku":',
    ': 561.90, ',
    'u0041-17',
    '\\u0041-17',
    '1000,2000',
    'C:\\\\temp',
    'lines',
  ])('%s is not found', (q) => {
    expect(payloadValueOf(q)?.fits(TEXT) ?? false).toBe(false);
  });

  test('matches a whole text or number in any JSON, with or without white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, null, isSpaced ? 2 : 0);
        const values: unknown[] = [];
        JSON.stringify(value, (_, each: unknown) => {
          values.push(each);
          return each;
        });
        for (const each of values) {
          const q = typeof each === 'number' ? JSON.stringify(each) : each;
          if (typeof q !== 'string') continue;
          // A text in quotes is read as a JSON string.
          const asked = q.startsWith('"') ? JSON.stringify(q) : q;
          expect(payloadValueOf(asked)?.fits(text)).not.toBe(false);
        }
        expect(payloadValueOf('no such value')?.fits(text)).toBe(false);
      }),
    );
  });

  test.each(['ab', '"ab"', '', 'a\0bc', '\ud800abc'])('%j is not searched for', (q) => {
    expect(payloadValueOf(q)).toBeUndefined();
  });

  test('has its own cursors', () => {
    const names = ['abc', '"abc"', 'payload.a=abc'].map((q) => (payloadConditionOf(q) ?? payloadValueOf(q))?.name);
    expect(new Set(names).size).toBe(3);
  });
});
