import type { Pool } from 'pg';
import { type Config, ConfigError, type EncryptionKey, readConfig } from '../../platform/config/config.ts';
import {
  abandonKey,
  describeEncryptionKeys,
  whatAbandonTakes,
  resealAll,
} from '../../platform/credentials/encryption-keys.ts';
import { createPool } from '../../platform/db/connection.ts';
import { existingKeysOf } from './encryption-key-file.ts';
import { findDatabase } from './with-database.ts';
import { print } from './serving/role.ts';
import { toTable } from './printing.ts';

/** `posthorn encryption-keys list`: each key with its name, its state in this process, and the number of rows that it has encrypted. */
export async function listEncryptionKeys({ json }: { json: boolean }): Promise<void> {
  const keys = await withPool((pool, config) => describeEncryptionKeys(pool, existingKeysOf(config)));
  if (json) return print(JSON.stringify(keys, undefined, 2));
  const tables = Object.keys(keys[0]?.sealed ?? {});
  print(
    toTable([
      ['ID', 'STATE', 'FIRST USED', ...tables.map((table) => table.toUpperCase())],
      ...keys.map(({ id, state, createdAt, sealed }) => [
        id,
        state,
        createdAt?.toISOString() ?? 'never',
        ...tables.map((table) => String(sealed[table])),
      ]),
    ]),
  );
}

/**
 * `posthorn encryption-keys discard`: permanently removes the rows that a lost key has encrypted, and prints their number. Without
 * `isSure` it changes nothing and returns exit code 1.
 */
export async function abandonEncryptionKey(id: string, { isSure }: { isSure: boolean }): Promise<number> {
  return withPool(async (pool, config) => {
    const taken = await whatAbandonTakes(pool, id, keysThatStay(config));
    if (!isSure) {
      for (const { table, count } of taken) print(`${table}: ${count} to be removed`);
      print(
        'Subscriptions and machine credentials without another secret will then hold their deliveries, or get no tokens, until you rotate their secret.',
      );
      print(`Nothing was changed. Add --yes to discard the rows of the encryption key ${id}.`);
      return 1;
    }
    for (const { table, removed } of await abandonKey(pool, id)) print(`${table}: ${removed} removed`);
    print(`Discarded the rows of the encryption key ${id}`);
    return 0;
  });
}

/**
 * `posthorn encryption-keys reencrypt`: re-encrypts with the first key what the others have encrypted, and prints the number of rows of
 * each table. Returns exit code 1 if some could not be decrypted.
 */
export async function resealByFirstKey(): Promise<number> {
  return withPool(async (pool, config) => {
    const keys = keysInUse(config, 'the first of which encrypts');
    const done = await resealAll(pool, keys);
    for (const { table, resealed } of done) print(`${table}: ${resealed} re-encrypted`);
    const unopened = done.filter((each) => each.unopened > 0);
    for (const { table, unopened: count } of unopened)
      print(`${table}: ${count} that no key can decrypt, left unchanged`);
    print(`They are now encrypted with the key ${keys[0]?.kid}`);
    return unopened.length > 0 ? 1 : 0;
  });
}

/** Without them, a key in use would look like a lost one. */
const keysThatStay = (config: Config): readonly EncryptionKey[] =>
  keysInUse(config, 'so that none of them is discarded by mistake');

/** Keys of the settings or the data folder. `purpose` follows a comma in the error text and says why keys are required. */
export function keysInUse(config: Config, purpose: string): readonly EncryptionKey[] {
  const keys = existingKeysOf(config);
  if (keys.length === 0) throw new ConfigError(`ENCRYPTION_KEYS must be set to the keys in use, ${purpose}`);
  return keys;
}

async function withPool<T>(work: (pool: Pool, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
  const pool = createPool(findDatabase(config), { max: 1 });
  try {
    return await work(pool, config);
  } finally {
    await pool.end();
  }
}
