import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../platform/credentials/key-ring.ts';
import type { SealContext } from '../platform/db/sql/sealed-columns.ts';
import { invalidField } from '../kernel/errors.ts';
import { newSigningSecret } from '../platform/outbound/sign.ts';
import type { Provider } from './providers/provider.ts';

/** A row of inbound_webhook_secrets as it is stored: never the secret itself. */
export type SealedWebhookSecret = { id: string; ciphertext: string };

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `inbound_webhook_secrets|ciphertext|${id}`;

export const sealWebhookSecret = (keyRing: KeyRing, id: string, secret: string): SealedWebhookSecret => ({
  id,
  ciphertext: keyRing.encrypt(secret, contextOf(id)),
});

/** The secret in a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export const openWebhookSecret = (keyRing: KeyRing, { id, ciphertext }: SealedWebhookSecret): string =>
  keyRing.decrypt(ciphertext, contextOf(id));

const MADE_BYTES = 32;

/**
 * The secrets as they are given, or a new one where none is and the service lets its user choose. None where the service itself makes it,
 * which it does once it has the address. INVALID_REQUEST for one that cannot be a secret of the service, with `each` naming it.
 */
export function secretsFor(
  { makesSecret, secretProblem, scheme }: Provider,
  given: readonly string[] | undefined,
  each: (index: number) => string,
): readonly string[] {
  if (given === undefined) {
    if (makesSecret !== true) return [];
    const isStandard = scheme === 'body' || scheme === 'standard';
    return [isStandard ? newSigningSecret() : randomBytes(MADE_BYTES).toString('hex')];
  }
  for (const [index, secret] of given.entries()) {
    const problem = secretProblem?.(secret);
    if (problem !== undefined) throw invalidField(each(index), problem);
  }
  return given;
}
