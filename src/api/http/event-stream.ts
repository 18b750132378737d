import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Context } from './route/context.ts';
import { renewAccess } from './access/require-access.ts';

/** The connection of one caller, which a feed writes to. */
export type Sink = {
  /** Sends text. Text that the connection does not accept at once is kept in memory. */
  send(text: string): void;
  /** Whether the connection has not yet accepted what it was given. If so, send nothing more until `resume`. */
  isFull(): boolean;
  /** Ends the stream; the caller may reconnect. */
  end(): void;
};

/** The source of a stream's events. */
export type Feed = {
  start(sink: Sink): void;
  /** Called when the sink has room again. */
  resume(): void;
  /** Called when the stream has ended: nothing more may be sent. */
  stop(): void;
  /** The position of the stream, which its caller can send as Last-Event-ID. */
  position(): string;
  /** Whether the stream may continue for the caller as it is now. If absent, the access of the route decides. */
  fits?(caller: Caller): boolean;
};

const EVENT_STREAM = 'text/event-stream';

/** Returned by a handler to respond with server-sent events (WHATWG HTML §9.2) instead of JSON. */
export class EventStream {
  readonly feed: Feed;
  constructor(feed: Feed) {
    this.feed = feed;
  }
}

/** Schema of a response of server-sent events, each with data of this kind. */
export const eventsOf = (event: z.ZodType) => z.instanceof(EventStream).meta({ mediaType: EVENT_STREAM, event });

/** In ms. A stream whose reader accepts nothing between two heartbeats is cut off. */
export type StreamTimings = { heartbeatMs: number; recheckMs: number };

/** A check may rely on a value read 2 s earlier (the credential cache), so a revoked key ends its streams within 5 s. */
export const STREAM_TIMINGS: StreamTimings = { heartbeatMs: 15_000, recheckMs: 2_000 };
/** How soon a caller should reconnect after its stream has ended, in ms. */
const RECONNECT_MS = 1_000;
/** How long the reader of an ending stream may still receive what was sent, in ms. */
const LINGER_MS = 1_000;

const HEADERS = {
  'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // Without this, nginx buffers events instead of passing them on.
  'X-Accel-Buffering': 'no',
  // Ends the connection with the stream, so that a shutdown has nothing to wait for.
  Connection: 'close',
} as const;

export type EventStreams = {
  /** Responds with the stream; resolves when it has ended, whoever ended it. A HEAD gets only the headers. */
  answer(ctx: Context, stream: EventStream): Promise<void>;
  /** Ends every stream and rejects new ones (UNAVAILABLE) when the process stops; callers reconnect to another process. */
  endAll(): void;
};

/** The open streams of a server. */
export function createEventStreams({ heartbeatMs, recheckMs }: StreamTimings): EventStreams {
  const open = new Set<() => void>();
  let isEnding = false;

  const run = (ctx: Context, feed: Feed): Promise<void> =>
    new Promise((resolve) => {
      const { res } = ctx;
      let isStalled = false;
      let lingering: NodeJS.Timeout | undefined;

      const end = (): void => {
        if (lingering !== undefined) return;
        feed.stop();
        res.end();
        lingering = setTimeout(() => res.destroy(), LINGER_MS);
      };
      const sink: Sink = {
        send: (text) => {
          if (lingering === undefined) res.write(text);
        },
        isFull: () => res.writableNeedDrain,
        end,
      };
      // An id without data is not an event, but a caller sends it when it reconnects.
      const placeOf = (): string => `id: ${feed.position()}\n\n`;
      const beat = setInterval(() => {
        if (!sink.isFull()) sink.send(`: heartbeat\n${placeOf()}`);
        else if (isStalled) res.destroy();
        isStalled = sink.isFull();
      }, heartbeatMs);
      const unwatch = watchCaller(ctx, {
        everyMs: recheckMs,
        fits: (caller) => feed.fits?.(caller),
        refused: end,
      });

      const finish = (): void => {
        clearInterval(beat);
        unwatch();
        clearTimeout(lingering);
        open.delete(end);
        feed.stop();
        resolve();
      };

      res.once('close', finish);
      // The caller may have left while the stream was being prepared; `close` does not fire again.
      if (res.closed) return finish();
      open.add(end);
      res.on('drain', () => {
        isStalled = false;
        feed.resume();
      });
      res.flushHeaders();
      sink.send(`retry: ${RECONNECT_MS}\n${placeOf()}`);
      feed.start(sink);
    });

  return {
    async answer(ctx, { feed }) {
      if (isEnding)
        throw new ApiError('UNAVAILABLE', 'This process is shutting down; reconnect to reach another one', {
          retryAfter: 1,
        });
      ctx.status = 200;
      ctx.set(HEADERS);
      if (ctx.method === 'HEAD') return;
      ctx.respond = false;
      await run(ctx, feed);
    },
    endAll() {
      isEnding = true;
      for (const end of open) end();
    },
  };
}

/**
 * Checks the caller of a long-lived response every `everyMs`, one check at a time, until the returned function is called. Calls
 * `refused` if the caller has lost access or `fits` returns false. A check may rely on a value read 2 s earlier (the credential cache).
 */
export function watchCaller(
  { state: { credential, route } }: Context,
  { everyMs, fits, refused }: { everyMs: number; fits?(caller: Caller): boolean | undefined; refused(): void },
): () => void {
  if (credential === undefined || route === undefined) return () => undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const caller = await renewAccess(route, credential);
      if (fits?.(caller) === false) refused();
    } catch (error) {
      // If PostgreSQL is unavailable, the next check decides.
      if (error instanceof ApiError && error.status < 500) refused();
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}
