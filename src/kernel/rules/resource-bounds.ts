/*
 * Bounds of fields that a resource may be given itself, or have from its app. The defaults hold where neither says anything.
 */

/** Days for which a channel keeps its messages. */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;

/** Total time of one attempt, in ms. */
export const TIMEOUT_MS = { min: 1_000, max: 30_000, default: 15_000 } as const;

/** Deliveries answered so slowly have an index of their own, which names this number. */
export const SLOW_MS = 1_000;
