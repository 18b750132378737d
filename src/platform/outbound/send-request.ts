import { isAscii } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { AddressGuard } from './guard/address-guard.ts';
import { createConnectionPool, type Lease, SenderClosedError, startDeadline } from './exchange/connections.ts';
import { type AttemptError, classifyError } from './exchange/error-class.ts';
import { exchange } from './exchange/exchange.ts';
import { requestHeaders } from './headers.ts';
import { headerRecord, parseRetryAfter } from './exchange/response-content.ts';

/** Number of origins whose idle connections are kept, and concurrent requests to one of them. */
const MAX_ORIGINS = 1_000;
const PER_ORIGIN = 100;

const GIVEN_UP = new Error('given up');

type OutgoingRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer;
  /** Who sends: hanging requests of one sender take no slots at the origin from others. By default, requests without a sender share one. */
  sender?: string;
  /** Total time in ms: waiting for a free connection, DNS, TCP, TLS, request, response and its body. */
  timeoutMs: number;
  /** How much of the body is read. */
  maxBytes: number;
};

/**
 * A response with complete headers, whatever its status. `isCut`: the body is longer than what was read. `isBroken`: it broke off
 * earlier.
 */
export type RequestResult = {
  status: number;
  headers: Record<string, string>;
  body: string;
  isCut: boolean;
  isBroken: boolean;
  latencyMs: number;
  /** The wait that a 429 or 503 requests, in ms. */
  retryAfterMs: number | undefined;
};

/**
 * Why there was no response. `invalid_url`: regardless of its address, the text is not a URL that a request can be sent to; nothing was
 * sent.
 */
export type RequestError = AttemptError | { class: 'invalid_url'; message: string };

export type RequestSender = {
  /** Returns `error` if complete headers did not arrive. Rejects only after `close`. */
  send(request: OutgoingRequest): Promise<RequestResult | { error: RequestError }>;
  close(): Promise<void>;
};

/** `clock` is for dates in `Retry-After`. */
type RequestSenderOptions = { guard: AddressGuard; version: string; clock: () => Date };

/**
 * Sends requests of workflows under the rules of webhooks: HTTP/1.1 through the guard's connector, a single attempt, no redirects
 * followed, nothing decoded. Unlike webhooks, it allows any method, and returns the response body.
 */
export function createRequestSender({ guard, version, clock }: RequestSenderOptions): RequestSender {
  const userAgent = `posthorn/${version}`;
  const connections = createConnectionPool({
    connect: guard.connect,
    perGroup: PER_ORIGIN,
    maxOrigins: MAX_ORIGINS,
    maxConnections: Number.POSITIVE_INFINITY,
  });

  const exchanged = async (
    target: { origin: string; path: string },
    request: OutgoingRequest,
  ): Promise<RequestResult> => {
    const start = performance.now();
    const deadline = startDeadline(request.timeoutMs);
    let lease: Lease | undefined;
    try {
      const free = connections.acquire(target.origin, request.sender ?? '', deadline);
      const taken = free instanceof Promise ? await free : free;
      lease = taken;
      deadline.onEnd('no complete response arrived', taken.destroy);
      const answer = await exchange(taken, {
        // `as`: undici rejects an invalid method, and the schema of definitions has a list.
        method: request.method as Dispatcher.HttpMethod,
        path: target.path,
        headers: requestHeaders(request.headers, userAgent),
        body: request.body ?? null,
        readBytes: request.maxBytes,
      });
      if (answer.isWhole) taken.release();
      const { status } = answer;
      const headers = headerRecord(answer.headers);
      return {
        status,
        headers,
        body: textOf(answer.body),
        isCut: !answer.isWhole && answer.body.length >= request.maxBytes,
        isBroken: !answer.isWhole && answer.body.length < request.maxBytes,
        latencyMs: Math.round(answer.at - start),
        retryAfterMs:
          status === 429 || status === 503 ? parseRetryAfter(headers['retry-after'] ?? '', clock()) : undefined,
      };
    } finally {
      deadline.stop();
      // Does nothing after a complete response.
      lease?.destroy(GIVEN_UP);
    }
  };

  return {
    async send(request) {
      // Checked for each request: the rules may have become stricter since the definition was saved.
      const target = guard.readTarget(request.url);
      if ('problem' in target) {
        const { problem, isForm } = target;
        return { error: { class: isForm ? 'invalid_url' : 'blocked_address', message: `the URL ${problem}` } };
      }
      try {
        return await exchanged(target, request);
      } catch (error) {
        if (error instanceof SenderClosedError) throw error;
        return { error: classifyError(error) };
      }
    },
    close: () => connections.close(),
  };
}

/** UTF-8, with U+FFFD for invalid bytes and for NUL, which PostgreSQL cannot store. */
const textOf = (bytes: Buffer): string =>
  isAscii(bytes) && !bytes.includes(0)
    ? bytes.toString('latin1')
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\0', '\uFFFD');
