import { z } from 'zod';
import { type Context, turnOwnerOf } from './route/context.ts';
import type { Slices } from '../../platform/slices.ts';
import { cutWhenStalled, PIECE_LENGTH } from './answers/answer.ts';
import { renewAccess } from './access/require-access.ts';
import { type StreamTimings, watchCaller } from './event-stream.ts';

export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

/** Bytes that are given to a connection at a time: what one that takes nothing has in memory beside the lines it waits for. */
const PART_BYTES = 64 * 1024;

/** Lines are read from the database and built, too: that costs twice as much as sending them. */
const WORK_OF_LINES = 3;

type Form = { mediaType?: typeof NDJSON | typeof CSV; fileName?: string };

/** A handler's result for an answer of lines of any number, of JSON where nothing else is said. They are read as the caller takes them. */
export class LineStream {
  readonly lines: AsyncIterable<string>;
  readonly mediaType: string;
  /** The name of the file that a browser makes of it. */
  readonly fileName: string | undefined;
  constructor(lines: AsyncIterable<string>, { mediaType = NDJSON, fileName }: Form = {}) {
    this.lines = lines;
    this.mediaType = mediaType;
    this.fileName = fileName;
  }
}

/** Schema of an answer of JSON lines, each of this kind; `otherType` is what else a caller may ask for. */
export const linesOf = (line: z.ZodType, { otherType }: { otherType?: typeof CSV } = {}) =>
  z.instanceof(LineStream).meta({ mediaType: NDJSON, line, ...(otherType !== undefined && { otherType }) });

/**
 * Answers with the lines; resolves when the answer has ended, so that it keeps its caller's place in flight. A failure on the way cuts
 * the connection, so that a cut answer is never taken for a whole one. So does the loss of the right to it, whether or not the reader
 * takes anything, and a reader that takes nothing from one heartbeat to the next.
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
    // Koa's way for what has begun to be sent: the connection is cut.
    ctx.onerror(
      error instanceof Error ? error : new Error('The lines ended by something that is no error', { cause: error }),
    );
  } finally {
    unwatch();
  }
}

type Response = Context['res'];

/** False when the connection is gone. */
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

/** Before lines leave, a look at the caller that is older than `recheckMs` is made again. */
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
