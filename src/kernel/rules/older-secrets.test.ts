import { expect, test } from '@jest/globals';
import { requireRoomForOlderSecret } from './older-secrets.ts';

const made = (day: number, end?: number) => ({
  createdAt: new Date(Date.UTC(2026, 0, day)),
  ...(end !== undefined && { expiresAt: new Date(Date.UTC(2026, 0, end)) }),
});

test('a fourth older secret is CONFLICT, which names the one that ends first', () => {
  expect(() => requireRoomForOlderSecret([made(3, 9), made(2, 9)])).not.toThrow();
  expect(() => requireRoomForOlderSecret([made(3, 9), made(2, 7), made(1, 8)])).toThrow(
    'The one made at 2026-01-02T00:00:00.000Z is valid until 2026-01-07T00:00:00.000Z: rotate after that',
  );
});

test('a secret without an end counts, and is not the one that ends first', () => {
  expect(() => requireRoomForOlderSecret([made(3), made(2, 7), made(1, 8)])).toThrow('The one made at 2026-01-02');
});

test('older secrets that all lack an end get one by the rotation', () => {
  expect(() => requireRoomForOlderSecret([made(3), { ...made(2), expiresAt: null }, made(1)])).not.toThrow();
});
