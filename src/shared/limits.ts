/** A subscription's maxConcurrency, requests at a time. `default` is what holds where none is set. */
export const CONCURRENCY = { min: 1, max: 100, default: 20 } as const;

/** A subscription's rateLimit, deliveries (tries, that is) per second. None is set by default. */
export const RATE_LIMIT = { min: 1, max: 10_000 } as const;
