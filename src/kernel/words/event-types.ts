import { ID_PREFIXES } from '../values/ids.ts';
import type { DeadLetterReason } from './statuses.ts';

/** Longest eventType, in characters (UTF-16 units), and the most patterns of one subscription. */
export const MAX_EVENT_TYPE_LENGTH = 128;
export const MAX_EVENT_TYPES = 100;

/**
 * Whether a subscription with these eventTypes wants `eventType`. No patterns mean all; `order.*` means everything that begins with
 * `order.`; `*` alone means all; anything else is compared exactly, case and all. The publish statement does the same in SQL
 * (src/platform/db/sql/fragments.ts), and a test compares them.
 */
export function wantsEventType(eventTypes: readonly string[], eventType: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some((wanted) =>
    wanted === '*' ? true : wanted.endsWith('.*') ? eventType.startsWith(wanted.slice(0, -1)) : wanted === eventType,
  );
}

/** Why a pattern in a subscription's eventTypes is refused; undefined when it is fine. A `*` stands alone or last, after a dot. */
export function eventTypePatternProblem(pattern: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star === -1 || pattern === '*') return undefined;
  if (star === pattern.length - 1 && pattern.endsWith('.*') && pattern.length > 2) return undefined;
  return 'a * may only stand alone or at the end after a dot, as in order.*';
}

/**
 * Why a message cannot be published under this event type, because no filter could name it: `*` stands for others, commas separate event
 * types in a query, and blanks around one are lost there. Undefined when it is fine. Messages that are stored already keep theirs.
 */
export function publishedEventTypeProblem(eventType: string): string | undefined {
  if (eventType.includes('*')) return 'must not contain *, which stands for several event types in filters';
  if (eventType.includes(',')) return 'must not contain a comma, which separates event types in filters';
  return eventType === eventType.trim() ? undefined : 'must not begin or end with white space';
}

// A person reads a few of them at most.
const EVENT_TYPES_SHOWN = 10;

/** The patterns as a text for a person: the first ten, and the number of the others. */
export function listedEventTypes(eventTypes: readonly string[]): string {
  const more = eventTypes.length - EVENT_TYPES_SHOWN;
  return `${eventTypes.slice(0, EVENT_TYPES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * The messages that the service itself publishes, by eventType, with their payloads. Times are ISO 8601 UTC. The messages are on the
 * environment's system channel, which takes subscriptions like any other, and begin workflows. That channel's own subscriptions and
 * deliveries cause no events. A run that an event has begun may cause another one; such a chain ends as chains of runs do.
 */
export type ServiceEvents = {
  /** A 410 (`gone`), or five days of nothing but failures (`failing`): its deliveries queue until it is resumed. */
  'subscription.disabled': {
    subscriptionId: string;
    channelId: string;
    reason: 'gone' | 'failing';
    failingSince: string;
  };
  /** None of its signing secrets can be opened: its deliveries wait until it is rotated. Sent once until that is mended. */
  'subscription.secret_unreadable': { subscriptionId: string; channelId: string; since: string };
  /** Its endpoint fails: no try until `nextProbeAt`. Sent once, not again when a probe fails. */
  'circuit.opened': { subscriptionId: string; channelId: string; openedAt: string; nextProbeAt: string };
  /** A probe was delivered: waiting deliveries are being sent. */
  'circuit.closed': { subscriptionId: string; channelId: string; closedAt: string };
  /** A delivery has become a dead letter, whatever the reason. */
  'delivery.exhausted': {
    subscriptionId: string;
    channelId: string;
    deliveryId: string;
    messageId: string;
    deadLetterId: string;
    reason: DeadLetterReason;
    attempts: number;
  };
  /** A run of a workflow has failed and become a dead letter. `stepId` is null where no step of it is to blame. */
  'run.failed': {
    workflowId: string;
    runId: string;
    stepId: string | null;
    deadLetterId: string;
    reason: DeadLetterReason;
    attempts: number;
  };
  /** Sent once until the backlog has gone down again (BACKLOG_HIGH). `waiting` is counted up to 1,001. */
  'backlog.high': { subscriptionId: string; channelId: string; waiting: number; oldestDueAt: string };
};

export type ServiceEventType = keyof ServiceEvents;

/**
 * A backlog is high above `waiting` deliveries that are due, or when the oldest has been for `ageSeconds`; it is over below both of
 * `low`.
 */
export const BACKLOG_HIGH = { waiting: 1_000, ageSeconds: 300, low: { waiting: 500, ageSeconds: 60 } } as const;

/** Days of nothing but failures after which a subscription is disabled. */
export const FAILING_DAYS = 5;

export const SYSTEM_CHANNEL_NAME = 'posthorn.system';

/** The environment's system channel: its id is the environment's with another prefix, so that there is one and it needs no look-up. */
export const systemChannelId = (environmentId: string): string =>
  ID_PREFIXES.channel + environmentId.slice(ID_PREFIXES.environment.length);
