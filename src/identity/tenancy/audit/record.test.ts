import { expect, test } from '@jest/globals';
import { redact } from './record.ts';

test('values of secrets and headers are removed but their names are kept; undefined fields are dropped', () => {
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
  const at = new Date(0);
  expect(redact({ at, n: 1 })).toEqual({ at, n: 1 });
});

test('a literal secret is removed at any depth, and a reference to one is kept', () => {
  const config = {
    url: 'https://example.com',
    headers: { 'X-Api-Key': 'literal', Authorization: 'Bearer {{ secrets.CRM }}' },
    auth: { type: 'bearer', token: 'literal', more: {} },
    query: { sig: 'literal', page: '{{ event.page }}' },
    set: { password: 'literal', tokens: 3 },
  };
  expect(redact({ steps: [{ id: 'a', config, next: null }] })).toEqual({
    steps: [
      {
        id: 'a',
        config: {
          url: 'https://example.com',
          headers: { 'X-Api-Key': '(not kept)', Authorization: 'Bearer {{ secrets.CRM }}' },
          auth: { type: 'bearer', token: '(not kept)', more: '(not kept)' },
          query: { sig: '(not kept)', page: '{{ event.page }}' },
          set: { password: '(not kept)', tokens: 3 },
        },
        next: null,
      },
    ],
  });
});
