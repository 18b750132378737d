import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type EncryptionKey, ENCRYPTION_KEY_ID } from '../config/config.ts';
import type { SealContext } from '../db/sql/sealed-columns.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const KEY_BYTES = 32;
/** 96 random bits, the size that GCM is designed for (NIST SP 800-38D §5.2.1.1). One key allows 2^32 of them before a repeat is likely. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type KeyRing = {
  /** Encrypts `plain` with the first key of the ring: `v1.<kid>.<nonce>.<ciphertext‖tag>`, both binary parts in base64url. */
  encrypt(plain: string, context: SealContext): string;
  /**
   * Decrypts a text that `encrypt` created with the same `context`. Throws an Error for the operator, never for the caller, that names
   * the problem: not an encrypted text, a kid that is not on the ring, or a text that was changed or belongs to another context.
   */
  decrypt(sealed: string, context: SealContext): string;
  /** Derives 32 bytes for another purpose, one per key, in their order (HKDF-SHA256, RFC 5869). They reveal nothing about the keys. */
  derive(purpose: string): Buffer[];
};

/**
 * Encrypts secrets at rest: AES-256-GCM with the context (table, column and id of the row) as additional authenticated data, so that a
 * ciphertext copied to another row cannot be decrypted there. The first key encrypts, every key decrypts. It does not hide the length
 * of a secret, does not prevent a row from being reset to an older value, and protects nothing from someone who has the keys.
 */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const [writer] = keys;
  if (writer === undefined) throw new Error('The key ring needs at least one encryption key');
  const keyOfId = new Map<string, Buffer>();
  for (const { kid, key } of keys) {
    if (!ENCRYPTION_KEY_ID.test(kid)) throw new Error('The id of an encryption key must be 1 to 32 of A-Z a-z 0-9 _ -');
    if (key.length !== KEY_BYTES) {
      throw new Error(`Encryption key ${kid} has ${key.length} bytes; it needs exactly ${KEY_BYTES}`);
    }
    if (keyOfId.has(kid)) throw new Error(`Encryption key ${kid} is on the key ring twice`);
    keyOfId.set(kid, key);
  }
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, writer.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context, 'utf8'));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, writer.kid, nonce.toString('base64url'), body.toString('base64url')].join('.');
    },
    derive: (purpose) => keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))),
    decrypt(sealed, context) {
      const { kid, nonce, ciphertext, tag } = parseSealed(sealed);
      const key = keyOfId.get(kid);
      if (key === undefined) throw new Error(`Encryption key ${kid} is not on the key ring; a stored secret needs it`);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context, 'utf8'));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(
          `A secret encrypted with key ${kid} cannot be decrypted as ${context}: it was changed, or belongs to another row`,
          {
            cause,
          },
        );
      }
    },
  };
}

function parseSealed(sealed: string): { kid: string; nonce: Buffer; ciphertext: Buffer; tag: Buffer } {
  const [version, kid, nonceText, bodyText, ...more] = sealed.split('.');
  if (
    version !== VERSION ||
    kid === undefined ||
    nonceText === undefined ||
    bodyText === undefined ||
    more.length > 0
  ) {
    // The message does not contain the text, which may be a secret that was stored unencrypted by mistake.
    throw new Error('Not an encrypted secret: v1.<kid>.<nonce>.<ciphertext> expected');
  }
  const nonce = Buffer.from(nonceText, 'base64url');
  const body = Buffer.from(bodyText, 'base64url');
  if (nonce.length !== NONCE_BYTES || body.length < TAG_BYTES) {
    throw new Error('Not an encrypted secret: its nonce or its ciphertext is too short');
  }
  return { kid, nonce, ciphertext: body.subarray(0, -TAG_BYTES), tag: body.subarray(-TAG_BYTES) };
}
