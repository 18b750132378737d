import type { Pool } from 'pg';
import type { EncryptionKey } from '../config/config.ts';
import * as store from './encryption-key-store.ts';
import { readSealedBehind, replaceSealed } from './encryption-key-store.ts';
import { createKeyRing } from './key-ring.ts';
import { contextIn, SEALED_COLUMNS } from '../db/sql/sealed-columns.ts';

/** The keys of this process do not match the database, so it must not work. The message is for the operator. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/** `seals`: the configured key that encrypts. `opens`: a configured key that only decrypts. `missing` and `other bytes` prevent a start. */
type KeyState = 'seals' | 'opens' | 'missing' | 'other bytes' | 'unused';

export type EncryptionKeyEntry = {
  id: string;
  state: KeyState;
  createdAt: Date | undefined;
  /** Rows by table. */
  sealed: Record<string, number>;
};

// Try more than one row: a row that was changed after encryption proves nothing about the key.
const PROOFS = 1_000;
// Any text would do: only a key with the same bytes decrypts it.
const CHECK_TEXT = 'posthorn';

const checkContext = (kid: string): `encryption_keys|check_value|${string}` => `encryption_keys|check_value|${kid}`;

const checkValueOf = (key: EncryptionKey): string => createKeyRing([key]).encrypt(CHECK_TEXT, checkContext(key.kid));

function opens(attempt: () => string): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const opensCheck = (key: EncryptionKey, checkValue: string): boolean =>
  opens(() => createKeyRing([key]).decrypt(checkValue, checkContext(key.kid)));

/** Whether the key decrypts a text that was encrypted under its name; true if there is none. */
async function opensSealed(pool: Pool, key: EncryptionKey): Promise<boolean> {
  const ring = createKeyRing([key]);
  let isAnySealed = false;
  for (const column of SEALED_COLUMNS) {
    const rows = await store.readSealed(pool, column, { kid: key.kid, limit: PROOFS });
    if (rows.some(({ id, sealed }) => opens(() => ring.decrypt(sealed, contextIn(column, id))))) return true;
    isAnySealed ||= rows.length > 0;
  }
  return !isAnySealed;
}

/**
 * Verifies that `keys` are the ones this database was encrypted with: each decrypts its check value, and no key that a row still needs
 * is missing. A key without a check value is verified with a row that it decrypts, and gets one. Throws EncryptionKeyError, which names
 * the key, the rows it has encrypted and the remedy. Any other error means that PostgreSQL did not respond. A single row that cannot be
 * decrypted is not a reason to throw. Does not notice a row that was reset to an older value.
 */
export async function proveKeys(pool: Pool, keys: readonly EncryptionKey[]): Promise<void> {
  const sealed = await store.countSealed(pool);
  const needed = new Map<string, string>();
  for (const kid of new Set(sealed.map((row) => row.kid))) {
    const rows = sealed.filter((row) => row.kid === kid && row.needed > 0);
    if (rows.length > 0) needed.set(kid, describeRows(rows.map((row) => ({ table: row.table, count: row.needed }))));
  }
  const known = new Map((await store.readKnownKeys(pool)).map(({ id, checkValue }) => [id, checkValue]));
  const missing = [...needed.keys()].filter((kid) => !keys.some((key) => key.kid === kid));
  const unproved = keys.filter(({ kid }) => !known.has(kid));
  const wrong = keys.filter((key) => !opensCheckOf(known, key));
  for (const key of unproved) if (!(await opensSealed(pool, key))) wrong.push(key);
  refuse(missing, wrong, needed);
  await store.insertCheckValues(
    pool,
    unproved.map((key) => ({ kid: key.kid, checkValue: checkValueOf(key) })),
  );
  // Another process may have been first with other bytes under the same name.
  const now = new Map((await store.readKnownKeys(pool)).map(({ id, checkValue }) => [id, checkValue]));
  refuse(
    [],
    unproved.filter((key) => !opensCheckOf(now, key)),
    needed,
  );
}

/** Also true for a key without a check value, because nothing contradicts it. */
function opensCheckOf(known: ReadonlyMap<string, string>, key: EncryptionKey): boolean {
  const checkValue = known.get(key.kid);
  return checkValue === undefined || opensCheck(key, checkValue);
}

