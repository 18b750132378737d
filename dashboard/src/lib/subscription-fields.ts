import type { App, CreateSubscription, Subscription, UpdateSubscription } from '../../../client/src/index.ts';
import { changedPolicy, policyAmong } from './retry-policy.ts';

type Policy = Subscription['retryPolicy'];

/** The settings of a subscription as a form holds them. Numbers that may be absent are texts. */
export type SubscriptionFields = Policy & {
  name: string;
  webhookUrl: string;
  eventTypes: readonly string[];
  filter: string;
  headers: string;
  timeoutMs: string;
  maxRetryAfter: string;
  rateLimit: string;
  maxConcurrency: string;
  owner: string;
  circuitBreaker: boolean;
  /** These two exist only for a new subscription. */
  secret: string;
  startFrom: string;
};

/** Returns the fields of an existing subscription. */
export const subscriptionFields = (of: Subscription): SubscriptionFields => ({
  name: of.name,
  webhookUrl: of.webhookUrl,
  eventTypes: of.eventTypes,
  filter: of.filter ?? '',
  ...of.retryPolicy,
  headers: headersText(of.headers),
  timeoutMs: String(of.timeoutMs),
  maxRetryAfter: String(of.maxRetryAfter),
  rateLimit: of.rateLimit?.toString() ?? '',
  maxConcurrency: of.maxConcurrency?.toString() ?? '',
  owner: of.owner ?? '',
  circuitBreaker: of.circuitBreaker,
  secret: '',
  startFrom: '',
});

/**
 * Returns the fields of a new subscription: the app's defaults where the form shows them, and empty fields where the
 * service applies a default.
 */
export const newSubscriptionFields = (
  { retryPolicy, circuitBreaker }: App['settings'],
  given: { webhookUrl?: string | undefined; name?: string | undefined; eventType?: string | undefined },
): SubscriptionFields => ({
  name: given.name ?? '',
  webhookUrl: given.webhookUrl ?? '',
  eventTypes: given.eventType === undefined || given.eventType === '' ? [] : [given.eventType],
  filter: '',
  ...retryPolicy,
  headers: '',
  timeoutMs: '',
  maxRetryAfter: '',
  rateLimit: '',
  maxConcurrency: '',
  owner: '',
  circuitBreaker,
  secret: '',
  startFrom: '',
});

const headersText = (headers: Subscription['headers']): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/**
 * Parses headers, one per line. A line without a colon is a header without a value, which the API rejects and names.
 */
const headersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        return colon === -1 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );

const isWritten = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

/**
 * Returns the body that creates a subscription. It contains only edited fields, so that the app's defaults apply to the
 * rest.
 */
export function createBody(
  { values, written }: { values: SubscriptionFields; written: Partial<SubscriptionFields> },
  { channelId, startFrom }: { channelId: string; startFrom?: string | undefined },
): CreateSubscription {
  const optional = {
    ...(isWritten(values.name) && { name: values.name.trim() }),
    ...(isWritten(values.filter) && { filter: values.filter }),
    ...(isWritten(values.headers) && { headers: headersIn(values.headers) }),
    ...(isWritten(values.timeoutMs) && { timeoutMs: Number(values.timeoutMs) }),
    ...(isWritten(values.maxRetryAfter) && { maxRetryAfter: Number(values.maxRetryAfter) }),
    ...(isWritten(values.rateLimit) && { rateLimit: Number(values.rateLimit) }),
    ...(isWritten(values.maxConcurrency) && { maxConcurrency: Number(values.maxConcurrency) }),
    ...(isWritten(values.owner) && { owner: values.owner.trim() }),
    ...(isWritten(values.secret) && { secret: values.secret.trim() }),
  };
  return {
    channelId,
    webhookUrl: values.webhookUrl,
    eventTypes: values.eventTypes,
    ...optional,
    ...(changedPolicy(written, values) !== undefined && { retryPolicy: policyAmong(values) }),
    ...(written.circuitBreaker !== undefined && { circuitBreaker: written.circuitBreaker }),
    ...(startFrom !== undefined && { startFrom }),
  };
}

/** The longest Retry-After that is honoured if a subscription does not set one (docs/guides/subscribe.md). */
const DAY_MS = 86_400_000;

const numberOrNone = (text: string): number | null => (text === '' ? null : Number(text));
const textOrNone = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/**
 * Returns the body that updates a subscription. It contains only edited fields, because a stored value that a newer
 * rule rejects must not be sent again.
 */
export function updateBody({
  values,
  written,
}: {
  values: SubscriptionFields;
  written: Partial<SubscriptionFields>;
}): UpdateSubscription {
  const { name, webhookUrl, eventTypes, filter, headers, timeoutMs, maxRetryAfter, rateLimit, maxConcurrency, owner } =
    written;
  const retryPolicy = changedPolicy(written, values);
  return {
    // A subscription must have a name; the service rejects an emptied one at its field.
    ...(name !== undefined && { name: name.trim() }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(eventTypes !== undefined && { eventTypes }),
    ...(filter !== undefined && { filter: filter.trim() === '' ? null : filter }),
    ...(retryPolicy !== undefined && { retryPolicy }),
    ...(headers !== undefined && { headers: headersIn(headers) }),
    ...(timeoutMs !== undefined && { timeoutMs: Number(timeoutMs) }),
    ...(maxRetryAfter !== undefined && { maxRetryAfter: isWritten(maxRetryAfter) ? Number(maxRetryAfter) : DAY_MS }),
    ...(rateLimit !== undefined && { rateLimit: numberOrNone(rateLimit) }),
    ...(maxConcurrency !== undefined && { maxConcurrency: numberOrNone(maxConcurrency) }),
    ...(owner !== undefined && { owner: textOrNone(owner) }),
    ...(written.circuitBreaker !== undefined && { circuitBreaker: written.circuitBreaker }),
  };
}
