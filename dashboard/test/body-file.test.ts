import { expect, test } from '@jest/globals';
import { bodyFileOf } from '../src/lib/body-file.ts';

const text = (body: string, contentType?: string): string =>
  bodyFileOf({ body, encoding: 'text', ...(contentType !== undefined && { contentType }) }).extension;

test.each([
  ['application/json', '{"n":1}', 'json'],
  ['application/json; charset=utf-8', '12', 'json'],
  ['application/vnd.github+json', '[]', 'json'],
  ['application/json', '{"n":', 'txt'],
  ['application/json', '', 'txt'],
  ['text/plain', '{"n":1}', 'txt'],
  ['application/x-www-form-urlencoded', 'a=1', 'txt'],
  ['application/jsonp', '[1]', 'txt'],
  [undefined, ' {"n":1}', 'json'],
  [undefined, '12', 'txt'],
  [undefined, '{no', 'txt'],
])('a text body with the content type %s: %j is saved as .%s', (contentType, body, extension) => {
  expect(text(body, contentType)).toBe(extension);
});

test('a body that is not UTF-8 is saved byte for byte as .bin, whatever its content type says', () => {
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
  const file = bodyFileOf({ body: bytes.toString('base64'), encoding: 'base64', contentType: 'application/json' });
  expect(file).toMatchObject({ extension: 'bin', type: 'application/octet-stream' });
  expect(Buffer.from(file.bytes)).toEqual(bytes);
});
