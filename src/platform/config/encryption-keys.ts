import { ConfigError } from './reading/config-error.ts';
import { listOf } from './reading/list-of.ts';

/** Form of a key's name, which stands between dots in every text that the key has sealed. */
export const ENCRYPTION_KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** A key of 32 bytes for AES-256, named by `kid` beside everything that it has sealed. */
export type EncryptionKey = { readonly kid: string; readonly key: Buffer };

/**
 * Reads `<kid>:<base64 of 32 bytes>`, comma-separated, of the setting `name`. A kid is 1–32 letters, digits, `_` or `-`, because it
 * stands between dots in sealed texts. Throws ConfigError, which never repeats the key.
 */
export function readEncryptionKeys(text: string, name = 'ENCRYPTION_KEYS'): EncryptionKey[] {
  const keys = listOf(text).map((item) => {
    const [kid = '', encoded = ''] = item.split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!ENCRYPTION_KEY_ID.test(kid) || key.length !== 32) {
      throw new ConfigError(`${name} must be <name>:<base64 of 32 bytes>, separated by commas`);
    }
    return { kid, key };
  });
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length) throw new ConfigError(`${name} names one key twice`);
  return keys;
}
