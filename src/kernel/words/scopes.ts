/** Rights of a credential: the nine of the specification (§5), then ours. */
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
