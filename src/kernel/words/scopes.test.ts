import { expect, test } from '@jest/globals';
import { SCOPES } from './scopes.ts';

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
