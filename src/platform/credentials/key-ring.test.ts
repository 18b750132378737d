import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createKeyRing } from './key-ring.ts';
import type { SealContext } from '../db/sql/sealed-columns.ts';

const first = { kid: 'k1', key: randomBytes(32) };
const second = { kid: 'k2', key: randomBytes(32) };
const row = (id: number): SealContext => `subscription_secrets|ciphertext|${id}`;

describe('a key ring', () => {
  test.each(['', 'whsec_abc', 'ümläut ☃ \u{1f600}', 'x'.repeat(10_000)])('decrypts what it encrypted (%#)', (plain) => {
    const ring = createKeyRing([first]);
    expect(ring.decrypt(ring.encrypt(plain, row(1)), row(1))).toBe(plain);
  });

  test('encrypts in the documented format, which Node decrypts without the ring', () => {
    const sealed = createKeyRing([first]).encrypt('whsec_abc', row(1));
    expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    const [, , nonce, body] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'));
    if (nonce === undefined || body === undefined) throw new Error('four parts expected');
    const decipher = createDecipheriv('aes-256-gcm', first.key, nonce);
    decipher.setAAD(Buffer.from('subscription_secrets|ciphertext|1'));
    decipher.setAuthTag(body.subarray(-16));
    expect(decipher.update(body.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8')).toBe('whsec_abc');
  });

  test('encrypts the same text differently each time', () => {
    const ring = createKeyRing([first]);
    expect(ring.encrypt('whsec_abc', row(1))).not.toBe(ring.encrypt('whsec_abc', row(1)));
  });

  test('encrypts with its first key and decrypts with every key', () => {
    const old = createKeyRing([first]).encrypt('whsec_abc', row(1));
    const ring = createKeyRing([second, first]);
    expect(ring.decrypt(old, row(1))).toBe('whsec_abc');
    expect(ring.encrypt('whsec_abc', row(1))).toMatch(/^v1\.k2\./);
  });

  test('does not decrypt a text with another context, so rows cannot be swapped', () => {
    const ring = createKeyRing([first]);
    const sealed = ring.encrypt('whsec_abc', row(1));
    expect(() => ring.decrypt(sealed, row(2))).toThrow('cannot be decrypted as subscription_secrets|ciphertext|2');
  });

  test('names the missing key', () => {
    const sealed = createKeyRing([first]).encrypt('whsec_abc', row(1));
    expect(() => createKeyRing([second]).decrypt(sealed, row(1))).toThrow('Encryption key k1 is not on the key ring');
  });

  test('rejects another key with the same kid', () => {
    const sealed = createKeyRing([first]).encrypt('whsec_abc', row(1));
    expect(() => createKeyRing([{ kid: 'k1', key: randomBytes(32) }]).decrypt(sealed, row(1))).toThrow(
      'cannot be decrypted',
    );
  });

  test('rejects a text if any part was changed', () => {
    const ring = createKeyRing([first]);
    const sealed = ring.encrypt('whsec_abc', row(1));
    const [version, kid, nonce = '', body = ''] = sealed.split('.');
    const flip = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
    expect(() => ring.decrypt([version, kid, flip(nonce), body].join('.'), row(1))).toThrow('cannot be decrypted');
    expect(() => ring.decrypt([version, kid, nonce, flip(body)].join('.'), row(1))).toThrow('cannot be decrypted');
  });

  test.each([
    '',
    'whsec_plaintext',
    'v2.k1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA',
    'v1.k1.AAAAAAAAAAAAAAAA',
    'v1.k1.AAAA.AAAAAAAAAAAAAAAAAAAAAAAA',
    'v1.k1.AAAAAAAAAAAAAAAA.AAAA',
    'v1.k1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA.more',
  ])('refuses %j, which is no sealed secret, and does not repeat it', (text) => {
    let message = '';
    try {
      createKeyRing([first]).decrypt(text, row(1));
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('Not an encrypted secret');
    expect(message).not.toContain('whsec_plaintext');
  });
});

describe('createKeyRing refuses', () => {
  test('an empty list', () => {
    expect(() => createKeyRing([])).toThrow('at least one encryption key');
  });

  test.each([0, 16, 31, 33])('a key of %i bytes', (length) => {
    expect(() => createKeyRing([{ kid: 'k1', key: randomBytes(length) }])).toThrow('exactly 32');
  });

  test.each(['', 'a.b', 'a b', 'x'.repeat(33)])('the kid %j', (kid) => {
    expect(() => createKeyRing([{ kid, key: first.key }])).toThrow('id of an encryption key');
  });

  test('one kid twice', () => {
    expect(() => createKeyRing([first, { kid: 'k1', key: second.key }])).toThrow('k1 is on the key ring twice');
  });
});
