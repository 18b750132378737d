import type { Credentials, SessionPlace } from './credentials/credentials.ts';

export type RetryOptions = {
  /** Maximum number of retries. Default 4; 0 disables retries. */
  max?: number;
  /** No retry starts later than this many milliseconds after the first attempt. Default 60,000. */
  withinMs?: number;
};

export type PosthornOptions = {
  /** Address of the service, such as `https://posthorn.example.com`. */
  baseUrl: string;
  /** Without credentials only public endpoints can be called. */
  credentials?: Credentials;
  /** Milliseconds for one attempt, from sending to the end of the response. Default 30,000. */
  timeoutMs?: number;
  retries?: RetryOptions;
  /** Default: the platform's fetch. */
  fetch?: typeof fetch;
};

/** Options of one request; they override those of the client. */
export type RequestOptions = {
  /** Ends the request, including its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: RetryOptions;
  /**
   * Idempotency key, 1–255 visible ASCII characters. By default every POST that accepts one gets a new key, which is
   * the same for its retries.
   */
  idempotencyKey?: string;
  /** Additional headers, such as `traceparent`. */
  headers?: Readonly<Record<string, string>>;
  /** The organisation, app and environment that a session acts in for this request. */
  place?: SessionPlace;
};

export type StreamOptions = Pick<RequestOptions, 'signal' | 'headers' | 'place' | 'timeoutMs' | 'retries'> & {
  /** Resumes after the event with this id. */
  lastEventId?: string;
};

/** Longest time that a timer supports. A longer one would fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const RETRY_FORM = 'retries must be { max, withinMs }, such as { max: 0 } for none';

/** Throws TypeError for timeouts and retries that are not valid, because JavaScript callers can pass anything. */
export function checkOptions({ timeoutMs, retries }: { timeoutMs?: unknown; retries?: unknown }): void {
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    throw new TypeError(`timeoutMs must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}, or Infinity`);
  if (retries === undefined) return;
  if (typeof retries !== 'object' || retries === null || Array.isArray(retries)) throw new TypeError(RETRY_FORM);
  for (const [name, value] of Object.entries(retries) as [string, unknown][]) {
    if (name !== 'max' && name !== 'withinMs') throw new TypeError(`${RETRY_FORM}; ${name} is not an option`);
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new TypeError(`retries.${name} must be a number of at least 0, or Infinity`);
  }
}

const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && (value <= MAX_TIMEOUT_MS || value === Number.POSITIVE_INFINITY);
