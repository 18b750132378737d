import { expect, test } from '@jest/globals';
import { redact } from './redact.ts';

test('values of secrets and headers are left out, their names are not; absent fields are no fields', () => {
  expect(
    redact({
      name: 'till',
      webhookUrl: 'https://example.com',
      headers: { 'X-Token': 'a' },
      clientSecret: 'b',
      key: 'c',
      gone: undefined,
    }),
  ).toEqual({
    name: 'till',
    webhookUrl: 'https://example.com',
    headers: { 'X-Token': '(not kept)' },
    clientSecret: '(not kept)',
    key: '(not kept)',
  });
  expect(redact({ headers: null })).toEqual({ headers: null });
});
