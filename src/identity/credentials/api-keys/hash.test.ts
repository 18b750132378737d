import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { environmentOfKey, hashKey, keyHint, newKey } from './hash.ts';

test('a key is the prefix of its environment and 32 bytes in 43 base62 digits', () => {
  expect(newKey('live')).toMatch(/^svc_live_[0-9A-Za-z]{43}$/);
  expect(newKey('test')).toMatch(/^svc_test_[0-9A-Za-z]{43}$/);
  expect(newKey('test')).not.toBe(newKey('test'));
  expect(newKey('test', Buffer.alloc(32))).toBe(`svc_test_${'0'.repeat(43)}`);
  expect(newKey('test', Buffer.concat([Buffer.alloc(31), Buffer.from([62])]))).toBe(`svc_test_${'0'.repeat(41)}10`);
  // 2^256 - 1 in base 62, computed in Python.
  expect(newKey('live', Buffer.alloc(32, 255))).toBe('svc_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1');
});

test('a key is stored as the SHA-256 of the whole key', () => {
  expect(hashKey('svc_test_x').toString('hex')).toBe(createHash('sha256').update('svc_test_x').digest('hex'));
});

test('the hint is the first 12 and the last 4 characters', () => {
  expect(keyHint('svc_live_abcdefghij')).toEqual({ prefix: 'svc_live_abc', last4: 'ghij' });
});

test.each([
  ['svc_live_x', 'live'],
  ['svc_test_x', 'test'],
  ['svc_prod_x', undefined],
  ['SVC_LIVE_x', undefined],
  ['', undefined],
  [`svc_live_${'x'.repeat(300)}`, undefined],
])('%s names the environment %s', (key, environment) => {
  expect(environmentOfKey(key)).toBe(environment);
});
