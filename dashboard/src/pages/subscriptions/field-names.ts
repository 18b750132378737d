import type { SubscriptionFields } from '../../lib/subscription-fields.ts';

/** Labels of the fields, also used to name those that someone else has changed. */
export const FIELD_NAMES: Readonly<Record<keyof SubscriptionFields, string>> = {
  name: 'Name',
  webhookUrl: 'Endpoint URL',
  eventTypes: 'Event types',
  filter: 'Filter',
  maxRetries: 'Max retries',
  initialDelay: 'Initial delay',
  maxDelay: 'Max delay',
  backoffMultiplier: 'Backoff multiplier',
  headers: 'Headers',
  timeoutMs: 'Timeout',
  maxRetryAfter: 'Max Retry-After',
  rateLimit: 'Rate limit',
  maxConcurrency: 'Concurrency',
  owner: 'Customer ID',
  circuitBreaker: 'Circuit breaker',
  secret: 'Signing secret',
  startFrom: 'Send stored messages since',
};
/** Maps fields in the API's errors to fields of the form. */
export const REJECTED_FIELDS = ['channelId', 'retryPolicy', ...Object.keys(FIELD_NAMES)];

export type FieldsGiven = {
  values: SubscriptionFields;
  write: (part: Partial<SubscriptionFields>) => void;
  error: unknown;
};
