import { describe, expect, test } from '@jest/globals';
import { CUSTOM_HEADER_BOUNDS, customHeadersProblem, headersNotSent, isHeaderAllowed } from './headers.ts';

describe('custom headers that are valid', () => {
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
      {
        hostname: 'a',
        contents: 'b',
        web: 'c',
        'x-forwarder': 'd',
        team: 'e',
        cookies: 'f',
        proxied: 'g',
        'x-http': 'h',
      },
    ],
    [
      'what receivers ask for',
      {
        'X-Api-Key': 'a',
        'X-Auth-Token': 'b',
        'X-Request-Id': 'c',
        'X-Correlation-ID': 'd',
        'X-Signature': 'e',
        Accept: 'f',
        'x_shop.id': 'g',
        'PRIVATE-TOKEN': 'h',
        'Idempotency-Key': 'i',
      },
    ],
  ])('%s', (_what, headers) => {
    expect(customHeadersProblem(headers)).toBeUndefined();
  });

  test('twenty of them', () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'v']));
    expect(customHeadersProblem(headers)).toBeUndefined();
  });
});

test('a header that the service sets, hop-by-hop or for a metadata service is rejected in any case', () => {
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
    expect(customHeadersProblem({ [name]: 'x' })).toEqual({ name, reason: expect.stringContaining('must not be set') });
  }
});

// Old mechanism: the list had only the names that frame a request or open metadata services, and compared them letter for letter.
describe('a header from which a receiver derives the sender, method or target of a request is rejected', () => {
  test.each([
    'Proxy',
    'Content_Length',
    'content.length',
    'Transfer_Encoding',
    'X_Forwarded_For',
    'x_forwarded-for',
    'X-Forwarded',
    'X!Forwarded!For',
    'Forwarded',
    'Forwarded-For',
    'X-HTTP-Method-Override',
    'X-HTTP-Method',
    'X_METHOD_OVERRIDE',
    'True-Client-IP',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'Fastly-Client-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'X-Real-IP',
    'X_Real_IP',
    'Client-IP',
    'X-Remote-Addr',
    'X-Remote-User',
    'Remote-User',
    'X-Originating-IP',
    'X-Azure-ClientIP',
    'X-Envoy-Original-Path',
    'X-AppEngine-User-IP',
    'X-Amzn-Oidc-Identity',
    'X-Host',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Middleware-Subrequest',
    'Cookie',
    'cookie',
    'Cookie2',
    'Set-Cookie',
    'X-CSRF-Token',
    'X-CSRFToken',
    'X-XSRF-TOKEN',
    'csrf_token',
    'Origin',
    'Referer',
    'Referrer',
    'Range',
    'Baggage',
    'traceparent',
    'X-ProxyUser-Ip',
    'X_ProxyUser_IP',
    'Access-Control-Request-Method',
    'Early-Data',
    'CDN-Loop',
    'posthorn-hops',
    'Posthorn_Hops',
  ])('%s', (name) => {
    expect(customHeadersProblem({ [name]: 'x' })).toEqual({ name, reason: expect.stringContaining('must not be set') });
    expect(isHeaderAllowed(name)).toBe(false);
    expect(headersNotSent({ 'x-team': 'a', [name]: 'x' })).toEqual([
      { name, reason: expect.stringMatching(/^is not sent, because it must not be set/) },
    ]);
  });
});

test('__proto__ is rejected as a name even if it is an own member', () => {
  const headers: Record<string, string> = JSON.parse('{"__proto__": "x"}');
  expect(customHeadersProblem(headers)).toMatchObject({ name: '__proto__' });
});

describe('an invalid header name is rejected', () => {
  test.each(['', ' ', 'a b', 'a:b', 'a\r\nb', 'a\0', 'é', 'a/b', '(a)', 'a,b', 'n'.repeat(65)])('%j', (name) => {
    expect(customHeadersProblem({ [name]: 'x' })).toMatchObject({ name });
  });
});

describe('an ambiguous value is rejected', () => {
  test.each(['a\r\nhost: evil', 'a\nb', 'a\0', '\u007f', 'é', '日本', ' a', 'a ', '\ta', 'a\tb', 'v'.repeat(4_097)])(
    '%j',
    (value) => {
      expect(customHeadersProblem({ 'x-fine': 'ok', 'x-bad': value })).toMatchObject({ name: 'x-bad' });
    },
  );
});

test('the same name in two cases is rejected', () => {
  expect(customHeadersProblem({ 'X-Key': 'a', 'x-key': 'b' })).toEqual({
    name: 'x-key',
    reason: 'must be given only once',
  });
});

test('more than twenty are rejected, without naming one of them', () => {
  const headers = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v']));
  expect(customHeadersProblem(headers)).toEqual({ reason: 'must be at most 20 headers' });
});

describe('with stored headers', () => {
  const stored = { Cookie: 'a', 'X-Key': 'b' };

  test.each<[string, Record<string, string>]>([
    ['an old entry that a rule refuses since', { ...stored, 'X-New': 'c' }],
    ['fewer entries', { Cookie: 'a' }],
  ])('%s is fine', (_what, headers) => {
    expect(customHeadersProblem(headers, stored)).toBeUndefined();
  });

  test.each<[string, Record<string, string>, string]>([
    ['a refused name with another value', { ...stored, Cookie: 'b' }, 'Cookie'],
    ['a refused name in another case', { cookie: 'a' }, 'cookie'],
    ['another refused name', { ...stored, Host: 'a' }, 'Host'],
    ['a stored name again, in another case and before it', { 'x-key': 'c', ...stored }, 'x-key'],
  ])('%s is refused', (_what, headers, name) => {
    expect(customHeadersProblem(headers, stored)).toMatchObject({ name });
  });

  test('more than twenty are rejected only if they are more than before', () => {
    const many = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`x-${index}`, 'v']));
    expect(customHeadersProblem({ ...many, 'x-0': 'w' }, many)).toBeUndefined();
    expect(customHeadersProblem({ ...many, 'x-22': 'v' }, many)).toEqual({ reason: 'must be at most 20 headers' });
  });
});
