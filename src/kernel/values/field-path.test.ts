import { expect, test } from '@jest/globals';
import { fieldPath } from './field-path.ts';

test.each([
  [['messages', 3, 'eventType'], 'messages[3].eventType'],
  [['payload', 'two words', 'a'], 'payload["two words"].a'],
  [[2, 'name'], '[2].name'],
  [['headers', 'x-key'], 'headers["x-key"]'],
  [[''], '[""]'],
  [[], 'body'],
])('the path %j is written as %s', (segments, path) => {
  expect(fieldPath(segments)).toBe(path);
});

test('a long key is cut to 64 characters', () => {
  expect(fieldPath(['k'.repeat(100)])).toBe('k'.repeat(64));
});
