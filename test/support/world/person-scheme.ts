import type { Scheme } from '../../../src/api/caller.ts';
import { TIER_LIMITS, SCOPES, type Scope } from '../../../src/kernel/words/rights.ts';

/** Headers of a person in that organisation, for the scheme below. */
export const asPerson = (organisationId: string, scopes: readonly Scope[] = SCOPES): Record<string, string> => ({
  'x-person': organisationId,
  'x-scopes': scopes.join(' '),
});

/** A scheme for tests alone, which believes what it is told: a person above the environments of an organisation. */
export const personScheme: Scheme = {
  identify({ header }) {
    const [organisationId] = header('x-person');
    if (organisationId === undefined) return Promise.resolve(undefined);
    const [scopes = ''] = header('x-scopes');
    const caller = {
      principal: { kind: 'apiKey', id: 'person' },
      level: 'organisation',
      organisationId,
      scopes: new Set(SCOPES.filter((scope) => scopes.split(' ').includes(scope))),
      limits: TIER_LIMITS.enterprise,
    } as const;
    return Promise.resolve({ caller, isSession: true, renew: () => Promise.resolve({ caller }) });
  },
};
