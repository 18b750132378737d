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

/** Throws NOT_FOUND if `look` finds nothing. */
export type FindOrRefuse = (id: string, look: () => Promise<Subscription | undefined>) => Promise<Subscription>;

export type SigningSecrets = {
  /**
   * Returns the secret that signs now, and until when older ones do. This is the only way to see it. Throws CONFLICT if
   * it cannot be decrypted; then the secret has to be rotated.
   */
  secret(caller: EnvironmentCaller, id: string): Promise<SubscriptionSecret>;
  /**
   * Sets a new secret, which signs at once; older ones sign in addition to it until the overlap ends. Throws CONFLICT,
   * without changing anything, if too many secrets would sign: no secret ends before the time that was announced.
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

/**
 * Returns the secret that signs now. Throws CONFLICT if it cannot be decrypted, or if there is none because its
 * encryption key was discarded.
 */
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
  new ApiError('CONFLICT', 'The signing secret of the subscription cannot be decrypted; rotate it to get a new one', {
    cause,
  });
