import { expect, test } from '@jest/globals';
import { AUDIT_ACTIONS } from './audit-actions.ts';

test('each action is a resource and what became of it, and stands there once', () => {
  for (const action of AUDIT_ACTIONS) expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/);
  expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
});
