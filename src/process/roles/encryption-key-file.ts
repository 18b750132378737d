import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, type EncryptionKey, readEncryptionKeys } from '../../platform/config/config.ts';

const pathIn = (dataFolder: string): string => join(dataFolder, 'keys', 'encryption');

/** The keys of ENCRYPTION_KEYS, otherwise the one that an earlier `start` created in the data folder, otherwise none. */
export function existingKeysOf({ encryptionKeys, dataFolder }: Config): readonly EncryptionKey[] {
  if (encryptionKeys.length > 0) return encryptionKeys;
  const path = pathIn(dataFolder);
  return existsSync(path) ? readEncryptionKeys(readFileSync(path, 'utf8')) : [];
}

/**
 * The keys that encrypt secrets: those of ENCRYPTION_KEYS, otherwise the one in `<dataFolder>/keys/encryption` (mode 600, same format),
 * created by the first start. Without that file, the signing secrets in the database are lost.
 */
export function encryptionKeysOf(config: Config): readonly EncryptionKey[] {
  const existing = existingKeysOf(config);
  if (existing.length > 0) return existing;
  const path = pathIn(config.dataFolder);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The name is part of every encrypted text. It is random, so that two installations never mistake each other's key for their own.
  writeFileSync(`${path}.new`, `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`, {
    mode: 0o600,
  });
  renameSync(`${path}.new`, path);
  return readEncryptionKeys(readFileSync(path, 'utf8'));
}
