import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../platform/credentials/key-ring.ts';
import type { SealContext } from '../../../platform/db/sql/sealed-columns.ts';

/**
 * Creates a secret: 32 random bytes in base64url. It is shown once. Checking an HMAC needs the secret itself, so it is
 * stored encrypted and not as a hash.
 */
const newSecret = (): string => `ocs_${randomBytes(32).toString('base64url')}`;

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `machine_credential_secrets|ciphertext|${id}`;

/** A row of machine_credential_secrets as stored, with the secret encrypted. */
export type SealedClientSecret = { id: string; ciphertext: string; last4: string };

/** Creates a secret, and the row that stores it encrypted under `id`. */
export function newClientSecret(keyRing: KeyRing, id: string): { secret: string; sealed: SealedClientSecret } {
  const secret = newSecret();
  return { secret, sealed: { id, ciphertext: keyRing.encrypt(secret, contextOf(id)), last4: secret.slice(-4) } };
}

/**
 * Decrypts the secret of a row. Throws if the row was altered or swapped, or its encryption key is not on the key ring.
 */
export const openClientSecret = (keyRing: KeyRing, { id, ciphertext }: Omit<SealedClientSecret, 'last4'>): string =>
  keyRing.decrypt(ciphertext, contextOf(id));
