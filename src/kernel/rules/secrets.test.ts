import { expect, test } from '@jest/globals';
import { isSymmetricSecret, requireRoomForOlderSecret } from './secrets.ts';

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

test.each([24, 32, 33, 64])('a secret of %d bytes is valid', (bytes) => {
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

const made = (day: number, end?: number) => ({
  createdAt: new Date(Date.UTC(2026, 0, day)),
  ...(end !== undefined && { expiresAt: new Date(Date.UTC(2026, 0, end)) }),
});

test('a fourth older secret is CONFLICT, and the error names the one that expires first', () => {
  expect(() => requireRoomForOlderSecret([made(3, 9), made(2, 9)])).not.toThrow();
  expect(() => requireRoomForOlderSecret([made(3, 9), made(2, 7), made(1, 8)])).toThrow(
    'The one created at 2026-01-02T00:00:00.000Z is valid until 2026-01-07T00:00:00.000Z; rotate after that',
  );
});

test('a secret without an expiry counts, but is not the one that expires first', () => {
  expect(() => requireRoomForOlderSecret([made(3), made(2, 7), made(1, 8)])).toThrow('The one created at 2026-01-02');
});

test('older secrets without an expiry get one from the rotation', () => {
  expect(() => requireRoomForOlderSecret([made(3), { ...made(2), expiresAt: null }, made(1)])).not.toThrow();
});
