import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { SubscriptionToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { openSigningSecret, readSigningKey, type SigningKey } from '../../platform/outbound/sign.ts';

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

/** Keys that a try signs with, newest first, and the reasons why other secrets do not open. */
type OpenedKeys = { keys: SigningKey[]; unreadable: { id: string; cause: unknown }[] };

/**
 * Opens the live secrets of a subscription one by one: one that does not open leaves the signing to the others. Secrets past their
 * overlap are not among them, whatever has become of the newest. Throws SecretsUnreadableError when none opens.
 */
export type OpenSigningKeys = (subscription: Pick<SubscriptionToAttempt, 'id' | 'secrets'>) => OpenedKeys;

/** Keys of 5,000 secrets stay ready: opening one takes as long as signing with it. Who reads this memory has the key ring too. */
const READY_KEYS = 5_000;

export function createOpenSigningKeys(keyRing: KeyRing): OpenSigningKeys {
  // By the sealed text, so that a secret that was stored anew is opened anew.
  const ready = new LRUCache<string, SigningKey>({ max: READY_KEYS });
  return (subscription) => {
    const opened: OpenedKeys = { keys: [], unreadable: [] };
    for (const sealed of subscription.secrets) {
      const name = `${sealed.id} ${sealed.ciphertext}`;
      const known = ready.get(name);
      if (known !== undefined) {
        opened.keys.push(known);
        continue;
      }
      let secret: string;
      try {
        secret = openSigningSecret(keyRing, sealed);
      } catch (cause) {
        opened.unreadable.push({ id: sealed.id, cause });
        continue;
      }
      // An opened text that is no secret is a fault of ours.
      const key = readSigningKey(secret);
      ready.set(name, key);
      opened.keys.push(key);
    }
    if (opened.keys.length === 0) throw new SecretsUnreadableError(subscription, opened.unreadable[0]?.cause);
    return opened;
  };
}