function refuse(
  missing: readonly string[],
  wrong: readonly EncryptionKey[],
  needed: ReadonlyMap<string, string>,
): void {
  const facts = [
    ...missing.map(
      (kid) =>
        `The encryption key ${kid} is missing. It has encrypted ${needed.get(kid)}. Add it to ENCRYPTION_KEYS, or discard these rows with \`posthorn encryption-keys discard ${kid}\`.`,
    ),
    ...wrong.map(
      ({ kid }) =>
        `The encryption key ${kid} differs from the key of that name that this database was encrypted with. That key has encrypted ${needed.get(kid) ?? 'nothing that is still needed'}. Set that key in ENCRYPTION_KEYS, or give the new key another name and discard the rows of the lost one with \`posthorn encryption-keys discard ${kid}\`.`,
    ),
  ];
  if (facts.length > 0) throw new EncryptionKeyError(facts.join(' '));
}

function describeRows(rows: readonly { table: string; count: number }[]): string {
  return rows.map(({ table, count }) => `${count} ${count === 1 ? 'row' : 'rows'} of ${table}`).join(' and ');
}

/** Every key that is configured, has a check value, or is named by an encrypted row. */
export async function describeEncryptionKeys(
  pool: Pool,
  keys: readonly EncryptionKey[],
): Promise<EncryptionKeyEntry[]> {
  const [sealed, known] = [await store.countSealed(pool), await store.readKnownKeys(pool)];
  const checkValues = new Map(known.map(({ id, checkValue }) => [id, checkValue]));
  const ids = new Set([...keys.map(({ kid }) => kid), ...known.map(({ id }) => id), ...sealed.map(({ kid }) => kid)]);
  return [...ids].map((id) => {
    const rows = sealed.filter(({ kid }) => kid === id);
    const key = keys.find(({ kid }) => kid === id);
    return {
      id,
      state: stateOf({
        key,
        isFirst: keys[0]?.kid === id,
        isNeeded: rows.some(({ needed }) => needed > 0),
        checkValues,
      }),
      createdAt: known.find((each) => each.id === id)?.createdAt,
      sealed: Object.fromEntries(
        SEALED_COLUMNS.map(({ table }) => [table, rows.find((row) => row.table === table)?.all ?? 0]),
      ),
    };
  });
}

function stateOf(of: {
  key: EncryptionKey | undefined;
  isFirst: boolean;
  isNeeded: boolean;
  checkValues: ReadonlyMap<string, string>;
}): KeyState {
  if (of.key === undefined) return of.isNeeded ? 'missing' : 'unused';
  if (!opensCheckOf(of.checkValues, of.key)) return 'other bytes';
  return of.isFirst ? 'seals' : 'opens';
}

/** Rows encrypted by the key of that name, by table. Throws for an unknown name and for a configured key. */
export async function whatAbandonTakes(
  pool: Pool,
  kid: string,
  keys: readonly EncryptionKey[],
): Promise<{ table: string; count: number }[]> {
  if (keys.some((key) => key.kid === kid))
    throw new EncryptionKeyError(
      `The encryption key ${kid} is configured, so its rows cannot be discarded. Remove it from ENCRYPTION_KEYS in every process first.`,
    );
  const sealed = (await store.countSealed(pool)).filter((row) => row.kid === kid);
  const isKnown = (await store.readKnownKeys(pool)).some(({ id }) => id === kid);
  if (sealed.length === 0 && !isKnown)
    throw new EncryptionKeyError(`This database has no encryption key ${kid}, and no rows that it has encrypted.`);
  return SEALED_COLUMNS.map(({ table }) => ({ table, count: sealed.find((row) => row.table === table)?.all ?? 0 }));
}

/** Removes the rows that the key of that name has encrypted, and its check value, so that the name is free again. */
export const abandonKey = store.removeSealedBy;

/** Rows of one table: those re-encrypted by the first key, and those that no key decrypts because they were changed. */
type Resealed = { table: string; resealed: number; unopened: number };

/** Rows that are read at a time: a few hundred kilobytes. */
const PAGE = 500;

/** Stored responses expire within a day, and are too many to be worth rewriting. */
const LASTING = SEALED_COLUMNS.filter(({ table }) => table !== 'idempotency_keys');

/**
 * Re-encrypts with the first key everything that the other ones have encrypted, row by row, so that the others can be removed. The
 * service keeps running: a row that it has changed meanwhile is left alone. Running this again continues where it was interrupted.
 * Throws EncryptionKeyError if the keys are not those of the database (proveKeys).
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
