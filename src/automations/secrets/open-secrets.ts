import type { Pool } from 'pg';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { StepFailed } from '../engine/step-failure.ts';
import { noteUses, readSealed } from './store.ts';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';

/** Binds a ciphertext to its table, column and row. */
const contextOf = (id: string): SealContext => `secrets|ciphertext|${id}`;

/** Encrypts a value for the column `ciphertext` of the row `id`. */
export const sealWorkflowSecret = (keyRing: KeyRing, id: string, value: string): string =>
  keyRing.encrypt(value, contextOf(id));

/**
 * Decrypts the secret of a stored row. Throws if the row was changed, swapped, or encrypted with a key that is not on
 * the key ring.
 */
const openWorkflowSecret = (keyRing: KeyRing, { id, ciphertext }: { id: string; ciphertext: string }): string =>
  keyRing.decrypt(ciphertext, contextOf(id));

/** Writes the time of use at most once a minute, however many attempts there are. */
const NOTED_EVERY_MS = 60_000;

/**
 * Returns the secrets that a step uses, and records the use. Names that the environment does not have are absent.
 * Throws StepFailed with SECRET_UNREADABLE if one cannot be decrypted.
 */
export const createOpenSecrets =
  ({ pool, keyRing, clock }: { pool: Pool; keyRing: KeyRing; clock: Clock }) =>
  async (environmentId: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const rows = await readSealed(pool, environmentId, names);
    const opened = new Map(rows.map((row) => [row.name, opening(keyRing, row)]));
    const now = clock();
    const unlessSince = new Date(now.getTime() - NOTED_EVERY_MS);
    const ids = rows.filter(({ lastUsedAt }) => lastUsedAt === null || lastUsedAt < unlessSince).map(({ id }) => id);
    if (ids.length > 0) await noteUses(pool, environmentId, { ids, now, unlessSince });
    return opened;
  };

function opening(keyRing: KeyRing, row: { id: string; name: string; ciphertext: string }): string {
  try {
    return openWorkflowSecret(keyRing, row);
  } catch {
    // Not logged: the list of encryption keys shows the reason, and the worker would log it for each attempt.
    throw new StepFailed(
      'SECRET_UNREADABLE',
      `the secret ${JSON.stringify(row.name)} cannot be decrypted; set its value again with PATCH`,
    );
  }
}
