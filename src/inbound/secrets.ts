import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../platform/credentials/key-ring.ts';
import type { SealContext } from '../platform/db/sql/sealed-columns.ts';
import { invalidField } from '../kernel/errors.ts';
import { newSigningSecret } from '../platform/outbound/sign.ts';
import type { Provider } from './providers/provider.ts';

/** A row of inbound_webhook_secrets with the encrypted secret. */
export type SealedWebhookSecret = { id: string; ciphertext: string };

/** Binds a ciphertext to its table, column and row. */
const contextOf = (id: string): SealContext => `inbound_webhook_secrets|ciphertext|${id}`;

export const sealWebhookSecret = (keyRing: KeyRing, id: string, secret: string): SealedWebhookSecret => ({
  id,
  ciphertext: keyRing.encrypt(secret, contextOf(id)),
});

/**
 * Decrypts the secret of a stored row. Throws if the row was changed, swapped, or encrypted with a key that is not on
 * the key ring.
 */
export const openWebhookSecret = (keyRing: KeyRing, { id, ciphertext }: SealedWebhookSecret): string =>
  keyRing.decrypt(ciphertext, contextOf(id));

const MADE_BYTES = 32;

/**
 * Returns the given secrets, or a new one if none is given and the service lets users choose it. Returns none if the
 * service generates the secret itself, which it can only do once it has the address. Throws INVALID_REQUEST, with the
 * field from `each`, for a text that cannot be a secret of the service.
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
