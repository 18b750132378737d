import { sealSigningSecret, openSigningSecret, type SealedSigningSecret } from '../../platform/outbound/sign.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { requireRoomForOlderSecret } from '../../kernel/rules/secrets.ts';
import type { RotateSecret, Subscription, SubscriptionSecret } from './schema.ts';
import * as store from './store.ts';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import { ApiError } from '../../kernel/errors.ts';

const HOUR_MS = 3_600_000;

/** Throws NOT_FOUND where `look` finds none. */
export type FindOrRefuse = (id: string, look: () => Promise<Subscription | undefined>) => Promise<Subscription>;

export type SigningSecrets = {
  /**
   * The secret that signs now, and until when older ones do. Nothing else ever shows it. CONFLICT when it cannot be opened: only
   * rotating mends that.
   */
  secret(caller: EnvironmentCaller, id: string): Promise<SubscriptionSecret>;
  /**
   * Another secret signs at once; the old ones sign beside it until the overlap ends. CONFLICT, and nothing is changed,
   * when more would than may: none ends before the time that was told.
   */
  rotateSecret(caller: EnvironmentCaller, id: string, body: RotateSecret): Promise<SubscriptionSecret>;
};

export function createSigningSecrets(
  { tenants, newId, clock, keyRing }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing'>,
  { audit, found }: { audit: { record: RecordAudit }; found: FindOrRefuse },
): SigningSecrets {
  return {
    secret: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        await found(id, () => store.findSubscription(transaction, caller.environmentId, id, clock()));
        const { secret, createdAt } = openCurrent(keyRing, await store.findCurrentSecret(transaction, id));
        const older = await store.findOlderSecrets(transaction, id, clock());
        await audit.record(transaction, caller, { action: 'subscription.secret_viewed', target: { id } });
        return { secret, createdAt, older };
      }),

    async rotateSecret(caller, id, { overlapHours, secret: given }) {
      const { secret, sealed } = sealSigningSecret(keyRing, newId('secret'), given);
      return tenants.within(caller, async (transaction) => {
        await found(id, () => store.lockSubscription(transaction, caller.environmentId, id, clock()));
        const now = clock();
        const overlapUntil = new Date(now.getTime() + overlapHours * HOUR_MS);
        if (overlapHours > 0) requireRoomForOlderSecret(await store.findOlderSecrets(transaction, id, now));
        await store.replaceSecret(transaction, id, sealed, { now, overlapUntil });
        const after = { overlapHours };
        await audit.record(transaction, caller, { action: 'subscription.secret_rotated', target: { id }, after });
        return { secret, createdAt: now, older: await store.findOlderSecrets(transaction, id, now) };
      });
    },
  };
}

/** The secret that signs now. CONFLICT for one that cannot be opened, and for none: it was sealed with a key that was given up. */
function openCurrent(
  keyRing: KeyRing,
  sealed: (SealedSigningSecret & { createdAt: Date }) | undefined,
): { secret: string; createdAt: Date } {
  if (sealed === undefined) throw secretIsLost(undefined);
  try {
    return { secret: openSigningSecret(keyRing, sealed), createdAt: sealed.createdAt };
  } catch (cause) {
    throw secretIsLost(cause);
  }
}

const secretIsLost = (cause: unknown): ApiError =>
  new ApiError('CONFLICT', 'The signing secret of this subscription cannot be opened; rotate it to get a new one', {
    cause,
  });
