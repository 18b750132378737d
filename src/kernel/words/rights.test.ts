import { expect, test } from '@jest/globals';
import {
  SCOPES,
  ENVIRONMENT_KINDS,
  otherThan,
  isAtLeast,
  ROLES,
  SCOPES_OF_ROLE,
  limitAbove,
  resolveLimits,
  TIER_LIMITS,
} from './rights.ts';

test('the scopes are the nine of the specification, then ours', () => {
  expect(SCOPES).toEqual([
    'channels:read',
    'channels:write',
    'messages:read',
    'messages:write',
    'subscriptions:read',
    'subscriptions:write',
    'deliveries:read',
    'dlq:read',
    'dlq:write',
    'credentials:write',
    'apps:read',
    'apps:write',
    'audit:read',
    'workflows:read',
    'workflows:write',
    'webhooks:read',
    'webhooks:write',
  ]);
});

test('the other environment of live is test, and the reverse', () => {
  expect(ENVIRONMENT_KINDS.map(otherThan)).toEqual(ENVIRONMENT_KINDS.toReversed());
});

test('each role has the scopes of those below it, and more except at the top', () => {
  const own = ROLES.map((role) => [...SCOPES_OF_ROLE[role]]);
  for (const [index, scopes] of own.entries()) {
    const below = own[index - 1] ?? [];
    expect(scopes).toEqual(expect.arrayContaining(below));
  }
  expect(new Set(SCOPES_OF_ROLE.owner)).toEqual(new Set(SCOPES));
});

test('viewers only read, and developers cannot create credentials', () => {
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

test('the tiers are those of the specification (section 8)', () => {
  expect(TIER_LIMITS.free).toMatchObject({ requestsPerMinute: 60, burst: 10, concurrent: 5 });
  expect(TIER_LIMITS.starter).toMatchObject({ requestsPerMinute: 600, burst: 50, concurrent: 25 });
  expect(TIER_LIMITS.pro).toMatchObject({ requestsPerMinute: 6_000, burst: 200, concurrent: 100 });
  expect(TIER_LIMITS.enterprise).toEqual({
    requestsPerMinute: 600_000,
    burst: 20_000,
    concurrent: 1_000,
    batchPerMinute: 10,
  });
});

test("a key's own limits override its tier's, and null and absent ones follow the tier", () => {
  expect(resolveLimits('free', { burst: 3, concurrent: null })).toEqual({
    requestsPerMinute: 60,
    burst: 3,
    concurrent: 5,
    batchPerMinute: 10,
  });
  expect(resolveLimits('pro', {})).toEqual(TIER_LIMITS.pro);
});

test('names the first limit that exceeds another', () => {
  const own = TIER_LIMITS.starter;
  expect(limitAbove(own, own)).toBeUndefined();
  expect(limitAbove({ ...own, concurrent: 26 }, own)).toBe('concurrent');
  expect(limitAbove({ ...own, batchPerMinute: 11 }, own)).toBe('batchPerMinute');
});
