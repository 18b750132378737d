import { limitAbove, TIERS } from '../tiers.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { ApiKey } from './schema.ts';

/** The rights of a key: none of them may exceed its maker's. */
export type Grant = Pick<ApiKey, 'tier' | 'scopes' | 'limits'> & { expiresAt?: Date | undefined };

/** Throws FORBIDDEN when a key would have more than the caller's own: a scope, a tier or a limit above, or a longer life. */
export function refuseGrant(own: Grant, wanted: Grant): void {
  const scope = wanted.scopes.find((name) => !own.scopes.includes(name));
  if (scope !== undefined) refuse('scopes', `this credential does not have ${scope} itself`);
  if (TIERS.indexOf(wanted.tier) > TIERS.indexOf(own.tier))
    refuse('tier', `must not be above ${own.tier}, the tier of this credential`);
  const limit = limitAbove(wanted.limits, own.limits);
  if (limit !== undefined)
    refuse(`limits.${limit}`, `must be at most ${own.limits[limit]}, the limit of this credential`);
  if (own.expiresAt !== undefined && (wanted.expiresAt === undefined || wanted.expiresAt > own.expiresAt))
    refuse('expiresAt', `must not be later than ${own.expiresAt.toISOString()}, when this credential expires`);
}

function refuse(field: string, reason: string): never {
  throw new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });
}
