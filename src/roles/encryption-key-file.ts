import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, type EncryptionKey, readEncryptionKeys } from '../config.ts';

/**
 * The keys that seal secrets: those of ENCRYPTION_KEYS, else the one in `<dataFolder>/keys/encryption` (mode 600, in the same form),
 * made at the first start. Whoever loses that file loses the signing secrets in the database.
 */
export function encryptionKeysOf({ encryptionKeys, dataFolder }: Config): readonly EncryptionKey[] {
  if (encryptionKeys.length > 0) return encryptionKeys;
  const folder = join(dataFolder, 'keys');
  const path = join(folder, 'encryption');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The name is part of what is sealed; random, so that two installations never take each other's key for their own.
    writeFileSync(`${path}.new`, `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`, {
      mode: 0o600,
    });
    renameSync(`${path}.new`, path);
  }
  return readEncryptionKeys(readFileSync(path, 'utf8'));
}
