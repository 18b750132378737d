import type { Credentials, SessionPlace } from './credentials/credentials.ts';

export type RetryOptions = {
  /** Tries after the first one, default 4. 0 makes every request once. */
  max?: number;
  /** No further try begins so many milliseconds after the first one, default 60,000. */
  withinMs?: number;
};

export type PosthornOptions = {
  /** Address of the service, such as `https://posthorn.example.com`. */
  baseUrl: string;
  /** Without credentials only endpoints for anyone can be called. */
  credentials?: Credentials;
  /** Milliseconds for one try, from sending to the end of the answer. Default 30,000. */
  timeoutMs?: number;
  retries?: RetryOptions;
  /** Default: that of the platform. */
  fetch?: typeof fetch;
};

/** Options of one request, over those of the client. */
export type RequestOptions = {
  /** Ends the request, its retries included. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: RetryOptions;
  /** Default: made for each call of a POST that takes one, and the same over its retries. 1–255 visible ASCII characters. */
  idempotencyKey?: string;
  /** Further headers, such as `traceparent`. */
  headers?: Readonly<Record<string, string>>;
  /** Where a session acts in this request. */
  place?: SessionPlace;
};

export type StreamOptions = Pick<RequestOptions, 'signal' | 'headers' | 'place' | 'timeoutMs' | 'retries'> & {
  /** Goes on behind the event with this id. */
  lastEventId?: string;
};

/** Longest time that a timer can be set for. A longer one would end at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const RETRY_FORM = 'retries must be { max, withinMs }, such as { max: 0 } for none';

/** Throws TypeError for times and retries that would be taken for something else, or for nothing. JavaScript lets anything through. */
export function checkOptions({ timeoutMs, retries }: { timeoutMs?: unknown; retries?: unknown }): void {
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    throw new TypeError(`timeoutMs must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}, or Infinity`);
  if (retries === undefined) return;
  if (typeof retries !== 'object' || retries === null || Array.isArray(retries)) throw new TypeError(RETRY_FORM);
  for (const [name, value] of Object.entries(retries) as [string, unknown][]) {
    if (name !== 'max' && name !== 'withinMs') throw new TypeError(`${RETRY_FORM}, and has ${name}`);
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new TypeError(`retries.${name} must be a number from 0, or Infinity`);
  }
}

const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && (value <= MAX_TIMEOUT_MS || value === Number.POSITIVE_INFINITY);
