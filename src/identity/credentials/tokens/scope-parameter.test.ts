import { expect, test } from '@jest/globals';
import { readScope } from './scope-parameter.ts';

const granted = ['messages:write', 'channels:read'] as const;

test.each([
  [undefined, ['channels:read', 'messages:write']],
  ['', ['channels:read', 'messages:write']],
  ['messages:write', ['messages:write']],
  ['messages:write channels:read messages:write', ['channels:read', 'messages:write']],
])('%j asks for %j', (given, scopes) => {
  expect(readScope(given, granted)).toEqual(scopes);
});

test.each([
  ['a  b', /one space/],
  [' messages:write', /one space/],
  ['messages:write ', /one space/],
  ['messages:write\tchannels:read', /one space/],
  ['"', /one space/],
  ['dlq:write', /does not have/],
  ['messages:write zebra', /does not have/],
  ['__proto__', /does not have/],
])('%j is refused', (given, reason) => {
  expect(readScope(given, granted)).toMatch(reason);
});
