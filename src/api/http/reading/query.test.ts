import { expect, test } from '@jest/globals';
import { ApiError } from '../../../kernel/errors.ts';
import {
  parseQuery,
  dateTimeField,
  instantField,
  instantQuery,
  pageQuery,
  parseDateTime,
  parseInstant,
  someField,
  someQuery,
} from './query.ts';

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-01T00:30:00+02:00', '2025-12-31T22:30:00.000Z'],
  ['2026-12-31T23:30:00-00:45', '2027-01-01T00:15:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('%s is the time %s', (text, iso) => {
  expect(parseDateTime(text)?.toISOString()).toBe(iso);
});

test.each([
  '1',
  '',
  '2026',
  '2026-01-31',
  '2026-01-31 12:00:00Z',
  '2026-01-31T12:00Z',
  '2026-01-31T12:00:00',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-01-31T12:00:60Z',
  '2026-01-31T12:00:00+24:00',
  '2026-01-31T12:00:00 02:00',
  '2026-01-31T12:00:00+0200',
  '+002026-01-31T12:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-01:00',
  '2026-01-31T12:00:00.Z',
  ' 2026-01-31T12:00:00Z',
])('%j is no date-time', (text) => {
  expect(parseDateTime(text)).toBeUndefined();
  expect(instantQuery.safeParse(text).error?.issues[0]?.message).toMatch(/^must be a date-time/);
});

test.each([
  ['2026-01-31T12:00:00Z', 0n],
  ['2026-01-31T12:00:00.5Z', 500_000_000n],
  ['2026-01-31T12:00:00.6781Z', 678_100_000n],
  ['2026-01-31T12:00:00.123456789Z', 123_456_789n],
  ['2026-01-31T13:00:00.000000001+01:00', 1n],
])('%s is kept to the nanosecond', (text, nanoseconds) => {
  const instant = BigInt(Date.parse('2026-01-31T12:00:00Z')) * 1_000_000n + nanoseconds;
  expect(parseInstant(text)).toBe(instant);
  expect(instantQuery.parse(text)).toBe(instant);
  expect(instantField.parse(text)).toBe(instant);
});

test('a fraction of a second counts forwards before 1970 too', () => {
  expect(parseInstant('1969-12-31T23:59:59.25Z')).toBe(-750_000_000n);
  expect(parseDateTime('1969-12-31T23:59:59.2501Z')?.getTime()).toBe(-750);
});

test('a page has 20 items unless a limit from 1 to 100 is given', () => {
  expect(pageQuery.parse({})).toEqual({ limit: 20 });
  expect(pageQuery.parse({ limit: '1', cursor: 'c' })).toEqual({ limit: 1, cursor: 'c' });
  expect(pageQuery.parse({ limit: '100' })).toEqual({ limit: 100 });
});

test.each(['0', '101', '-1', '1e1', '0x10', ' 20 ', '2.5', '', '1000', '٣'])('the limit %j is rejected', (limit) => {
  expect(pageQuery.safeParse({ limit }).error?.issues[0]).toMatchObject({
    path: ['limit'],
    message: 'must be a whole number from 1 to 100',
  });
});

test('decodes the escapes of a query string', () => {
  expect(parseQuery('a=1&b=two+words&c=%C3%BC%26&d&=x&__proto__=p&')).toEqual({
    a: '1',
    b: 'two words',
    c: 'ü&',
    d: '',
    '': 'x',
    ['__proto__']: 'p',
  });
  expect(parseQuery('')).toEqual({});
});

test.each([
  ['limit=1&limit=2', 'limit', 'must be given only once'],
  ['limit=1&%6cimit=2', 'limit', 'must be given only once'],
  ['cursor=%zz', 'cursor', 'must not have a broken percent-escape'],
  ['cursor=%ff', 'cursor', 'must not have a broken percent-escape'],
  ['%zz=1', 'query', 'must not have a broken percent-escape'],
  ['status=a%00', 'status', 'must not contain a NUL character'],
])('the query %s is refused', (text, field, reason) => {
  expect(() => parseQuery(text)).toThrow(ApiError);
  expect(() => parseQuery(text)).toThrow(`${field}: ${reason}`);
});

test.each([
  [undefined, 'is required'],
  [1, 'must be a date-time'],
  [null, 'must be a date-time'],
])('a date-time in a body that is %j %s', (value, reason) => {
  expect(dateTimeField.safeParse(value).error?.issues[0]?.message).toBe(reason);
  expect(instantField.safeParse(value).error?.issues[0]?.message).toBe(reason);
});

const WORDS = ['pending', 'failed', 'delivered'] as const;

test.each([
  ['failed', ['failed']],
  ['delivered,pending', ['pending', 'delivered']],
  ['delivered,failed,pending', ['pending', 'failed', 'delivered']],
])('%s are some of the words, in their own order', (text, words) => {
  expect(someQuery(WORDS).parse(text)).toEqual(words);
});

test.each(['', ',', 'failed,', 'none', 'failed,none', 'failed,failed', 'failed, pending', 'FAILED', 'failed;pending'])(
  '%j is rejected: an unknown or repeated value',
  (text) => {
    expect(
      someQuery(WORDS)
        .safeParse(text)
        .error?.issues.map(({ message }) => message),
    ).toEqual(['must be one of pending, failed, delivered, or several of them separated by commas, each once']);
  },
);

test.each(['failed', ['failed'], ['failed', 'pending']])('a body accepts %j', (given) => {
  expect(someField(WORDS).parse(given)).toEqual(given);
});

test.each([[[]], [['failed', 'failed']], [['none']], 'none', 'failed,pending', 1, null].map((given) => ({ given })))(
  'a body rejects $given',
  ({ given }) => {
    expect(
      someField(WORDS)
        .safeParse(given)
        .error?.issues.map(({ message }) => message),
    ).toEqual(['must be one of pending, failed, delivered, or a list of them, each once']);
  },
);
