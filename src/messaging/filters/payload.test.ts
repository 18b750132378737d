import { expect, test } from '@jest/globals';
import { parsePayload } from './payload.ts';

test.each<[string, unknown]>([
  ['{"a":1,"b":[1.5,"x",null,true]}', { a: 1, b: [1.5, 'x', null, true] }],
  ['{"a":9007199254740991}', { a: 9_007_199_254_740_991 }],
  ['{"a":9007199254740993}', { a: 9_007_199_254_740_993n }],
  ['{"a":-12345678901234567890}', { a: -12_345_678_901_234_567_890n }],
  ['[12345678901234567890]', [12_345_678_901_234_567_890n]],
  ['12345678901234567890', 12_345_678_901_234_567_890n],
  ['{"a":123456789012345678901}', { a: 123_456_789_012_345_680_000 }],
  ['{"a":1234567890123456789.5}', { a: 1_234_567_890_123_456_800 }],
  ['{"a":1234567890123456789e2}', { a: 123_456_789_012_345_680_000 }],
  ['{"a":0.12345678901234567890}', { a: 0.123_456_789_012_345_68 }],
  ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
  [
    '{"a":"\\"12345678901234567890","b":12345678901234567890}',
    { a: '"12345678901234567890', b: 12_345_678_901_234_567_890n },
  ],
  ['{"12345678901234567890":1}', { '12345678901234567890': 1 }],
  [
    '{"constructor":1,"a":{"b":2}}',
    new Map<string, unknown>([
      ['constructor', 1],
      ['a', { b: 2 }],
    ]),
  ],
  ['{"\\u0063onstructor":1}', new Map([['constructor', 1]])],
  ['{"a":{"constructor":{"constructor":1}}}', { a: new Map([['constructor', new Map([['constructor', 1]])]]) }],
  ['{"a":"constructor"}', { a: 'constructor' }],
  ['{"toString":1,"hasOwnProperty":2}', { toString: 1, hasOwnProperty: 2 }],
])('%s is read as what it says', (text, expected) => {
  expect(parsePayload(text)).toEqual(expected);
});

test('a key named __proto__ is an ordinary key', () => {
  const read = parsePayload('{"__proto__":{"admin":true},"n":12345678901234567890}');
  expect(Object.entries(Object(read))).toEqual([
    ['__proto__', { admin: true }],
    ['n', 12_345_678_901_234_567_890n],
  ]);
  expect(Object.hasOwn({}, 'admin') || 'admin' in {}).toBe(false);
});

test('no key of a payload is mistaken for the marker of a long number', () => {
  const text = String.raw`{"long":12345678901234567890,"a":{"\u0000exact":"x"},"b":{"exact":"1"}}`;
  expect(parsePayload(text)).toEqual({ long: 12345678901234567890n, a: { '\0exact': 'x' }, b: { exact: '1' } });
});
