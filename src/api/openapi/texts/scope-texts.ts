import type { Scope } from '../../../kernel/words/rights.ts';

/** The right that a scope gives. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'channels:read': 'Reads channels and their schemas.',
  'channels:write': 'Makes, changes and deletes channels.',
  'messages:read': 'Reads messages and follows streams.',
  'messages:write': 'Publishes, cancels and erases messages.',
  'subscriptions:read': 'Reads subscriptions and their replays.',
  'subscriptions:write': 'Makes, changes, deletes and replays subscriptions, and reads their signing secrets.',
  'deliveries:read': 'Reads deliveries and their attempts.',
  'dlq:read': 'Reads dead letters and their replays.',
  'dlq:write': 'Replays and discards dead letters, and retries deliveries.',
  'credentials:write':
    'Reads, makes, changes and revokes API keys and machine credentials, and makes, changes and deletes secrets and connections of workflows.',
  'apps:read': 'Reads apps and the organisation.',
  'apps:write': 'Makes and changes apps, and renames the organisation.',
  'audit:read': 'Reads the audit log.',
  'workflows:read': 'Reads workflows, their runs and the catalogue of connectors.',
  'workflows:write': 'Makes, changes, activates, pauses and deletes workflows, and starts, cancels and retries runs.',
  'webhooks:read': 'Reads inbound webhooks and the log of what they refused.',
  'webhooks:write': 'Makes, changes and deletes inbound webhooks, and reads their secrets.',
};
