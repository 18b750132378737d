import { describe, expect, test } from '@jest/globals';
import { expectShortTurns } from '../../../test/support/check/longest-turn.ts';
import { compileSchema, schemaCost } from './compile.ts';
import { formats } from './formats.ts';
import { loadValidator } from './validator.ts';

/** Whether a value has a format, checked by compiled schema code. */
const has = (format: string, value: unknown): boolean =>
  loadValidator(compileSchema({ properties: { value: { format } } }).code)({ value }) === undefined;

const UUID = '123e4567-e89b-12d3-a456-426614174000';

describe('a valid value of the format', () => {
  test.each<[string, unknown]>([
    ['date-time', '2026-11-29T05:00:00Z'],
    ['date-time', '2026-11-29t05:00:00.123456789z'],
    ['date-time', '2026-11-29T05:00:00+02:00'],
    ['date-time', '2016-12-31T23:59:60Z'],
    ['date-time', '2016-12-31T15:59:60-08:00'],
    ['time', '05:00:00-00:00'],
    ['date', '2024-02-29'],
    ['uuid', UUID],
    ['uuid', UUID.toUpperCase()],
    ['uuid', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['uri', "https://a.example/b?c='d'#e"],
    ['uri-reference', '../a?b'],
    ['byte', 'aGk='],
    ['byte', ''],
    ['int64', 9_007_199_254_740_991],
    ['int64', -(2 ** 63)],
    ['something-else', 'anything'],
  ])('%s: %j', (format, value) => {
    expect(has(format, value)).toBe(true);
  });
});

// Regression: the library's formats accept more than the standards that JSON Schema names.
describe('an invalid value of the format', () => {
  test.each<[string, unknown]>([
    ['date-time', '2026-11-29T05:00:00+0200'],
    ['date-time', '2026-11-29T05:00:00+02'],
    ['date-time', '2026-11-29 05:00:00Z'],
    ['date-time', '2026-11-29\t05:00:00Z'],
    ['date-time', '2026-11-29T05:00:00'],
    ['date-time', '2026-11-29T05:00:00Z\n'],
    ['date-time', '2026-02-30T05:00:00Z'],
    ['date-time', '2026-11-29T24:00:00Z'],
    ['date-time', '2026-11-29T05:00:60Z'],
    ['date-time', '2026-11-29TT05:00:00Z'],
    ['date-time', ''],
    ['time', '05:00:00+0200'],
    ['time', '05:00:00'],
    ['date', '2026-2-3'],
    ['uuid', `urn:uuid:${UUID}`],
    ['uuid', `{${UUID}}`],
    ['uuid', UUID.replaceAll('-', '')],
    ['uri', 'https://a.example/"b"'],
    ['uri-reference', '/"b"'],
    ['byte', 'aGk=\nanything at all'],
    ['byte', 'aGk'],
    ['int64', 1e300],
    ['int64', 2 ** 63],
    ['int64', 1.5],
  ])('%s: %j', (format, value) => {
    expect(has(format, value)).toBe(false);
  });
});

test('times are ordered as before', () => {
  const schema = { properties: { value: { format: 'date-time', formatMinimum: '2026-01-01T00:00:00Z' } } };
  const validate = loadValidator(compileSchema(schema).code);
  expect(validate({ value: '2026-01-01T01:00:00+00:30' })).toBeUndefined();
  expect(validate({ value: '2026-01-01T00:00:00+01:00' })).toBeDefined();
});

describe('checking a string as large as a payload is fast, whatever it contains', () => {
  const parts = [
    'a',
    '0',
    '1.',
    '-',
    'a-',
    'a.',
    'a@',
    '/',
    '/~0',
    '%41',
    ':',
    '0:',
    '{a}',
    '{',
    'P1Y',
    'aGk=',
    '\n',
    '"',
  ];
  const beginnings = ['', 'a@', 'a:', 'http://', '2026-11-29T05:00:00.', '#', 'P', '0'];
  const texts = parts.flatMap((part) =>
    beginnings.map((beginning) => `${beginning}${part.repeat(Math.floor(240_000 / part.length))}!`),
  );
  const isBounded = (format: string): boolean => Number.isFinite(schemaCost({ format }, () => 1));

  test.each(Object.keys(formats).filter(isBounded))('%s', async (format) => {
    const validate = loadValidator(compileSchema({ properties: { value: { format } } }).code);
    await expectShortTurns(async () => {
      for (const value of texts) {
        validate({ value });
        await new Promise(setImmediate);
      }
    });
  });
});
