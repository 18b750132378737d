import { describe, expect, test } from '@jest/globals';
import { ENDPOINTS } from '../../client/src/generated/endpoints.ts';
import { SCOPES } from '../../client/src/generated/rights.ts';
import { curlOf, exampleOf } from '../src/lib/scope-example.ts';
import { plainTokenSnippet, tokenSnippet } from '../src/lib/token-snippet.ts';

describe('the example of a credential', () => {
  test.each([
    [
      'publishes with messages:write',
      ['channels:read', 'messages:read', 'messages:write'],
      '/v1/channels/chn_1/messages',
    ],
    ['reads messages before deliveries', ['messages:read', 'deliveries:read'], '/v1/messages'],
    ['reads deliveries before channels', ['channels:read', 'deliveries:read'], '/v1/deliveries'],
    ['creates what it cannot read', ['subscriptions:write'], '/v1/subscriptions'],
  ])('%s', (_, scopes, path) => {
    expect(exampleOf(scopes, 'chn_1')).toMatchObject({ path });
  });

  test('has a placeholder for the channel if none is known', () => {
    expect(exampleOf(['messages:write'])?.path).toBe('/v1/channels/CHANNEL_ID/messages');
  });

  test('exists for all but a few scopes, and each is an endpoint of the API', () => {
    const patterns = Object.values<Record<string, { method: string; path: string }>>(ENDPOINTS)
      .flatMap((each) => Object.values(each))
      .map(({ method, path }) => new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`));
    const without = SCOPES.filter((scope) => {
      const example = exampleOf([scope]);
      if (example === undefined) return true;
      expect(patterns.some((pattern) => pattern.test(`${example.method} ${example.path}`))).toBe(true);
      const [, resource = '', method = ''] = /posthorn\.(\w+)\.(\w+)\(/.exec(example.library) ?? [];
      expect(Object.entries(ENDPOINTS).find(([name]) => name === resource)?.[1]).toHaveProperty(method);
      return false;
    });
    expect(without).toEqual(['dlq:write', 'apps:read', 'apps:write', 'workflows:write']);
  });
});

test('cURL publishes with a body and an idempotency key, and reads without', () => {
  const at = { url: 'https://posthorn.example', header: 'Authorization: Bearer k' };
  const [publish, read] = [exampleOf(['messages:write']), exampleOf(['dlq:read'])];
  expect(publish && curlOf(publish, at)).toBe(`curl https://posthorn.example/v1/channels/CHANNEL_ID/messages \\
  -H 'Authorization: Bearer k' \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"eventType":"order.created","payload":{"number":1}}'`);
  expect(read && curlOf(read, at)).toBe("curl https://posthorn.example/v1/dlq \\\n  -H 'Authorization: Bearer k'");
});

test('programs of a client do what its scopes allow, and only get a token if they allow nothing', () => {
  const client = { url: 'https://posthorn.example', id: 'mch_1', secret: 's' };
  const texts = (scopes: readonly string[]): string[] =>
    [plainTokenSnippet, tokenSnippet].map((snippet) => snippet({ ...client, example: exampleOf(scopes) }));
  const [plain, library] = texts(['messages:write']);
  expect(plain).toContain("dpop: prove('POST', target, token)");
  expect(library).toContain("posthorn.messages.publish('CHANNEL_ID', ");
  expect(texts(['messages:read'])[1]).toContain('posthorn.messages.listAll()');
  for (const text of texts(['apps:write'])) expect(text).not.toMatch(/target|console\.log\((each|message)/);
});
