import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import { openSigningSecret, type SealedSigningSecret } from '../../platform/outbound/sign.ts';
import { ApiError } from '../../kernel/errors.ts';

/** The secret that signs now. CONFLICT for one that cannot be opened, and for none: it was sealed with a key that was given up. */
export function openCurrent(
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
