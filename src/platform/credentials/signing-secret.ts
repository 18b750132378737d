import type { KeyRing } from './key-ring.ts';
import type { SealContext } from '../db/sql/sealed-columns.ts';
import { newSigningSecret } from '../outbound/sign.ts';

/** A row of subscription_secrets as it is stored: never the secret itself. */
export type SealedSigningSecret = { id: string; ciphertext: string };

/** Key ring context that binds a ciphertext to its row: table, column and id. */
export const secretContext = (secretId: string): SealContext => `subscription_secrets|ciphertext|${secretId}`;

/** A signing secret (`whsec_…`), a fresh one unless it is given, and the row that holds it sealed under `id`. */
export function sealSigningSecret(
  keyRing: KeyRing,
  id: string,
  secret = newSigningSecret(),
): { secret: string; sealed: SealedSigningSecret } {
  return { secret, sealed: { id, ciphertext: keyRing.encrypt(secret, secretContext(id)) } };
}

/** The secret in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export const openSigningSecret = (keyRing: KeyRing, { id, ciphertext }: SealedSigningSecret): string =>
  keyRing.decrypt(ciphertext, secretContext(id));
