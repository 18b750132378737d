import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RateHeaders } from '../../platform/rate-limits/limiter.ts';
import { ApiError, type ErrorCode } from '../../kernel/errors.ts';
import { ANSWER_HEADERS } from './answers/answer.ts';
import { toEnvelope } from './answers/error-envelope.ts';
import { newRequestId } from './observing.ts';

/** 10 s for the headers and 30 s for the whole request: with Node's 60 and 300 s, a slow caller could hold a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How late Node may notice either timeout; its own default is 30 s. */
const CHECKING_INTERVAL_MS = 5_000;
const MAX_HEADER_SIZE = 16 * 1024;
/** Longer than the 60 s after which load balancers close an idle connection, so that they close it and we do not. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** When a shutdown begins, connections that wait in the listener's backlog are still accepted for this many turns of the event loop. */
const ACCEPTING_TURNS = 10;
/** How long a connection that has sent nothing yet may still do so when a shutdown begins: its request may be on its way. */
const SILENT_PATIENCE_MS = 1_000;
/**
 * When a shutdown begins, idle connections stay open until there has been no request for this long: a proxy may just have sent a
 * request on one, and may not repeat a POST. Proxies that keep sending are told by `Connection: close` on each response, and by their
 * health checks.
 */
const QUIET_MS = 500;
/** Idle connections of callers who keep sending requests are closed after this time. */
const IDLE_PATIENCE_MS = 5_000;
/** A shutdown ends after this time in any case; orchestrators kill after 30 s. */
const DRAIN_TIMEOUT_MS = 25_000;
/** A caller whose request could not be parsed has this long to read the response. */
const LINGER_MS = 1_000;

export type HttpServer = {
  port: number;
  /** Stops accepting, ends streams, completes requests in flight and closes, within 25 s. */
  drain(): Promise<void>;
};

const TELL_EVERY_MS = 60_000;
/**
 * Requests of one connection that may wait for their responses (RFC 9112 §9.3.2). Node parses everything in one read of 64 KiB in one
 * turn of the event loop: 2,200 requests on each of 50 connections blocked the process for 5.5 s. Browsers and HTTP clients send one at
 * a time.
 */
const MAX_PIPELINED = 16;

export type ListenOptions = {
  port: number;
  host?: string;
  /** Maximum number of connections; further ones are closed before a byte is read. Default: unlimited. */
  maxConnections?: number;
  /** Called when connections were closed for that reason, at most once a minute. */
  onTooMany?: () => void;
};

/**
 * The app behind a server. `countBroken` counts a request that Node could not parse, which is answered here. `endStreams` ends all open
 * streams when a shutdown begins.
 */
export type ServedApp = {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  countBroken(address: string): Promise<RateHeaders>;
  endStreams(): void;
};

