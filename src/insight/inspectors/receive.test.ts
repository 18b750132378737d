import { describe, expect, test } from '@jest/globals';
import { keptPath, keptValue } from './receive.ts';

describe('a header', () => {
  // Earlier code compared a list of nine names, separate from the rule that masks attempts.
  test.each([
    'X-Vault-Token',
    'Api-Key',
    'X-Gitlab-Token',
    'X-Secret',
    'X-Session',
    'Token',
    'Auth',
    'Session-Id',
    'Set-Cookie',
    'X-CSRF-Token',
    'X-Forwarded-Access-Token',
    'Cf-Access-Jwt-Assertion',
    'X-Goog-IAP-JWT-Assertion',
    'X-Amzn-Oidc-Data',
    'DPoP',
    'Cookie',
  ])('%s has no value', (name) => {
    expect(keptValue(name, 'top secret')).toBe('(10 characters, not kept)');
  });

  test('with credentials keeps only their scheme', () => {
    expect(keptValue('Proxy-Authorization', 'Basic abc')).toBe('Basic (3 characters, not kept)');
  });

  test.each(['Bearer abc', 'basic abc', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'])(
    'does not keep a value like %s',
    (value) => {
      expect(keptValue('X-Else', value)).toBe(`(${value.length} characters, not kept)`);
    },
  );

  test.each(['webhook-signature', 'webhook-id', 'Content-Type', 'X-Request-Id'])('%s is kept', (name) => {
    expect(keptValue(name, 'v1,abc')).toBe('v1,abc');
  });
});

test.each([
  ['', ''],
  ['/a/b%2Fc?x=1&x=2', '/a/b%2Fc?x=1&x=2'],
  ['/a?token=abc&x=1?&y', '/a?token=***&x=1?&y'],
  ['?api%5Fkey=abc&%ff=1', '?api%5Fkey=***&%ff=1'],
])('the path %j is kept as %j', (path, kept) => {
  expect(keptPath(path)).toBe(kept);
});
