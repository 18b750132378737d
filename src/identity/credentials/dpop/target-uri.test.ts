import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normaliseTargetUri } from './target-uri.ts';

test.each([
  ['https://api.example.com/oauth/token', 'https://api.example.com/oauth/token'],
  ['HTTPS://API.example.COM:443/oauth/token?x=1#y', 'https://api.example.com/oauth/token'],
  ['http://api.example.com:80/a', 'http://api.example.com/a'],
  ['http://api.example.com:443/a', 'http://api.example.com:443/a'],
  ['https://api.example.com', 'https://api.example.com/'],
  ['https://api.example.com/a/./b/../c', 'https://api.example.com/a/c'],
  ['https://api.example.com/%7ea%2db', 'https://api.example.com/~a-b'],
  ['https://api.example.com/%c3%a9%2f', 'https://api.example.com/%C3%A9%2F'],
  ['https://api.example.com/a/', 'https://api.example.com/a/'],
  ['https://api.example.com./a', 'https://api.example.com./a'],
  ['http://[0:0::1]:3000/a', 'http://[::1]:3000/a'],
])('%s is %s', (text, normal) => {
  expect(normaliseTargetUri(text)).toBe(normal);
});

test.each([
  '',
  '/oauth/token',
  'api.example.com/oauth/token',
  'ftp://api.example.com/a',
  'https:/api.example.com/a',
  'https:///api.example.com/a',
  'https://user@api.example.com/a',
  'https://user:pass@api.example.com/a',
  'https://@api.example.com/a',
  ' https://api.example.com/a',
  'https://api.example.com/a\n',
  'https://api.example.com/a b',
  'https:\\\\api.example.com\\a',
  'https://api.example.com/é',
  'https://api.example.com:99999/a',
])('%j is no target', (text) => {
  expect(normaliseTargetUri(text)).toBeUndefined();
});

const path = fc.array(
  fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abcXYZ019-._~%2d'.split('')) }),
);
const target = fc
  .tuple(fc.constantFrom('http', 'https'), fc.constantFrom('api.example.com', '[::1]', '127.0.0.1'), path)
  .map(([scheme, host, segments]) => `${scheme}://${host}/${segments.map(encodeURIComponent).join('/')}`);

test('a normal form is its own normal form, and what is behind the path never counts', () => {
  fc.assert(
    fc.property(target, fc.webQueryParameters(), (text, query) => {
      const normal = normaliseTargetUri(text) ?? '';
      expect(normaliseTargetUri(normal)).toBe(normal);
      expect(normaliseTargetUri(`${text}?${query}`)).toBe(normal);
    }),
  );
});

test('two paths that differ in more than escapes have two normal forms', () => {
  fc.assert(
    fc.property(target, target, (one, other) => {
      // Independent of the code: what the WHATWG parser and decodeURIComponent make of each.
      const plain = (text: string): string => {
        const { protocol, host, pathname } = new URL(text);
        return [protocol, host, ...pathname.split('/').map(decodeURIComponent)].join('\n');
      };
      expect(normaliseTargetUri(one) === normaliseTargetUri(other)).toBe(plain(one) === plain(other));
    }),
  );
});
