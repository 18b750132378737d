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

/** Origins whose idle connections are kept. */
const MAX_ORIGINS = 1_000;
export type WebhookRequest = {
  url: string;
  /** content-type, webhook-* and the subscription's own. Headers that the sender sets are ignored here. */
  headers: Readonly<Record<string, string>>;
  /** Sent as it is, with its exact content-length. */
  body: Buffer;
  /** When the attempt begins, for a request whose headers say it. Default: now. */
  startedAt?: Date;
  /** The owner of the request, a subscription's id: groups never wait for each other's places. Default: all are one group. */
  group?: string;
  /** Total time in ms: waiting for a free connection, DNS, TCP, TLS, request, answer. */
  timeoutMs: number;
};

/** `latencyMs`: from the call of `post` to the end of the answer's headers, whole ms. `body`: at most 16 KiB of text. */
type WebhookResponse = { status: number; headers: Record<string, string>; body: string; latencyMs: number };

export type SendResult = {
  startedAt: Date;
  /** Length of the whole attempt, whole ms, the reading of the body included. */
  durationMs: number;
  isDelivered: boolean;
  /** Present once the answer's headers were complete, whatever its status. */
  response?: WebhookResponse;
  /** Present exactly when the request was not delivered. */
  error?: AttemptError;
  /** Time of the receiver: ms from the open connection to the end of the answer's headers. Present with `response`. */
  answeredAfterMs?: number;
  /** The wait that a 429 or 503 asks for, in ms from the end of the attempt. */
  retryAfterMs?: number;
};

export type WebhookSender = {
  post(request: WebhookRequest): Promise<SendResult>;
  gauge(): ConnectionsGauge;
  /** Refuses new requests, and resolves when those under way have ended, each at its deadline at the latest. */
  close(): Promise<void>;
};

export type WebhookSenderOptions = {
  guard: AddressGuard;
  /** Posthorn's own, for `user-agent: posthorn/<version>`. */
  version: string;
  /** Default: the most that a subscription may have, 1,000. Its limits are kept before this; here is the last wall. */
  connectionsPerGroup?: number;
  /** Default 1,000. */
  maxOrigins?: number;
  /** Connections beyond which idle ones are closed. Default: no bound. */
  maxConnections?: number;
  /** Proves to the address of inspectors whose request it is. Absent: these requests are anybody's. */
  proofs?: Pick<SenderProofs, 'of'>;
  /** Default: the machine's. */
  clock?: () => Date;
};

type Destination = { connections: ConnectionPool; origin: string; path: string; isInspector?: boolean };

const GIVEN_UP = new Error('given up');

/**
 * Sends webhooks: HTTP/1.1 POST through the guard's connector, on kept connections, at most `connectionsPerGroup` at a time
 * per origin and group. `post` never rejects for anything a receiver, its network or its name server does; it rejects after `close`.
 *
 * A delivered request is answered 2xx with complete headers before the deadline. Its body may then be cut, drip or never end: the
 * receiver has taken the message, and sending it again would double it. A 3xx is a failure and is not followed. The body is read to 64
 * KiB, kept to 16 KiB, never decoded. A request is written at most once per `post`: when a kept connection is closed in the very
 * moment of its reuse, the attempt fails with class `connect`, because nobody can tell whether the receiver has read it.
 *
 * Not protected against: a receiver that answers 2xx and forgets. Two calls are two requests: receivers must tell repeated messages by
 * their webhook-id.
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
  // Apart from all others: a connection to the API of this service is for inspectors alone.
  const connectionsToInspectors = connectionsBy(guard.connectInspector);

  /** Rejects when no complete headers came in time. `start` is that of the attempt, by `performance.now()`. */
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
      deadline.onEnd('no complete answer came', taken.destroy);
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
      // Does nothing after a whole answer. After any other end nobody knows what is still on its way on this connection.
      lease?.destroy(GIVEN_UP);
    }
  }

  /** Inspectors are own addresses, so that only a refused URL can be one. */
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

/** Meaning of an answer (RFC 9110 §10.2.3 for the wait). */
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
