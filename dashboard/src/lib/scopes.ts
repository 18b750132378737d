/** Every right of a credential, as the specification names them. */
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
  'workflows:read',
  'workflows:write',
  'webhooks:read',
  'webhooks:write',
  'credentials:write',
  'apps:read',
  'apps:write',
  'audit:read',
] as const;

export const TIERS = ['free', 'starter', 'pro', 'enterprise'] as const;
