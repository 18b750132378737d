import { ID_PREFIXES } from '../values/ids.ts';
import type { DeadLetterReason } from './statuses.ts';

/** Longest eventType, in UTF-16 units, and the maximum number of patterns per subscription. */
export const MAX_EVENT_TYPE_LENGTH = 128;
export const MAX_EVENT_TYPES = 100;

/**
 * Whether a subscription with these eventTypes matches `eventType`. No patterns match everything; `order.*` matches everything that
 * begins with `order.`; `*` alone matches everything; anything else is compared exactly, including case. The publish statement does the
 * same in SQL (src/platform/db/sql/fragments.ts), and a test compares them.
 */
export function wantsEventType(eventTypes: readonly string[], eventType: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some((wanted) =>
    wanted === '*' ? true : wanted.endsWith('.*') ? eventType.startsWith(wanted.slice(0, -1)) : wanted === eventType,
  );
}

/** Why a pattern in a subscription's eventTypes is rejected; undefined if it is valid. A `*` must stand alone, or last after a dot. */
export function eventTypePatternProblem(pattern: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star === -1 || pattern === '*') return undefined;
  if (star === pattern.length - 1 && pattern.endsWith('.*') && pattern.length > 2) return undefined;
  return 'must have a * only alone, or at the end after a dot, as in order.*';
}

/**
 * Why a message cannot be published with this event type, because no filter could name it: `*` is a wildcard, commas separate event
 * types in a query, and surrounding white space is lost there. Undefined if it is valid. Messages that are already stored keep theirs.
 */
export function publishedEventTypeProblem(eventType: string): string | undefined {
  if (eventType.includes('*')) return 'must not contain *, which stands for several event types in filters';
  if (eventType.includes(',')) return 'must not contain a comma, which separates event types in filters';
  return eventType === eventType.trim() ? undefined : 'must not begin or end with white space';
}

// People read only a few of them.
const EVENT_TYPES_SHOWN = 10;

/** The patterns as text for people: the first ten, and the number of the others. */
export function listedEventTypes(eventTypes: readonly string[]): string {
  const more = eventTypes.length - EVENT_TYPES_SHOWN;
  return `${eventTypes.slice(0, EVENT_TYPES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * The messages that the service itself publishes, by eventType, with their payloads. Times are ISO 8601 UTC. They are published to the
 * environment's system channel, which can have subscriptions like any other, and they start workflows. That channel's own subscriptions
 * and deliveries cause no events. A run that was started by an event may cause another one; such a chain ends like any chain of runs.
 */
export type ServiceEvents = {
  /** The receiver responded 410 (`gone`), or every attempt failed for five days (`failing`). Its deliveries wait until it is resumed. */
  'subscription.disabled': {
    subscriptionId: string;
    channelId: string;
    reason: 'gone' | 'failing';
    failingSince: string;
  };
  /** None of its signing secrets can be decrypted, so its deliveries wait until its secret is rotated. Sent once until that is fixed. */
  'subscription.secret_unreadable': { subscriptionId: string; channelId: string; since: string };
  /** Its endpoint is failing, so there is no attempt until `nextProbeAt`. Sent once, not again if a probe fails. */
  'circuit.opened': { subscriptionId: string; channelId: string; openedAt: string; nextProbeAt: string };
  /** A probe was delivered, so waiting deliveries are being sent. */
  'circuit.closed': { subscriptionId: string; channelId: string; closedAt: string };
  /** A delivery has become a dead letter, for any reason. */
  'delivery.exhausted': {
    subscriptionId: string;
    channelId: string;
    deliveryId: string;
    messageId: string;
    deadLetterId: string;
    reason: DeadLetterReason;
    attempts: number;
  };
  /** A run of a workflow has failed and become a dead letter. `stepId` is null if no step is responsible. */
  'run.failed': {
    workflowId: string;
    runId: string;
    stepId: string | null;
    deadLetterId: string;
    reason: DeadLetterReason;
    attempts: number;
  };
  /** The backlog of a subscription is high (BACKLOG_HIGH). Sent once until it has gone down again. `waiting` is counted up to 1,001. */
  'backlog.high': { subscriptionId: string; channelId: string; waiting: number; oldestDueAt: string };
};

export type ServiceEventType = keyof ServiceEvents;

/**
 * A backlog is high if more than `waiting` deliveries are due, or the oldest has been due for `ageSeconds`; it is over when it is below
 * both values of `low`.
 */
export const BACKLOG_HIGH = { waiting: 1_000, ageSeconds: 300, low: { waiting: 500, ageSeconds: 60 } } as const;

/** Days of nothing but failures after which a subscription is disabled. */
export const FAILING_DAYS = 5;

export const SYSTEM_CHANNEL_NAME = 'posthorn.system';

/** Id of the environment's system channel: the environment's id with another prefix, so that there is only one and no look-up is needed. */
export const systemChannelId = (environmentId: string): string =>
  ID_PREFIXES.channel + environmentId.slice(ID_PREFIXES.environment.length);
