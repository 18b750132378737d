// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.

/** Rights of a credential. */
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

/** Limits of a credential, from the smallest to the largest. */
export const TIERS = [
  'free',
  'starter',
  'pro',
  'enterprise',
] as const;

export type Tier = (typeof TIERS)[number];

/** Requests a minute of each tier; a credential may have limits of its own. */
export const TIER_RATES: Readonly<Record<Tier, number>> = {
  free: 60,
  starter: 600,
  pro: 6000,
  enterprise: 600000,
};

/** Roles of people, from the least to the most that they may do. */
export const ROLES = [
  'viewer',
  'developer',
  'admin',
  'owner',
] as const;

export type Role = (typeof ROLES)[number];
