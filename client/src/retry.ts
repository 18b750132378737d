import { AnswerError, ApiError, ConnectionError } from './errors.ts';

/** Whether a request can be sent again without being done twice. */
export type Repeatable = {
  /** The service does it once however often it comes: a GET, or a POST with an idempotency key. */
  isRepeatable: boolean;
  /** An idempotency key goes with it. */
  isKeyed: boolean;
};

/** First delay in ms; each further one is twice as long. */
const FIRST_DELAY_MS = 500;
/** No delay is longer, unless the service asks for it. */
const MAX_DELAY_MS = 20_000;
/** Answers of the service, or of a proxy before it, that mean: not now. */
const NOT_NOW: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Whether another try can help and can do no harm. A 408 or 429 is refused before anything is done, so every request may come again. After
 * a lost answer or a 5xx only one that is done once may. CONFLICT with a delay says that the first try under the same key still runs.
 */
export function isWorthAnotherTry(failure: unknown, { isRepeatable, isKeyed }: Repeatable): boolean {
  if (failure instanceof ConnectionError) return isRepeatable;
  if (!(failure instanceof ApiError || failure instanceof AnswerError)) return false;
  if (failure.status === 429 || failure.status === 408) return true;
  if (failure.status === 409) return isKeyed && failure.retryAfter !== undefined;
  return isRepeatable && NOT_NOW.has(failure.status);
}

/**
 * Milliseconds before the next try; `tries` is the number of those made. Half of it is chance, so that callers who failed together
 * do not come again together. At least as long as the service asks for.
 */
export function delayBefore(tries: number, failure: unknown, chance: number): number {
  const exponential = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + chance / 2);
  const asked = failure instanceof ApiError || failure instanceof AnswerError ? failure.retryAfter : undefined;
  return asked === undefined ? exponential : asked * 1_000 + exponential * 0.5;
}
