import type { KeyRing } from '../../credentials/key-ring.ts';
import type { SealContext } from '../../db/sealed-columns.ts';

export type Credentials = Readonly<Record<string, unknown>>;

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `connections|ciphertext|${id}`;

/** The text for the column `ciphertext` of the row `id`. */
export const sealCredentials = (keyRing: KeyRing, id: string, credentials: Credentials): string =>
  keyRing.encrypt(JSON.stringify(credentials), contextOf(id));

/** The credentials in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export const openCredentials = (
  keyRing: KeyRing,
  { id, ciphertext }: { id: string; ciphertext: string },
): Credentials =>
  // `as`: that is what was sealed.
  JSON.parse(keyRing.decrypt(ciphertext, contextOf(id))) as Credentials;
