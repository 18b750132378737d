import { AnswerError, ApiError, ConnectionError } from './errors.ts';

/** Whether a request can be repeated without being processed twice. */
export type Repeatable = {
  /** The service processes it once however often it arrives: a GET, or a POST with an idempotency key. */
  isRepeatable: boolean;
  /** The request has an idempotency key. */
  isKeyed: boolean;
};

/** First delay in ms; each further one is twice as long. */
const FIRST_DELAY_MS = 500;
/** Maximum delay, unless the service asks for a longer one. */
const MAX_DELAY_MS = 20_000;
/** Statuses, of the service or a proxy in front of it, that mean that it is temporarily unavailable. */
const NOT_NOW: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Whether a retry can help and is safe. With 408 and 429 nothing was processed, so every request can be repeated. After
 * a lost response or a 5xx only repeatable requests can. CONFLICT with a delay means that the first attempt with the
 * same key is still running.
 */
export function isWorthRetrying(failure: unknown, { isRepeatable, isKeyed }: Repeatable): boolean {
  if (failure instanceof ConnectionError) return isRepeatable;
  if (!(failure instanceof ApiError || failure instanceof AnswerError)) return false;
  if (failure.status === 429 || failure.status === 408) return true;
  if (failure.status === 409) return isKeyed && failure.retryAfter !== undefined;
  return isRepeatable && NOT_NOW.has(failure.status);
}

/**
 * Returns the milliseconds before the next attempt; `tries` is the number of attempts so far. Half of it is random, so
 * that clients that failed together do not retry together. At least as long as the service asks for.
 */
export function delayBefore(tries: number, failure: unknown, chance: number): number {
  const exponential = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + chance / 2);
  const asked = failure instanceof ApiError || failure instanceof AnswerError ? failure.retryAfter : undefined;
  return asked === undefined ? exponential : asked * 1_000 + exponential * 0.5;
}
