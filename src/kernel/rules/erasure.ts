/** Data of a delivery may be used for this long, ms; then it is read again before its request is made. */
export const READ_AGAIN_AFTER_MS = 1_000;

// Longest time from that check of age to the first byte of the request: a probe's query may lie between.
const MARGIN_MS = 250;

/** For how many ms from now some process may still begin a request with a payload that was erased `agoMs` ms ago; 0 once none can. */
export const mayBeSentForMs = (agoMs: number): number => Math.max(0, READ_AGAIN_AFTER_MS + MARGIN_MS - agoMs);
