import { expect, test } from '@jest/globals';
import { createNonces } from './used-proofs.ts';

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

// Old: whatever base64 of the same bytes was taken.
test('a nonce is the text that was handed out, and no other one of the same bytes', () => {
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

test('a nonce of another secret, or of the day before, is refused', () => {
  expect(createNonces([Buffer.alloc(32, 8)], () => now).isGood(nonces.current())).toBe(false);
  const nonce = nonces.current();
  later(86_400);
  expect(nonces.isGood(nonce)).toBe(false);
  expect(() => createNonces([], () => now)).toThrow('at least one secret');
});
