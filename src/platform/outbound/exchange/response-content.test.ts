import { describe, expect, test } from '@jest/globals';
import { BODY_BOUNDS, bodyText, headerRecord, parseRetryAfter } from './response-content.ts';

const LIMIT = BODY_BOUNDS.kept;

describe('the text of a body', () => {
  test.each([
    ['plain text', Buffer.from('ok'), 'ok'],
    ['nothing', Buffer.alloc(0), ''],
    ['a byte order mark, which stays', Buffer.from('\uFEFFok'), '\uFEFFok'],
    ['NUL', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
    ['a character that breaks off', Buffer.from([0x61, 0xe2, 0x82]), 'a\uFFFD'],
    ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\uFFFD\uFFFD\uFFFD'],
  ])('%s', (_what, bytes, expected) => {
    expect(bodyText(bytes)).toBe(expected);
  });

  test('is cut after 16 KiB', () => {
    expect(bodyText(Buffer.alloc(LIMIT, 'a'))).toBe('a'.repeat(LIMIT));
    expect(bodyText(Buffer.alloc(LIMIT + 1, 'a'))).toBe('a'.repeat(LIMIT));
  });

  test('is cut before a character that does not fit completely', () => {
    for (const character of ['é', '€', '😀']) {
      const bytes = Buffer.from('a'.repeat(LIMIT - 1) + character);
      expect(bodyText(bytes)).toBe('a'.repeat(LIMIT - 1));
    }
    expect(bodyText(Buffer.from(`${'a'.repeat(LIMIT - 4)}😀b`))).toBe(`${'a'.repeat(LIMIT - 4)}😀`);
  });

  test('has at most 16 KiB even if every byte had to be replaced', () => {
    for (const byte of [0, 0xff]) {
      const text = bodyText(Buffer.alloc(65_536, byte));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
      expect(new Set(text)).toEqual(new Set(['\uFFFD']));
    }
  });

  test('never contains a lone surrogate or NUL, whatever the bytes', () => {
    let state = 1;
    const bytes = Buffer.from(
      Array.from({ length: 20_000 }, () => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state >> 16;
      }),
    );
    expect(bodyText(bytes)).not.toMatch(/[\0\p{Surrogate}]/u);
  });
});

describe('the headers of an answer', () => {
  test('joins repeated ones and omits absent ones', () => {
    expect(headerRecord({ a: 'x', 'set-cookie': ['p=1', 'q=2'], gone: undefined })).toEqual({
      a: 'x',
      'set-cookie': 'p=1, q=2',
    });
  });

  test('control characters are replaced, except tabs', () => {
    expect(headerRecord({ a: 'x\0y\u001b[31m\u007fz\tq' })).toEqual({ a: 'x\uFFFDy\uFFFD[31m\uFFFDz\tq' });
  });

  test('a header called __proto__ stays a header', () => {
    const record = headerRecord(JSON.parse('{"__proto__": "x", "constructor": "y"}'));
    expect(Object.entries(record)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test('omits the part beyond 16 KiB', () => {
    expect(Object.keys(headerRecord({ a: 'v'.repeat(16_000), b: 'v'.repeat(1_000), c: '' }))).toEqual(['a']);
  });
});

const NOW = new Date('2026-11-21T12:00:00.000Z');
const WEEK_MS = 604_800_000;

describe('a Retry-After in seconds', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    [' 120\t', 120_000],
    ['007', 7_000],
    ['604800', WEEK_MS],
    ['604801', WEEK_MS],
    ['9'.repeat(400), WEEK_MS],
  ])('%s is %d ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });
});

describe('a Retry-After with an HTTP-date', () => {
  test.each([
    ['IMF-fixdate', 'Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['RFC 850', 'Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
    ['asctime', 'Sat Nov 21 12:02:00 2026', 120_000],
    ['asctime with a one-digit day', 'Tue Dec  1 12:00:00 2026', WEEK_MS],
    ['a leap second', 'Thu, 31 Dec 2026 23:59:60 GMT', WEEK_MS],
    ['a date that has passed', 'Sat, 21 Nov 2026 11:59:59 GMT', 0],
    ['a two-digit year of the last century', 'Monday, 21-Nov-94 12:00:00 GMT', 0],
    ['a two-digit year 50 years ahead', 'Saturday, 21-Nov-76 12:00:00 GMT', WEEK_MS],
    ['the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT', WEEK_MS],
  ])('%s is understood', (_form, value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });
});

describe('anything else is no Retry-After', () => {
  test.each([
    '',
    ' ',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '12, 30',
    '1_000',
    '１２',
    'soon',
    '2026-11-21T12:00:30Z',
    'Sat, 21 Nov 2026 12:00:30',
    'Sat, 21 Nov 2026 12:00:30 CET',
    'Sat, 30 Feb 2026 12:00:00 GMT',
    'Sat, 00 Nov 2026 12:00:00 GMT',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 12:60:00 GMT',
    'Sat, 21 Nov 2026 12:00:61 GMT',
    'sat, 21 nov 2026 12:00:30 gmt',
  ])('%j', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });
});
