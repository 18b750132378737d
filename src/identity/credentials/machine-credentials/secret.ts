import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../platform/credentials/key-ring.ts';
import type { SealContext } from '../../../platform/db/sql/sealed-columns.ts';

/** A new secret: 32 random bytes in base64url. Shown once; an HMAC needs it back, so it is kept sealed and not as a hash. */
const newSecret = (): string => `ocs_${randomBytes(32).toString('base64url')}`;

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `machine_credential_secrets|ciphertext|${id}`;

/** A row of machine_credential_secrets as it is stored: never the secret itself. */
export type SealedClientSecret = { id: string; ciphertext: string; last4: string };

/** A fresh secret, and the row that holds it sealed under `id`. */
export function newClientSecret(keyRing: KeyRing, id: string): { secret: string; sealed: SealedClientSecret } {
  const secret = newSecret();
  return { secret, sealed: { id, ciphertext: keyRing.encrypt(secret, contextOf(id)), last4: secret.slice(-4) } };
}

/** The secret in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export const openClientSecret = (keyRing: KeyRing, { id, ciphertext }: Omit<SealedClientSecret, 'last4'>): string =>
  keyRing.decrypt(ciphertext, contextOf(id));
