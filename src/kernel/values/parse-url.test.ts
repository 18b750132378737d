import { expect, test } from '@jest/globals';
import { parseUrl } from './parse-url.ts';

test.each(['', 'x', 'https://', 'https://a b/', 'https://[::1'])('%j is no URL', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});

test('a name with an umlaut is one, however often it is asked', () => {
  const wrong = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example/')?.hostname).filter(
    (hostname) => hostname !== 'xn--bcher-kva.example',
  );
  expect(wrong).toEqual([]);
});
