import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RateHeaders } from '../../platform/rate-limits/limiter.ts';
import { ApiError, type ErrorCode } from '../../kernel/errors.ts';
import { ANSWER_HEADERS } from './answers/answer.ts';
import { toEnvelope } from './answers/error-envelope.ts';
import { newRequestId } from './observing.ts';

/** Headers within 10 s and the whole request within 30 s: Node's 60 and 300 s let a slow caller hold a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How late Node may notice either of them; its own default is 30 s. */
const CHECKING_INTERVAL_MS = 5_000;
const MAX_HEADER_SIZE = 16 * 1024;
/** Longer than the 60 s after which load balancers give up an idle connection, so that they and not we close it. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Turns of the event loop in which connections waiting in the listener's backlog are still taken, when a drain begins. */
const ACCEPTING_TURNS = 10;
/** How long a connection that has said nothing may still say it, when a drain begins: its request may be on its way. */
const SILENT_PATIENCE_MS = 1_000;
/**
 * When a drain begins, an idle connection stays until nobody has asked anything for so long: a proxy may just have sent a request on
 * one, and may not repeat a POST. Proxies that go on asking learn by each answer's `Connection: close`, and by their health checks.
 */
const QUIET_MS = 500;
/** Idle connections of callers who go on asking end after this. */
const IDLE_PATIENCE_MS = 5_000;
/** A drain ends after this whatever happens; orchestrators kill after 30 s. */
const DRAIN_TIMEOUT_MS = 25_000;
/** A caller whose request could not be read has this long to take the answer. */
const LINGER_MS = 1_000;

export type HttpServer = {
  port: number;
  /** Stops accepting, ends streams, answers what is in flight and closes, in 25 s at most. */
  drain(): Promise<void>;
};

const TELL_EVERY_MS = 60_000;
/**
 * Requests of one connection that may wait for their responses (RFC 9112 §9.3.2). Node parses all that one read of 64 KiB holds in one
 * turn of the event loop: 2,200 of them on each of 50 connections held the process up for 5.5 s. Browsers and HTTP clients send one at a
 * time.
 */
const MAX_PIPELINED = 16;

export type ListenOptions = {
  port: number;
  host?: string;
  /** Connections at a time; further ones are closed before a byte is read. Default: no bound. */
  maxConnections?: number;
  /** Called when connections have been closed for that, at most once a minute. */
  onTooMany?: () => void;
};

/**
 * The app behind a server. `countBroken` counts a request that Node could not read, which is answered here. `endStreams` ends the
 * open streams for good, when a drain begins.
 */
export type ServedApp = {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  countBroken(address: string): Promise<RateHeaders>;
  endStreams(): void;
};

/** Serves the app. Port 0 takes a free one. Rejects when the port is taken. */
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

  /** Counts the request; closes a connection with more unanswered ones than a client ever sends. */
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
      // Node answers a missing Host by itself and without a body; match-route.ts does it instead.
      requireHostHeader: false,
    },
    answer,
  );
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  // One of several processes would pass such a connection on to the next one. When all are full it would go round for ever.
  Object.assign(server, { dropMaxConnection: true });
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    onTooMany?.();
  });
  // Node would answer an Expect it does not know with a bare 417; RFC 9110 §10.1.1 lets us ignore it.
  server.on('checkExpectation', answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const exchange = latest.get(socket);
    // Refused before its body was read, and the rest of that body is broken: a second answer would be taken for the next one's.
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
      // Connections that the kernel has accepted are taken in first: closing the listener would reset it.
      for (let turn = 0; turn < ACCEPTING_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      // The close of Node's HTTP server would end idle connections at once.
      const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
      for (const response of inFlight) if (!response.headersSent) response.setHeader('Connection', 'close');
      // Node counts a connection that has not said anything yet as active until headersTimeout. Its request may be on its way.
      const silent = setTimeout(() => {
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, SILENT_PATIENCE_MS);
      const begunAt = performance.now();
      const closeIdle = (): void => {
        const now = performance.now();
        const waitMs = Math.min(Math.max(askedAt, begunAt) + QUIET_MS, begunAt + IDLE_PATIENCE_MS) - now;
        if (waitMs > 0) {
          // Behind a stall of this process, what has come meanwhile is read first.
          idle = setTimeout(() => setImmediate(closeIdle), waitMs);
          return;
        }
        idleMayStay = false;
        // Also ends Node's look for late requests; it listens no more.
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
 * Lets Node's parser pass over all further requests of a connection. It goes on to the end of what it has read, also when the connection
 * is destroyed: each request became objects, and an error with its stack when the connection closed, 20 ms for 64 KiB. Dropping them
 * takes 4 ms.
 */
function dropFurtherRequests(socket: Socket): void {
  // `as`: the types of Node leave out the parser that its HTTP server gives each socket.
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  // 0: the request has a body as its head says.
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

/** The caller has hung up, in the middle of a request or between two: nobody reads an answer. */
const GONE = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

/** Answers to bytes that Node could not read as a request, by the code of its parser's error. */
const BROKEN: Record<string, { code: ErrorCode; reason: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'HEADERS_TOO_LARGE', reason: `headers are over ${MAX_HEADER_SIZE} bytes` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'PAYLOAD_TOO_LARGE', reason: 'chunk extensions are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', reason: 'did not arrive in time' },
};
const MALFORMED = { code: 'INVALID_REQUEST', reason: 'is not valid HTTP' } as const;

/** Node has no response object for a request it could not read, so this answer is written by hand. */
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
  // Destroying at once would reset the connection while the caller still sends, and the answer would be lost.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
