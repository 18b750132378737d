import { lowestIdAt } from '../values/ids.ts';

/*
 * Bounds of fields that a resource may be given itself, or have from its app. The defaults hold where neither says anything.
 */

/** Days for which a channel keeps its messages. */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;

/** Total time of one attempt, in ms. */
export const TIMEOUT_MS = { min: 1_000, max: 30_000, default: 15_000 } as const;

/** Deliveries answered so slowly have an index of their own, which names this number. */
export const SLOW_MS = 1_000;

/** A subscription's maxConcurrency, requests at a time. */
export const CONCURRENCY = { min: 1, max: 1_000 } as const;

/**
 * Requests in flight to a subscription without maxConcurrency, over all workers: the beginning, and the bounds of growing and
 * shrinking.
 */
export const ADAPTIVE_CONCURRENCY = { start: 20, least: 2, most: 1_000 } as const;

/** A subscription's rateLimit: tries per second. None is set by default. */
export const RATE_LIMIT = { min: 1, max: 10_000 } as const;

const DAY_MS = 86_400_000;

/**
 * The limits of retention at `now`: at index d − 1, for d of 1 to 365 days, the lowest id that a message of a channel with
 * `retentionDays` d keeps, or a run of an app with it. Every lower message has expired, and every lower run that ended soon enough.
 */
export const retentionLimits = (now: Date, kind: 'message' | 'run' = 'message'): string[] =>
  Array.from({ length: RETENTION_DAYS.max }, (_, index) =>
    lowestIdAt(kind, new Date(now.getTime() - (index + 1) * DAY_MS)),
  );
