import type { IdKind } from '../values/ids.ts';
import type { Scope } from './rights.ts';

/** Kinds of resources that a search finds, by the scope that reads them: a caller without the scope finds none of them. */
export const SCOPE_OF_KIND = {
  message: 'messages:read',
  delivery: 'deliveries:read',
  attempt: 'deliveries:read',
  deadLetter: 'dlq:read',
  bulkReplay: 'dlq:read',
  bulkRetry: 'dlq:read',
  messageReplay: 'subscriptions:read',
  subscription: 'subscriptions:read',
  channel: 'channels:read',
  workflow: 'workflows:read',
  run: 'workflows:read',
  approval: 'workflows:read',
  connection: 'credentials:write',
  webhook: 'webhooks:read',
} as const satisfies Partial<Record<IdKind, Scope>>;

export type SearchKind = keyof typeof SCOPE_OF_KIND;

export const SEARCH_KINDS = [
  'message',
  'delivery',
  'attempt',
  'deadLetter',
  'bulkReplay',
  'bulkRetry',
  'messageReplay',
  'subscription',
  'channel',
  'workflow',
  'run',
  'approval',
  'connection',
  'webhook',
] as const satisfies readonly SearchKind[];

/** What a search may look at. */
export const SEARCH_MATCHES = ['id', 'publisherId', 'eventType', 'name', 'payload', 'everything'] as const;

/** Kinds of resources that have names. */
export const NAMED_KINDS = ['channel', 'subscription', 'workflow', 'connection', 'webhook'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];
