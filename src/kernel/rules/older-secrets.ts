import { ApiError } from '../errors/api-error.ts';

/**
 * Secrets before the current one that may still be valid. Each costs work: another signature on every request to a subscription,
 * another check of every request to an inbound webhook or for a token.
 */
const MAX_OLDER_SECRETS = 3;

type OlderSecret = { createdAt: Date; expiresAt?: Date | null | undefined };

/**
 * Throws CONFLICT if another rotation would leave too many older secrets valid. Ending the oldest one early instead would break whoever
 * relies on the time that its rotation returned. `older` are the valid ones before the current one.
 */
export function requireRoomForOlderSecret(older: readonly OlderSecret[]): void {
  const [first] = older
    .flatMap(({ createdAt, expiresAt }) => (expiresAt ? [{ createdAt, expiresAt }] : []))
    .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (older.length < MAX_OLDER_SECRETS || first === undefined) return;
  const [made, until] = [first.createdAt.toISOString(), first.expiresAt.toISOString()];
  throw new ApiError(
    'CONFLICT',
    `${MAX_OLDER_SECRETS} older secrets are still valid beside the current one, and no more may be. The one made at ${made} is valid until ${until}: rotate after that, or with overlapHours 0, which ends all older secrets now`,
  );
}
