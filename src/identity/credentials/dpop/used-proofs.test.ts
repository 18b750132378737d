import { expect, test } from '@jest/globals';
import { createNonces } from './used-proofs.ts';

const secret = Buffer.alloc(32, 7);
let now = new Date('2026-01-31T12:00:00Z');
const later = (seconds: number): void => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const nonces = createNonces([secret], () => now);

test('a nonce is valid in every process with the secret for at least two and at most five minutes', () => {
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

test.each(['', 'x', 'A'.repeat(22), `${nonces.current()}AA`])('%j is not a valid nonce', (nonce) => {
  expect(nonces.isGood(nonce)).toBe(false);
});

// Regression: any base64 spelling of the same bytes was accepted.
test('another spelling of the same bytes is not a valid nonce', () => {
  const nonce = nonces.current();
  const bytes = Buffer.from(nonce, 'base64url');
  const last = nonce.replace(/.$/, (character) => String.fromCharCode(character.charCodeAt(0) + 1));
  const others = [`${nonce}==`, `${nonce} `, ` ${nonce}`, `${nonce}\n`, bytes.toString('base64'), last];
  for (const other of others) expect(Buffer.from(other, 'base64url')).toEqual(bytes);
  expect([nonces.isGood(nonce), ...others.map((other) => nonces.isGood(other))]).toEqual([
    true,
    ...others.map(() => false),
  ]);
});

test('a nonce of another secret or of the day before is rejected', () => {
  expect(createNonces([Buffer.alloc(32, 8)], () => now).isGood(nonces.current())).toBe(false);
  const nonce = nonces.current();
  later(86_400);
  expect(nonces.isGood(nonce)).toBe(false);
  expect(() => createNonces([], () => now)).toThrow('at least one secret');
});
