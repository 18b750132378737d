/** Scopes of a credential: the nine of the specification (§5), then ours. */
export const SCOPES = [
  'channels:read',
  'channels:write',
  'messages:read',
  'messages:write',
  'subscriptions:read',
  'subscriptions:write',
  'deliveries:read',
  'dlq:read',
  'dlq:write',
  'credentials:write',
  'apps:read',
  'apps:write',
  'audit:read',
  'workflows:read',
  'workflows:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The two environments of an app (spec §5): the API key's prefix names one of them. */
export const ENVIRONMENT_KINDS = ['live', 'test'] as const;
export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

/** The other environment of the same app. */
export const otherThan = (kind: EnvironmentKind): EnvironmentKind => (kind === 'live' ? 'test' : 'live');

/** Roles of users in an organisation, from the fewest rights to the most. */
export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The lowest role that has a scope: viewers read, developers build, admins manage credentials and other access. */
const LEAST_ROLE: Readonly<Record<Scope, Role>> = {
  'channels:read': 'viewer',
  'channels:write': 'developer',
  'messages:read': 'viewer',
  'messages:write': 'developer',
  'subscriptions:read': 'viewer',
  'subscriptions:write': 'developer',
  'deliveries:read': 'viewer',
  'dlq:read': 'viewer',
  'dlq:write': 'developer',
  'credentials:write': 'admin',
  'apps:read': 'viewer',
  'apps:write': 'admin',
  'audit:read': 'admin',
  'workflows:read': 'viewer',
  'workflows:write': 'developer',
  'webhooks:read': 'viewer',
  'webhooks:write': 'developer',
};

/** Whether a role includes the rights of another one. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

const scopesFor = (role: Role): ReadonlySet<Scope> =>
  new Set(SCOPES.filter((scope) => isAtLeast(role, LEAST_ROLE[scope])));

/** Scopes of a role in every environment of its organisation. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  viewer: scopesFor('viewer'),
  developer: scopesFor('developer'),
  admin: scopesFor('admin'),
  owner: scopesFor('owner'),
};

/** Rate limits of a principal per minute, per second and at a time (spec §8). */
export type Limits = {
  /** Requests per window of 60 s. */
  requestsPerMinute: number;
  /** Requests in one second. */
  burst: number;
  /** Requests in flight. */
  concurrent: number;
  /** Requests to the batch paths per 60 s, shared by both of them; the transactional path has a separate limit of the same size. */
  batchPerMinute: number;
};

/** From the smallest to the largest (spec §8). */
export const TIERS = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Spec §8; Enterprise is "custom" there, and these are its defaults. The batch paths have 10 per minute in every tier. */
export const TIER_LIMITS: Readonly<Record<Tier, Limits>> = {
  free: { requestsPerMinute: 60, burst: 10, concurrent: 5, batchPerMinute: 10 },
  starter: { requestsPerMinute: 600, burst: 50, concurrent: 25, batchPerMinute: 10 },
  pro: { requestsPerMinute: 6_000, burst: 200, concurrent: 100, batchPerMinute: 10 },
  enterprise: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 },
};

/** A key's own limits override those of its tier; null and undefined mean those of the tier. */
export function resolveLimits(
  tier: Tier,
  own: { readonly [name in keyof Limits]?: number | null | undefined },
): Limits {
  const base = TIER_LIMITS[tier];
  return {
    requestsPerMinute: own.requestsPerMinute ?? base.requestsPerMinute,
    burst: own.burst ?? base.burst,
    concurrent: own.concurrent ?? base.concurrent,
    batchPerMinute: own.batchPerMinute ?? base.batchPerMinute,
  };
}

/** The first limit in which `wanted` exceeds `own`; undefined if none does. */
export function limitAbove(wanted: Limits, own: Limits): keyof Limits | undefined {
  const names = ['requestsPerMinute', 'burst', 'concurrent', 'batchPerMinute'] as const;
  return names.find((name) => wanted[name] > own[name]);
}
