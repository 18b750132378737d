import type { AddressGuard } from './guard/address-guard.ts';
import {
  type ConnectionPool,
  type ConnectionsGauge,
  createConnectionPool,
  type Lease,
  SenderClosedError,
  startDeadline,
} from './exchange/connections.ts';
import { type AttemptError, classifyError } from './exchange/error-class.ts';
import { exchange } from './exchange/exchange.ts';
import { requestHeaders } from './headers.ts';
import { bodyText, headerRecord, parseRetryAfter } from './exchange/response-content.ts';
import { SENDER_HEADER, type SenderProofs } from './sign.ts';
import { CONCURRENCY } from '../../kernel/rules/resource-bounds.ts';

/** Number of origins whose idle connections are kept. */
const MAX_ORIGINS = 1_000;
export type WebhookRequest = {
  url: string;
  /** content-type, webhook-* and the subscription's own. Headers that the sender itself sets are ignored here. */
  headers: Readonly<Record<string, string>>;
  /** Sent unchanged, with its exact content-length. */
  body: Buffer;
  /** When the attempt starts, for a request whose headers contain it. Default: now. */
  startedAt?: Date;
  /** Owner of the request (a subscription's id): groups never wait for each other's slots. By default all requests are one group. */
  group?: string;
  /** Total time in ms: waiting for a free connection, DNS, TCP, TLS, request, response. */
  timeoutMs: number;
};

/** `latencyMs`: from the call of `post` to the end of the response headers, in whole ms. `body`: up to 16 KiB of text. */
type WebhookResponse = { status: number; headers: Record<string, string>; body: string; latencyMs: number };

export type SendResult = {
  startedAt: Date;
  /** Duration of the whole attempt in whole ms, including reading the body. */
  durationMs: number;
  isDelivered: boolean;
  /** Present once the response headers were complete, whatever the status. */
  response?: WebhookResponse;
  /** Present if, and only if, the request was not delivered. */
  error?: AttemptError;
  /** The receiver's time: ms from the open connection to the end of the response headers. Present with `response`. */
  answeredAfterMs?: number;
  /** The wait that a 429 or 503 requests, in ms from the end of the attempt. */
  retryAfterMs?: number;
};

export type WebhookSender = {
  post(request: WebhookRequest): Promise<SendResult>;
  gauge(): ConnectionsGauge;
  /** Rejects new requests, and resolves when those in progress have ended, each by its deadline. */
  close(): Promise<void>;
};

export type WebhookSenderOptions = {
  guard: AddressGuard;
  /** Posthorn's own, for `user-agent: posthorn/<version>`. */
  version: string;
  /** Default: the maximum for a subscription, 1,000. Its limits are enforced earlier; this is the last safeguard. */
  connectionsPerGroup?: number;
  /** Default 1,000. */
  maxOrigins?: number;
  /** Number of connections beyond which idle ones are closed. Default: unlimited. */
  maxConnections?: number;
  /** Proves to inspectors which subscription a request is from. If absent, such requests are anonymous. */
  proofs?: Pick<SenderProofs, 'of'>;
  /** Default: the machine's clock. */
  clock?: () => Date;
};

type Destination = { connections: ConnectionPool; origin: string; path: string; isInspector?: boolean };

const GIVEN_UP = new Error('given up');

