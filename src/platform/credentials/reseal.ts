import type { Pool } from 'pg';
import type { EncryptionKey } from '../config/config.ts';
import { contextIn, SEALED_COLUMNS } from '../db/sql/sealed-columns.ts';
import { proveKeys } from './encryption-keys.ts';
import { readSealedBehind, replaceSealed } from './encryption-key-store.ts';
import { createKeyRing } from './key-ring.ts';

/** Rows of one table: sealed anew by the first key; and those that no key opens, which somebody has changed. */
type Resealed = { table: string; resealed: number; unopened: number };

/** Rows that are read at a time: some hundred kilobytes. */
const PAGE = 500;

/** Kept answers end by themselves within a day, and are too many to be written for that. */
const LASTING = SEALED_COLUMNS.filter(({ table }) => table !== 'idempotency_keys');

/**
 * Seals by the first key whatever the other ones have sealed, one row after the other, so that they can be taken away. The service goes
 * on meanwhile: a row that it has written since is left as it is then. Running it again goes on from where it was ended. Throws
 * EncryptionKeyError where the keys are not those of the database (proveKeys).
 */
export async function resealAll(pool: Pool, keys: readonly EncryptionKey[]): Promise<Resealed[]> {
  await proveKeys(pool, keys);
  const ring = createKeyRing(keys);
  const kids = keys.slice(1).map(({ kid }) => kid);
  const done: Resealed[] = [];
  for (const column of LASTING) {
    const counts = { table: column.table, resealed: 0, unopened: 0 };
    for (let behind: string | undefined = ''; behind !== undefined; ) {
      const rows = await readSealedBehind(pool, column, { kids, behind, limit: PAGE });
      for (const { id, sealed } of rows) {
        const context = contextIn(column, id);
        const plain = openOrNothing(() => ring.decrypt(sealed, context));
        if (plain === undefined) counts.unopened += 1;
        else if (await replaceSealed(pool, column, { id, read: sealed, sealed: ring.encrypt(plain, context) }))
          counts.resealed += 1;
      }
      behind = rows.length < PAGE ? undefined : rows.at(-1)?.id;
    }
    done.push(counts);
  }
  return done;
}

function openOrNothing(open: () => string): string | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
