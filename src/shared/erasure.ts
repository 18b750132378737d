/** What has been read of a delivery is good for this long, ms; after that it is read again before its request is made. */
export const READ_STALE_AFTER_MS = 1_000;

// From the look at that age to the first byte of the request: a probe's query may lie between.
const MARGIN_MS = 250;

/**
 * How long, ms, some process may still begin a request with a payload that it read before the payload was erased `agoMs` ms
 * ago; 0 once none can.
 */
export const mayBeSentForMs = (agoMs: number): number => Math.max(0, READ_STALE_AFTER_MS + MARGIN_MS - agoMs);
