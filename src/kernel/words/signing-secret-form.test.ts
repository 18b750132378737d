import { expect, test } from '@jest/globals';
import { isSymmetricSecret } from './signing-secret-form.ts';

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

test.each([24, 32, 33, 64])('a secret of %d bytes is one', (bytes) => {
  expect(isSymmetricSecret(secretOf(bytes))).toBe(true);
});

test.each([
  ['too short', secretOf(23)],
  ['too long', secretOf(65)],
  ['without its prefix', secretOf(32).slice(6)],
  ['of the other kind', secretOf(32).replace('whsec_', 'whsk_')],
  ['without its padding', secretOf(32).replace('=', '')],
  ['with a character that decoders skip', `${secretOf(24)} `],
  ['in the alphabet of URLs', `whsec_${Buffer.alloc(24, 0xff).toString('base64url')}`],
  ['with bits behind its last byte', secretOf(32).replace(/c=$/, 'd=')],
  ['empty', ''],
])('a secret %s is none', (_, text) => {
  expect(isSymmetricSecret(text)).toBe(false);
});
