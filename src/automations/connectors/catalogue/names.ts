export const CATEGORIES = [
  'messaging',
  'email',
  'development',
  'project_management',
  'data',
  'sales',
  'commerce',
  'support',
  'incidents',
  'ai',
  'general',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Ways of a service to know who asks, as far as there are connectors with them. */
export const AUTH_TYPES = ['none', 'api_key', 'basic', 'oauth2'] as const;