/**
 * Sends webhooks: HTTP/1.1 POST through the guard's connector, on kept-alive connections, up to `connectionsPerGroup` at a time per
 * origin and group. `post` never rejects because of a receiver, its network or its name server; it rejects after `close`.
 *
 * A request is delivered once a 2xx with complete headers arrives before the deadline. The body may then be cut off, trickle or never
 * end: the receiver has accepted the message, and sending it again would duplicate it. A 3xx is a failure; redirects are not followed.
 * The body is read up to 64 KiB, kept up to 16 KiB and never decompressed. Each `post` writes the request at most once: if a kept-alive
 * connection closes just as it is reused, the attempt fails with class `connect`, because there is no way to know whether the receiver
 * read it.
 *
 * Does not protect against a receiver that responds 2xx and forgets. Two calls are two requests: receivers must recognise repeated
 * messages by their webhook-id.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { guard, clock = () => new Date() } = options;
  const userAgent = `posthorn/${options.version}`;
  const connectionsBy = (connect: AddressGuard['connect']): ConnectionPool =>
    createConnectionPool({
      connect,
      perGroup: options.connectionsPerGroup ?? CONCURRENCY.max,
      maxOrigins: options.maxOrigins ?? MAX_ORIGINS,
      maxConnections: options.maxConnections ?? Number.POSITIVE_INFINITY,
    });
  const connectionsElsewhere = connectionsBy(guard.connect);
  // Separate from all others, because only inspectors may use a connection to the API of this service.
  const connectionsToInspectors = connectionsBy(guard.connectInspector);

  /** Rejects if complete headers did not arrive in time. `start` is the start of the attempt, by `performance.now()`. */
  async function answerTo(
    { connections, origin, path, isInspector = false }: Destination,
    request: WebhookRequest,
    start: number,
  ): Promise<{ response: WebhookResponse; answeredAfterMs: number }> {
    const deadline = startDeadline(request.timeoutMs);
    let lease: Lease | undefined;
    try {
      const free = connections.acquire(origin, request.group ?? '', deadline);
      const taken = free instanceof Promise ? await free : free;
      lease = taken;
      deadline.onEnd('no complete response arrived', taken.destroy);
      const beganAt = performance.now();
      const headers = requestHeaders(request.headers, userAgent);
      if (isInspector && options.proofs !== undefined)
        headers.push(SENDER_HEADER, options.proofs.of(request.group ?? ''));
      const answer = await exchange(taken, { path, headers, body: request.body });
      if (answer.isWhole) taken.release();
      return {
        response: {
          status: answer.status,
          headers: headerRecord(answer.headers),
          body: bodyText(answer.body),
          latencyMs: Math.round(answer.at - start),
        },
        answeredAfterMs: answer.at - Math.max(beganAt, answer.openedAt),
      };
    } finally {
      deadline.stop();
      // Does nothing after a complete response. After any other end, it is unknown what is still in transit on this connection.
      lease?.destroy(GIVEN_UP);
    }
  }

  /** Inspectors are own addresses, so only a blocked URL can be one. */
  function whereTo(url: string): Destination | { problem: string } {
    const target = guard.readTarget(url);
    if (!('problem' in target)) return { ...target, connections: connectionsElsewhere };
    const inspector = guard.readInspector(url);
    return inspector === undefined ? target : { ...inspector, connections: connectionsToInspectors, isInspector: true };
  }

  return {
    async post(request) {
      const startedAt = request.startedAt ?? clock();
      const start = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - start);
      // Checked on every attempt: the rules may have become stricter since the subscription was saved.
      const target = whereTo(request.url);
      if ('problem' in target) {
        const error = { class: 'blocked_address', message: `the webhook URL ${target.problem}` } as const;
        return { startedAt, durationMs: elapsedMs(), isDelivered: false, error };
      }
      try {
        const { response, answeredAfterMs } = await answerTo(target, request, start);
        return { startedAt, durationMs: elapsedMs(), ...meaningOf(response, clock), answeredAfterMs };
      } catch (error) {
        if (error instanceof SenderClosedError) throw error;
        return { startedAt, durationMs: elapsedMs(), isDelivered: false, error: classifyError(error) };
      }
    },
    gauge() {
      const [elsewhere, inspectors] = [connectionsElsewhere.gauge(), connectionsToInspectors.gauge()];
      return {
        open: elsewhere.open + inspectors.open,
        inUse: elsewhere.inUse + inspectors.inUse,
        origins: elsewhere.origins + inspectors.origins,
      };
    },
    async close() {
      await Promise.all([connectionsElsewhere.close(), connectionsToInspectors.close()]);
    },
  };
}

/** The result of a response (RFC 9110 §10.2.3 for the wait). */
function meaningOf(
  response: WebhookResponse,
  clock: () => Date,
): Pick<SendResult, 'isDelivered' | 'response' | 'error' | 'retryAfterMs'> {
  const { status, headers } = response;
  if (status >= 200 && status <= 299) return { isDelivered: true, response };
  const asksToWait = status === 429 || status === 503;
  const retryAfterMs = asksToWait ? parseRetryAfter(headers['retry-after'] ?? '', clock()) : undefined;
  return {
    isDelivered: false,
    response,
    error: { class: 'status', message: `answered ${status}` },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
