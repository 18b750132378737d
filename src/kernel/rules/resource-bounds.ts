import { lowestIdAt } from '../values/ids.ts';

/** Bounds of fields that can be set on a resource or on its app. The defaults apply if neither sets them. */

/** Days for which a channel keeps its messages. */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;

/** Total time of one attempt, in ms. */
export const TIMEOUT_MS = { min: 1_000, max: 30_000, default: 15_000 } as const;

/** Deliveries with slower responses have their own index, whose definition contains this number. */
export const SLOW_MS = 1_000;

/** A subscription's maxConcurrency, in concurrent requests. */
export const CONCURRENCY = { min: 1, max: 1_000 } as const;

/**
 * Concurrent requests to a subscription without maxConcurrency, over all workers: the start value, and the bounds of the adaptive
 * limit.
 */
export const ADAPTIVE_CONCURRENCY = { start: 20, least: 2, most: 1_000 } as const;

/** A subscription's rateLimit, in attempts per second. Not set by default. */
export const RATE_LIMIT = { min: 1, max: 10_000 } as const;

const DAY_MS = 86_400_000;

/**
 * The limits of retention at `now`: at index d − 1, for d from 1 to 365 days, the lowest id of a message that a channel with
 * `retentionDays` d keeps, or of a run of an app with that value. All messages with lower ids have expired, and so have runs with lower
 * ids that ended early enough.
 */
export const retentionLimits = (now: Date, kind: 'message' | 'run' = 'message'): string[] =>
  Array.from({ length: RETENTION_DAYS.max }, (_, index) =>
    lowestIdAt(kind, new Date(now.getTime() - (index + 1) * DAY_MS)),
  );
