import { expect, test } from '@jest/globals';
import { CHANGE_KINDS, changedBy, SCOPE_OF_CHANGE } from './change-kinds.ts';
import { SCOPES } from './scopes.ts';

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
