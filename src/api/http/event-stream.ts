import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Context } from './route/context.ts';
import { renewAccess } from './access/require-access.ts';

/** Where a feed writes to: one caller's connection. */
export type Sink = {
  /** Sends text. Text that the connection does not take at once is kept in memory. */
  send(text: string): void;
  /** Whether the connection has not taken what it was given: nothing more is to be sent until `resume`. */
  isFull(): boolean;
  /** Ends the stream; the caller may come again. */
  end(): void;
};

/** The source of a stream's events. */
export type Feed = {
  start(sink: Sink): void;
  /** The sink has room again. */
  resume(): void;
  /** The stream has ended: nothing more is to be sent. */
  stop(): void;
  /** Where the stream is, as its caller may name it in Last-Event-ID. */
  position(): string;
  /** Whether the stream may go on for its caller as the caller is now. Absent: the access of its route says all. */
  fits?(caller: Caller): boolean;
};

const EVENT_STREAM = 'text/event-stream';

/** A handler's result for an answer of server-sent events (WHATWG HTML §9.2) instead of JSON. */
export class EventStream {
  readonly feed: Feed;
  constructor(feed: Feed) {
    this.feed = feed;
  }
}

/** Schema of an answer of server-sent events, each with data of this kind. */
export const eventsOf = (event: z.ZodType) => z.instanceof(EventStream).meta({ mediaType: EVENT_STREAM, event });

/** In ms. A stream that takes nothing from one heartbeat to the next is cut off. */
export type StreamTimings = { heartbeatMs: number; recheckMs: number };

/** A look believes what was read 2 s before (identity/credentials/belief.ts): a key that was revoked ends its streams within 5 s. */
export const STREAM_TIMINGS: StreamTimings = { heartbeatMs: 15_000, recheckMs: 2_000 };
/** How soon a caller is asked to come again after its stream has ended, ms. */
const RECONNECT_MS = 1_000;
/** How long a stream that ends may still take what it was given, ms. */
const LINGER_MS = 1_000;

const HEADERS = {
  'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // nginx would collect events instead of passing them on.
  'X-Accel-Buffering': 'no',
  // Its end is the connection's end, so that a drain has nothing to wait for.
  Connection: 'close',
} as const;

export type EventStreams = {
  /** Answers with the stream; resolves when it has ended, whoever ended it. A HEAD gets the headers alone. */
  answer(ctx: Context, stream: EventStream): Promise<void>;
  /** Ends every stream and refuses new ones (UNAVAILABLE), when the process stops: callers go on elsewhere. */
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
      // An id without data is no event, but a caller that comes again names it.
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
      // A caller who has gone while the stream was being prepared closes no second time.
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
        throw new ApiError('UNAVAILABLE', 'This process is stopping; another one takes the stream', { retryAfter: 1 });
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
 * Looks at the caller of an answer that stays open every so many ms, until the returned function is called; one look at a time. `refused`
 * is called where the caller has lost the right to it, or `fits` says so. A look believes what was read 2 s before (identity/belief).
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
      // Where PostgreSQL is away the next look tells.
      if (error instanceof ApiError && error.status < 500) refused();
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}
