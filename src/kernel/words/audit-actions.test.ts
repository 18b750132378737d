import { expect, test } from '@jest/globals';
import { AUDIT_ACTIONS, CHANGE_KINDS, changedBy, SCOPE_OF_CHANGE, changedParts } from './audit-actions.ts';
import { SCOPES } from './rights.ts';

test('each action is a resource and what happened to it, and is listed once', () => {
  for (const action of AUDIT_ACTIONS) expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/);
  expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
});

test('each kind has a scope that reads it', () => {
  expect(Object.keys(SCOPE_OF_CHANGE)).toEqual([...CHANGE_KINDS]);
  for (const scope of Object.values(SCOPE_OF_CHANGE)) expect(SCOPES).toContain(scope);
});

test.each([
  ['channel.updated', 'channel'],
  ['dead_letter.discarded', 'deadLetter'],
  ['dead_letter.bulk_discarded', 'deadLetter'],
  ['api_key.revoked', 'apiKey'],
  ['machine_credential.rotated', 'machineCredential'],
  ['subscription.secret_rotated', 'subscription'],
  ['subscription.secret_viewed', undefined],
  ['webhook.secrets_viewed', undefined],
  ['webhook.sample_sent', undefined],
  ['delivery.exported', undefined],
  ['session.started', undefined],
  ['app.updated', undefined],
] as const)('%s changes %s', (action, kind) => {
  expect(changedBy(action)).toBe(kind);
});

test('only the named fields are shown, before and after the change', () => {
  const before = { name: 'old', status: 'active', note: 'x' };
  expect(changedParts(before, { name: 'new', status: 'active' }, ['name', 'note'])).toEqual({
    before: { name: 'old', note: 'x' },
    after: { name: 'new', note: undefined },
  });
});
