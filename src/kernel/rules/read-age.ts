/** Data of a delivery may be used for this long, ms; then it is read again before its request is made. */
export const READ_AGAIN_AFTER_MS = 1_000;
