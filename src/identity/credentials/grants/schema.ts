import { z } from 'zod';
import { wholeNumber } from '../../../api/http/answers/answer-fields.ts';
import { SCOPES, TIERS } from '../../../kernel/words/rights.ts';

/** active; expired once expiresAt has passed; revoked for ever. */
export const CREDENTIAL_STATUSES = ['active', 'expired', 'revoked'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** Upper bound of every limit a credential may be given: beyond it numbers mean nothing, and the columns hold 32 bits. */
const MAX_LIMIT = 1_000_000_000;

/** Fields of a body that give a credential its rights. */
export const nameField = z.string().min(1).max(200);
export const tierField = z.enum(TIERS);
export const scopesField = z.array(z.enum(SCOPES)).min(1);
export const limitField = z.int().min(1).max(MAX_LIMIT);
export const limitsOf = <T extends z.ZodType>(each: T) => ({
  requestsPerMinute: each.describe('Requests in 60 seconds.'),
  burst: each.describe('Requests in one second.'),
  concurrent: each.describe('Requests in flight.'),
  batchPerMinute: each.describe('Batch requests in 60 seconds; transactional requests have a limit of the same size.'),
});

/** Limits as answers show them. */
export const limitsAnswer = z
  .strictObject({
    requestsPerMinute: wholeNumber.describe('Requests in 60 seconds.'),
    burst: wholeNumber.describe('Requests in one second.'),
    concurrent: wholeNumber.describe('Requests in flight.'),
    batchPerMinute: wholeNumber.describe(
      'Requests to the batch paths in 60 seconds, and as many to the transactional one.',
    ),
  })
  .describe("Limits in force: the tier's or the credential's own.")
  .meta({ typeName: 'Limits' });

/**
 * Why a credential whose status is `actual` behind a change cannot have the one that the change names. `revoke` is the call that
 * revokes it.
 */
export function statusProblem(
  actual: CredentialStatus,
  wanted: CredentialStatus | undefined,
  { revoke, what }: { revoke: string; what: string },
): string | undefined {
  if (wanted === undefined || wanted === actual) return undefined;
  if (wanted === 'revoked') return `is set to revoked by ${revoke}`;
  return actual === 'revoked' ? `cannot change: a revoked ${what} stays revoked` : 'follows from expiresAt';
}
