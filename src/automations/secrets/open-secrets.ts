import type { Pool } from 'pg';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { StepFailed } from '../engine/step-failure.ts';
import { noteUses, readSealed } from './store.ts';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `secrets|ciphertext|${id}`;

/** The text for the column `ciphertext` of the row `id`. */
export const sealWorkflowSecret = (keyRing: KeyRing, id: string, value: string): string =>
  keyRing.encrypt(value, contextOf(id));

/** The secret in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
const openWorkflowSecret = (keyRing: KeyRing, { id, ciphertext }: { id: string; ciphertext: string }): string =>
  keyRing.decrypt(ciphertext, contextOf(id));

/** A thousand attempts a minute write the time of use once. */
const NOTED_EVERY_MS = 60_000;

/**
 * Gives workers the secrets that a step names, and notes that they were used. Names that the environment has not are absent. Throws
 * StepFailed with SECRET_UNREADABLE for one whose key is not on the ring.
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
    // The reason is in the list of encryption keys; the worker's log would repeat it for each attempt.
    throw new StepFailed(
      'SECRET_UNREADABLE',
      `the secret ${JSON.stringify(row.name)} cannot be opened; PATCH sets its value anew`,
    );
  }
}
