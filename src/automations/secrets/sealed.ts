import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `secrets|ciphertext|${id}`;

/** The text for the column `ciphertext` of the row `id`. */
export const sealWorkflowSecret = (keyRing: KeyRing, id: string, value: string): string =>
  keyRing.encrypt(value, contextOf(id));

/** The secret in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export const openWorkflowSecret = (keyRing: KeyRing, { id, ciphertext }: { id: string; ciphertext: string }): string =>
  keyRing.decrypt(ciphertext, contextOf(id));
