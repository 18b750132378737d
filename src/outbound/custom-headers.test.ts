import { describe, expect, test } from '@jest/globals';
import { CUSTOM_HEADER_BOUNDS, customHeadersProblem } from './custom-headers.ts';

describe('custom headers that are fine', () => {
  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an authorization', { Authorization: 'Bearer abc.def' }],
    ['an empty value', { 'x-empty': '' }],
    ['every character a name may have', { "aZ09!#$%&'*+.^_|~-": 'x' }],
    ['every character a value may have', { 'x-all': '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|} ~' }],
    ['the longest name', { ['n'.repeat(CUSTOM_HEADER_BOUNDS.name)]: 'x' }],
    ['the longest value', { 'x-long': 'v'.repeat(CUSTOM_HEADER_BOUNDS.value) }],
    [
      'names that only begin like denied ones',
      { hostname: 'a', contents: 'b', web: 'c', 'x-forwarded': 'd', team: 'e' },
    ],
  ])('%s', (_what, headers) => {
    expect(customHeadersProblem(headers)).toBeUndefined();
  });

  test('twenty of them', () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'v']));
    expect(customHeadersProblem(headers)).toBeUndefined();
  });
});

test('a header that is ours to set, hop-by-hop or a key to a metadata service is refused in any case', () => {
  const denied = [
    'Host',
    'HOST',
    'user-agent',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Accept-Encoding',
    'Forwarded',
    'X-Forwarded-For',
    'x-forwarded-host',
    'X-Real-IP',
    'Proxy-Authorization',
    'proxy-connection',
    'Content-Type',
    'content-length',
    'Content-Encoding',
    'webhook-id',
    'Webhook-Signature',
    'X-Amz-Security-Token',
    'X-aws-ec2-metadata-token',
    'x-goog-api-key',
    'X-Google-Metadata-Request',
    'Metadata-Flavor',
    'Metadata',
  ];
  for (const name of denied) {
    expect(customHeadersProblem({ [name]: 'x' })).toEqual({ name, reason: expect.stringContaining('may not be set') });
  }
});

test('__proto__ is refused as a name even when it is a member of its own', () => {
  const headers: Record<string, string> = JSON.parse('{"__proto__": "x"}');
  expect(customHeadersProblem(headers)).toMatchObject({ name: '__proto__' });
});

describe('a name that is no header name is refused', () => {
  test.each(['', ' ', 'a b', 'a:b', 'a\r\nb', 'a\0', 'é', 'a/b', '(a)', 'a,b', 'n'.repeat(65)])('%j', (name) => {
    expect(customHeadersProblem({ [name]: 'x' })).toMatchObject({ name });
  });
});

describe('a value that could be read as something else is refused', () => {
  test.each(['a\r\nhost: evil', 'a\nb', 'a\0', '\u007f', 'é', '日本', ' a', 'a ', '\ta', 'a\tb', 'v'.repeat(4_097)])(
    '%j',
    (value) => {
      expect(customHeadersProblem({ 'x-fine': 'ok', 'x-bad': value })).toMatchObject({ name: 'x-bad' });
    },
  );
});

test('the same name twice, in two cases, is refused', () => {
  expect(customHeadersProblem({ 'X-Key': 'a', 'x-key': 'b' })).toEqual({ name: 'x-key', reason: 'is there twice' });
});

test('more than twenty are refused, without blaming one of them', () => {
  const headers = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v']));
  expect(customHeadersProblem(headers)).toEqual({ reason: 'must be at most 20 headers' });
});
