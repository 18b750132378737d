import type { Pool } from 'pg';
import { type Config, ConfigError, type EncryptionKey, readConfig } from '../../platform/config/config.ts';
import { abandonKey, describeEncryptionKeys, whatAbandonTakes } from '../../platform/credentials/encryption-keys.ts';
import { resealAll } from '../../platform/credentials/encryption-keys.ts';
import { createPool } from '../../platform/db/connection.ts';
import { existingKeysOf } from './encryption-key-file.ts';
import { findDatabase } from './with-database.ts';
import { print } from './serving/role.ts';
import { toTable } from './printing.ts';

/** `posthorn encryption-keys list`: each key by its name, its use in this process, and the rows that it has sealed. */
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
 * `posthorn encryption-keys discard`: removes the rows that a lost key has sealed, for good, and prints their number. Without `isSure`
 * it changes nothing and returns the exit code 1.
 */
export async function abandonEncryptionKey(id: string, { isSure }: { isSure: boolean }): Promise<number> {
  return withPool(async (pool, config) => {
    const taken = await whatAbandonTakes(pool, id, keysThatStay(config));
    if (!isSure) {
      for (const { table, count } of taken) print(`${table}: ${count} to be removed`);
      print(
        'Until their secret is rotated, subscriptions without another one will hold their deliveries, and machine credentials get no tokens.',
      );
      print(`Nothing was changed. Add --yes to give up the rows of the encryption key ${id}.`);
      return 1;
    }
    for (const { table, removed } of await abandonKey(pool, id)) print(`${table}: ${removed} removed`);
    print(`Gave up the rows of the encryption key ${id}`);
    return 0;
  });
}

/**
 * `posthorn encryption-keys reencrypt`: seals by the first key what the others have sealed, and prints how many rows of each table. Returns
 * the exit code 1 where some do not open.
 */
export async function resealByFirstKey(): Promise<number> {
  return withPool(async (pool, config) => {
    const keys = keysInUse(config, 'of which the first one seals');
    const done = await resealAll(pool, keys);
    for (const { table, resealed } of done) print(`${table}: ${resealed} sealed anew`);
    const unopened = done.filter((each) => each.unopened > 0);
    for (const { table, unopened: count } of unopened) print(`${table}: ${count} that no key opens, left as they are`);
    print(`The encryption key ${keys[0]?.kid} has sealed them`);
    return unopened.length > 0 ? 1 : 0;
  });
}

/** Without them a key in use would look like a lost one. */
const keysThatStay = (config: Config): readonly EncryptionKey[] =>
  keysInUse(config, 'so that none of them is given up by mistake');

/** Keys of the settings or of the data folder. `purpose` says, behind a comma, why there must be some. */
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
