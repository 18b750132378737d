import { ApiError } from '../errors.ts';

/** Length of the key in a symmetric signing secret, in bytes (Standard Webhooks, "Signature scheme"). */
export const SECRET_BYTES = { min: 24, max: 64 } as const;
export const SYMMETRIC_PREFIX = 'whsec_';

/** Whether a text is a symmetric signing secret: `whsec_` and the padded base64 of its bytes. */
export function isSymmetricSecret(text: string): boolean {
  if (!text.startsWith(SYMMETRIC_PREFIX)) return false;
  const encoded = text.slice(SYMMETRIC_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.length >= SECRET_BYTES.min && key.length <= SECRET_BYTES.max && key.toString('base64') === encoded;
}

/**
 * Maximum number of older secrets that are still valid. Each costs work: another signature on every request to a subscription, or
 * another check of every request to an inbound webhook or for a token.
 */
const MAX_OLDER_SECRETS = 3;

type OlderSecret = { createdAt: Date; expiresAt?: Date | null | undefined };

/**
 * Throws CONFLICT if another rotation would leave too many older secrets valid. Ending the oldest one early instead would break those
 * who rely on the expiry that its rotation returned. `older` are the valid ones before the current one.
 */
export function requireRoomForOlderSecret(older: readonly OlderSecret[]): void {
  const [first] = older
    .flatMap(({ createdAt, expiresAt }) => (expiresAt ? [{ createdAt, expiresAt }] : []))
    .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (older.length < MAX_OLDER_SECRETS || first === undefined) return;
  const [made, until] = [first.createdAt.toISOString(), first.expiresAt.toISOString()];
  throw new ApiError(
    'CONFLICT',
    `At most ${MAX_OLDER_SECRETS} older secrets can be valid in addition to the current one. The one created at ${made} is valid until ${until}; rotate after that, or with overlapHours 0, which ends all older secrets now`,
  );
}
