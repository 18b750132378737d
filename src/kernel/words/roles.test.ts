import { expect, test } from '@jest/globals';
import { SCOPES } from './scopes.ts';
import { isAtLeast, ROLES, SCOPES_OF_ROLE } from './roles.ts';

test('each role has the scopes of those below it and more, or as many at the top', () => {
  const own = ROLES.map((role) => [...SCOPES_OF_ROLE[role]]);
  for (const [index, scopes] of own.entries()) {
    const below = own[index - 1] ?? [];
    expect(scopes).toEqual(expect.arrayContaining(below));
  }
  expect(new Set(SCOPES_OF_ROLE.owner)).toEqual(new Set(SCOPES));
});

test('viewers only read, and developers make no credentials', () => {
  expect([...SCOPES_OF_ROLE.viewer].filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  expect(SCOPES_OF_ROLE.viewer.size).toBeGreaterThan(3);
  expect(SCOPES_OF_ROLE.developer.has('credentials:write')).toBe(false);
  expect(SCOPES_OF_ROLE.developer.has('messages:write')).toBe(true);
  expect(SCOPES_OF_ROLE.admin.has('credentials:write')).toBe(true);
});

test('roles are ranked', () => {
  expect(isAtLeast('owner', 'admin')).toBe(true);
  expect(isAtLeast('admin', 'admin')).toBe(true);
  expect(isAtLeast('developer', 'admin')).toBe(false);
});
