import { describe, expect, test } from '@jest/globals';
import { parseRetryAfter } from './retry-after.ts';

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
