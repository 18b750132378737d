import { z } from 'zod';
import { wholeNumber } from '../../../api/http/answers/answer-fields.ts';
import { SCOPES, TIERS } from '../../../kernel/words/rights.ts';

/** Expired once expiresAt has passed; revoked permanently. */
export const CREDENTIAL_STATUSES = ['active', 'expired', 'revoked'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** Upper bound of every limit of a credential. The columns are 32-bit integers. */
const MAX_LIMIT = 1_000_000_000;

/** Fields of a request body that determine the rights of a credential. */
export const nameField = z.string().min(1).max(200);
export const tierField = z.enum(TIERS);
export const scopesField = z.array(z.enum(SCOPES)).min(1);
export const limitField = z.int().min(1).max(MAX_LIMIT);
export const limitsOf = <T extends z.ZodType>(each: T) => ({
  requestsPerMinute: each.describe('Requests per 60 seconds.'),
  burst: each.describe('Requests per second.'),
  concurrent: each.describe('Requests in flight.'),
  batchPerMinute: each.describe(
    'Batch requests per 60 seconds. Transactional requests have a separate limit of the same size.',
  ),
});

/** Limits as responses show them. */
export const limitsAnswer = z
  .strictObject({
    requestsPerMinute: wholeNumber.describe('Requests per 60 seconds.'),
    burst: wholeNumber.describe('Requests per second.'),
    concurrent: wholeNumber.describe('Requests in flight.'),
    batchPerMinute: wholeNumber.describe(
      'Batch requests per 60 seconds. Transactional requests have a separate limit of the same size.',
    ),
  })
  .describe("Effective limits: the credential's own or those of its tier.")
  .meta({ typeName: 'Limits' });

/**
 * Returns why a credential cannot have the status `wanted`, if a change would leave it with the status `actual`.
 * `revoke` is the request that revokes it.
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
