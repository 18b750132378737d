import { MAX_OLD_SECRETS, sealSecret } from '../credentials/signing-secret.ts';
import type { DatabaseTransaction } from '../db/client.ts';
import type { Dependencies } from '../dependencies.ts';
import type { RecordAudit } from '../identity/audit/record.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import { notFound } from '../kernel/api-error.ts';
import { isId } from '../kernel/ids.ts';
import { openCurrent } from './current-secret.ts';
import type { RotateSecret, Subscription, SubscriptionSecret } from './schema.ts';
import * as store from './store.ts';

const HOUR_MS = 3_600_000;

export type SigningSecrets = {
  /** The secret that signs now. Nothing else ever shows it. CONFLICT when it cannot be opened: only rotating mends that. */
  secret(caller: EnvironmentCaller, id: string): Promise<SubscriptionSecret>;
  /** Another secret signs at once; the old ones sign beside it until the overlap ends (docs/security.md). */
  rotateSecret(caller: EnvironmentCaller, id: string, body: RotateSecret): Promise<SubscriptionSecret>;
};

export function createSigningSecrets(
  { tenants, newId, clock, keyRing }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing'>,
  { audit }: { audit: { record: RecordAudit } },
): SigningSecrets {
  /** NOT_FOUND where `look` finds none. An id that cannot be one never reaches the database. */
  const within = <T>(
    caller: EnvironmentCaller,
    id: string,
    look: typeof store.findSubscription | typeof store.lockSubscription,
    work: (transaction: DatabaseTransaction) => Promise<T>,
  ): Promise<T> =>
    tenants.within(caller, async (transaction) => {
      const found: Subscription | undefined = isId('subscription', id)
        ? await look(transaction, caller.environmentId, id, clock())
        : undefined;
      if (found === undefined) throw notFound('subscription');
      return work(transaction);
    });

  return {
    secret: (caller, id) =>
      within(caller, id, store.findSubscription, async (transaction) => {
        const secret = openCurrent(keyRing, await store.findCurrentSecret(transaction, id));
        await audit.record(transaction, caller, { action: 'subscription.secret_viewed', target: { id } });
        return { secret };
      }),

    async rotateSecret(caller, id, { overlapHours, secret: given }) {
      const { secret, sealed } = sealSecret(keyRing, newId('secret'), given);
      await within(caller, id, store.lockSubscription, async (transaction) => {
        const now = clock();
        const overlapUntil = new Date(now.getTime() + overlapHours * HOUR_MS);
        await store.replaceSecret(transaction, id, sealed, { now, overlapUntil, maxOld: MAX_OLD_SECRETS });
        const after = { overlapHours };
        await audit.record(transaction, caller, { action: 'subscription.secret_rotated', target: { id }, after });
      });
      return { secret };
    },
  };
}
