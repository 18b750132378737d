/** A subscription's maxConcurrency, requests at a time. */
export const CONCURRENCY = { min: 1, max: 1_000 } as const;

/**
 * Requests in flight to a subscription without maxConcurrency, over all workers: the beginning, and the bounds of growing and
 * shrinking.
 */
export const ADAPTIVE_CONCURRENCY = { start: 20, least: 2, most: 1_000 } as const;

/** A subscription's rateLimit: tries per second. None is set by default. */
export const RATE_LIMIT = { min: 1, max: 10_000 } as const;
