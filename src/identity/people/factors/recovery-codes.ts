import { createHash, randomBytes } from 'node:crypto';

/** Codes that a person gets at a time. */
const RECOVERY_CODES = 10;

/** Crockford's alphabet: letters that look like digits are not in it, and are read as these digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;

/** A code of 80 random bits, `xxxx-xxxx-xxxx-xxxx`: 32 characters take 5 bits of each byte. */
const newCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31])
    .join('')
    .replaceAll(GROUP, '$&-');

/** Ten fresh codes. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);

/**
 * SHA-256 of a code, however it was typed: with or without hyphens and spaces, in any case, with O for 0 and I or L for 1. With 80
 * random bits nobody finds a code by its hash, so the hash needs not be slow.
 */
export function hashRecoveryCode(code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return createHash('sha256').update(plain).digest();
}
