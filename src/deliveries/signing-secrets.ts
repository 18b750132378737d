import type { KeyRing } from '../credentials/key-ring.ts';
import type { SubscriptionToAttempt } from './delivery-to-attempt.ts';
import { openSecret } from '../credentials/signing-secret.ts';

/** None of a subscription's live secrets can be opened. That is a fault of ours, so its deliveries wait. */
export class SecretsUnreadableError extends Error {
  override readonly name = 'SecretsUnreadableError';
  readonly subscriptionId: string;
  readonly triedSecretIds: readonly string[];

  constructor({ id, secrets }: Pick<SubscriptionToAttempt, 'id' | 'secrets'>, cause: unknown) {
    super(`none of the ${secrets.length} signing secrets of the subscription ${id} can be opened`, { cause });
    this.subscriptionId = id;
    this.triedSecretIds = secrets.map((secret) => secret.id);
  }
}

/** Secrets that a try signs with, newest first, and the reasons why others do not open. */
export type SigningSecrets = { secrets: string[]; unreadable: { id: string; cause: unknown }[] };

/**
 * Opens the live secrets of a subscription one by one: one that does not open leaves the signing to the others. Secrets past their
 * overlap are not among them, whatever has become of the newest. Throws SecretsUnreadableError when none opens.
 */
export function openSigningSecrets(
  keyRing: KeyRing,
  subscription: Pick<SubscriptionToAttempt, 'id' | 'secrets'>,
): SigningSecrets {
  const opened: SigningSecrets = { secrets: [], unreadable: [] };
  for (const sealed of subscription.secrets) {
    try {
      opened.secrets.push(openSecret(keyRing, sealed));
    } catch (cause) {
      opened.unreadable.push({ id: sealed.id, cause });
    }
  }
  if (opened.secrets.length === 0) throw new SecretsUnreadableError(subscription, opened.unreadable[0]?.cause);
  return opened;
}
