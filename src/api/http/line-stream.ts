import { z } from 'zod';
import { type Context, turnOwnerOf } from './route/context.ts';
import type { Slices } from '../../platform/slices.ts';
import { cutWhenStalled, PIECE_LENGTH } from './answers/answer.ts';
import { renewAccess } from './access/require-access.ts';
import { type StreamTimings, watchCaller } from './event-stream.ts';

export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

/**
 * Bytes handed to a connection at a time. A connection that accepts nothing holds no more than this in memory, apart from the lines it
 * waits for.
 */
const PART_BYTES = 64 * 1024;

/** Lines are also read from the database and built, which costs twice as much as sending them. */
const WORK_OF_LINES = 3;

type Form = { mediaType?: typeof NDJSON | typeof CSV; fileName?: string };

/** Returned by a handler to respond with any number of lines, by default of JSON. They are read as the caller accepts them. */
export class LineStream {
  readonly lines: AsyncIterable<string>;
  readonly mediaType: string;
  /** File name for downloads in a browser. */
  readonly fileName: string | undefined;
  constructor(lines: AsyncIterable<string>, { mediaType = NDJSON, fileName }: Form = {}) {
    this.lines = lines;
    this.mediaType = mediaType;
    this.fileName = fileName;
  }
}

/** Schema of a response of JSON lines; `otherType` is an alternative media type that the caller may request. */
export const linesOf = (line: z.ZodType, { otherType }: { otherType?: typeof CSV } = {}) =>
  z.instanceof(LineStream).meta({ mediaType: NDJSON, line, ...(otherType !== undefined && { otherType }) });

/**
 * Sends the lines; resolves when the response has ended, so that it holds its caller's concurrency slot until then. A failure midway
 * cuts the connection, so that a partial response is never taken for a complete one. The connection is also cut if the caller loses
 * access, even while the reader is stalled, or if the reader accepts nothing between two heartbeats.
 */
export async function writeLines(
  ctx: Context,
  { lines, mediaType, fileName }: LineStream,
  { heartbeatMs, recheckMs }: StreamTimings,
  costly: Slices,
): Promise<void> {
  ctx.status = 200;
  ctx.set({
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(fileName !== undefined && { 'Content-Disposition': `attachment; filename="${fileName}"` }),
  });
  if (ctx.method === 'HEAD') return;
  ctx.respond = false;
  const { res } = ctx;
  const closed = new Promise<void>((resolve) => {
    res.once('close', resolve);
    if (res.closed) resolve();
  });
  cutWhenStalled(res, heartbeatMs);
  const unwatch = watchCaller(ctx, { everyMs: recheckMs, refused: () => res.destroy() });
  try {
    let sent = 0;
    for await (const line of whileAllowed(ctx, lines, recheckMs)) {
      if (!(await send(res, line, closed))) return;
      sent += line.length;
      if (sent < PIECE_LENGTH) continue;
      await costly.run(turnOwnerOf(ctx.state.caller), () => false, { bytes: WORK_OF_LINES * sent });
      sent = 0;
    }
    res.end();
    await closed;
  } catch (error) {
    // Koa's way to fail once sending has begun: it cuts the connection.
    ctx.onerror(
      error instanceof Error
        ? error
        : new Error('The lines ended with a thrown value that is not an Error', { cause: error }),
    );
  } finally {
    unwatch();
  }
}

type Response = Context['res'];

/** Sends one line. Returns false if the connection is gone. */
async function send(res: Response, line: string, closed: Promise<void>): Promise<boolean> {
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    if (res.closed || res.destroyed) return false;
    if (!res.write(bytes.subarray(at, at + PART_BYTES))) await drained(res, closed);
  }
  return !res.destroyed;
}

async function drained(res: Response, closed: Promise<void>): Promise<void> {
  let done = (): void => undefined;
  const drain = new Promise<void>((resolve) => {
    done = resolve;
    res.once('drain', resolve);
  });
  await Promise.race([drain, closed]);
  res.off('drain', done);
}

/** Repeats the check of the caller before sending lines if the last one is older than `recheckMs`. */
async function* whileAllowed(
  { state: { credential, route } }: Context,
  lines: AsyncIterable<string>,
  recheckMs: number,
): AsyncGenerator<string> {
  let lookedAt = performance.now();
  for await (const line of lines) {
    if (credential !== undefined && route !== undefined && performance.now() - lookedAt >= recheckMs) {
      lookedAt = performance.now();
      await renewAccess(route, credential);
    }
    yield line;
  }
}