/** Serves the app. Port 0 picks a free port. Rejects if the port is in use. */
export async function startHttpServer(
  app: ServedApp,
  { port, host, maxConnections, onTooMany }: ListenOptions,
): Promise<HttpServer> {
  const handle = app.callback();
  const inFlight = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  let isDraining = false;
  let idleMayStay = true;
  let askedAt = Number.NEGATIVE_INFINITY;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (isPipelinedTooFar(request.socket)) return;
    inFlight.add(response);
    askedAt = performance.now();
    latest.set(request.socket, { request, response });
    if (isDraining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      inFlight.delete(response);
      unanswered.set(request.socket, (unanswered.get(request.socket) ?? 1) - 1);
      if (!idleMayStay) server.closeIdleConnections();
    });
    void handle(request, response);
  };

  /** Counts the request; closes a connection that has more unanswered requests than any real client sends. */
  const isPipelinedTooFar = (socket: Socket): boolean => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count <= MAX_PIPELINED) return false;
    dropFurtherRequests(socket);
    socket.destroy();
    return true;
  };

  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_SIZE,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Node's response to a missing Host has no body; match-route.ts handles it instead.
      requireHostHeader: false,
    },
    answer,
  );
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  // With several processes, such a connection would otherwise be passed on to the next one, and circulate forever if all are full.
  Object.assign(server, { dropMaxConnection: true });
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    onTooMany?.();
  });
  // Node would answer an unknown Expect with a bare 417; RFC 9110 §10.1.1 allows us to ignore it.
  server.on('checkExpectation', answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const exchange = latest.get(socket);
    // The request was rejected before its body was read, and the rest of the body is malformed: a second response would be taken for
    // that of the next request.
    const isAnswered = exchange !== undefined && exchange.response.headersSent && !exchange.request.complete;
    if (isAnswered || !socket.writable || GONE.has(error.code ?? '')) socket.destroy();
    else void answerBroken(app, error, socket);
  });
  await listen(server, port, host);

  return {
    port: boundPort(server),
    async drain() {
      isDraining = true;
      app.endStreams();
      // Accept the connections that the kernel has already accepted: closing the listener would reset them.
      for (let turn = 0; turn < ACCEPTING_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      // The close of Node's HTTP server would end idle connections at once.
      const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
      for (const response of inFlight) if (!response.headersSent) response.setHeader('Connection', 'close');
      // Node counts a connection that has sent nothing yet as active until headersTimeout. Its request may be on its way.
      const silent = setTimeout(() => {
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, SILENT_PATIENCE_MS);
      const begunAt = performance.now();
      const closeIdle = (): void => {
        const now = performance.now();
        const waitMs = Math.min(Math.max(askedAt, begunAt) + QUIET_MS, begunAt + IDLE_PATIENCE_MS) - now;
        if (waitMs > 0) {
          // After a stall of this process, read first what has arrived meanwhile.
          idle = setTimeout(() => setImmediate(closeIdle), waitMs);
          return;
        }
        idleMayStay = false;
        // Also stops Node's check for late requests; the server no longer listens.
        server.close();
      };
      let idle: NodeJS.Timeout | undefined;
      closeIdle();
      const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
      await closed;
      clearTimeout(idle);
      clearTimeout(deadline);
      clearTimeout(silent);
    },
  };
}

/**
 * Makes Node's parser skip all further requests of a connection. The parser continues to the end of what it has read, even when the
 * connection is destroyed: each request became objects, and an error with its stack when the connection closed, 20 ms for 64 KiB.
 * Skipping them takes 4 ms.
 */
function dropFurtherRequests(socket: Socket): void {
  // `as`: Node's types omit the parser that its HTTP server attaches to each socket.
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  // 0: the request has a body if its headers say so.
  if (parser) parser.onIncoming = () => 0;
}

function listen(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function boundPort(server: Server): number {
  // `as`: a server that listens on TCP has no other kind of address.
  return (server.address() as AddressInfo).port;
}

/** The caller has disconnected, in the middle of a request or between two, so nobody would read a response. */
const GONE = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** Responses to bytes that Node could not parse as a request, by its parser's error code. */
const BROKEN: Record<string, { code: ErrorCode; reason: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'HEADERS_TOO_LARGE', reason: `must have at most ${MAX_HEADER_SIZE} bytes of headers` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'PAYLOAD_TOO_LARGE', reason: 'must not have such long chunk extensions' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', reason: 'did not arrive in time' },
};
const MALFORMED = { code: 'INVALID_REQUEST', reason: 'must be valid HTTP' } as const;

/** Node has no response object for a request that it could not parse, so the response is written to the socket directly. */
async function answerBroken(app: ServedApp, error: NodeJS.ErrnoException, socket: Duplex): Promise<void> {
  const { code, reason } = BROKEN[error.code ?? ''] ?? MALFORMED;
  const rateHeaders = await app.countBroken(socket instanceof Socket ? (socket.remoteAddress ?? '') : '');
  const problem = new ApiError(code, `request: ${reason}`, { details: { field: 'request', reason } });
  const body = JSON.stringify(toEnvelope(problem));
  const headers = {
    ...ANSWER_HEADERS,
    ...rateHeaders,
    'X-Request-Id': newRequestId(),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  // Destroying at once would reset the connection while the caller is still sending, and the response would be lost.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
