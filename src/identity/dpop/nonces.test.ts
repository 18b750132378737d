import { expect, test } from '@jest/globals';
import { createNonces } from './nonces.ts';

const secret = Buffer.alloc(32, 7);
let now = new Date('2026-01-31T12:00:00Z');
const later = (seconds: number): void => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const nonces = createNonces([secret], () => now);

test('a nonce holds in every process with the secret for two minutes at least and five at most', () => {
  const nonce = nonces.current();
  const other = createNonces([Buffer.alloc(32, 9), secret], () => now);
  expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/);
  for (let second = 0; second < 120; second += 10) {
    expect([nonces.isGood(nonce), other.isGood(nonce)]).toEqual([true, true]);
    later(10);
  }
  later(180);
  expect(nonces.isGood(nonce)).toBe(false);
});

test.each(['', 'x', 'A'.repeat(22), `${nonces.current()}AA`])('%j is no nonce of ours', (nonce) => {
  expect(nonces.isGood(nonce)).toBe(false);
});

test('a nonce of another secret, or of the day before, is refused', () => {
  expect(createNonces([Buffer.alloc(32, 8)], () => now).isGood(nonces.current())).toBe(false);
  const nonce = nonces.current();
  later(86_400);
  expect(nonces.isGood(nonce)).toBe(false);
  expect(() => createNonces([], () => now)).toThrow('at least one secret');
});
