import { Readable } from 'node:stream';
import { stringifyExact, exactPieces } from '../../../kernel/values/exact-json.ts';
import type { Context, Middleware } from '../route/context.ts';
import { deprecationHeaders } from '../route/deprecation.ts';
import type { Slices } from '../../../platform/slices.ts';

/** Headers of every JSON response: not cached, because keys and secrets are shown once, and never sniffed as another type. */
export const ANSWER_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Sets headers whose names and values are known to be valid. Koa's own `set` copies each of them twice first. */
export function setHeaders({ res }: Pick<Context, 'res'>, headers: Readonly<Record<string, string>>): void {
  if (res.headersSent) return;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

/** Writes the response. `undefined` means no body (204, 303). */
export function writeAnswer(ctx: Context, status: number, value: unknown): void {
  if (value === undefined) {
    ctx.body = null;
    // Koa has just set 204.
    ctx.status = status;
    return;
  }
  writeText(ctx, status, stringifyExact(value));
}

/** Writes JSON text as the response. */
function writeText(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  setHeaders(ctx, ANSWER_HEADERS);
  ctx.body = text;
}

/** How much of a response is built (UTF-16 units) and handed to the connection (bytes) at a time. Building a piece takes up to 1 ms. */
export const PIECE_LENGTH = 256 * 1024;

/** Writes the response to a GET. `owner`: large responses to one caller wait for each other. */
type WriteRead = (ctx: Context, status: number, value: unknown, owner: string) => Promise<void>;

/**
 * Writes responses of any size. A short one is written at once. One larger than 256 KiB is built and sent in pieces, and other requests
 * are handled in between: when 20 callers read pages of 25 MiB, several of them were built in one turn of the event loop, which took up
 * to half a second. A reader that accepts nothing between two heartbeats is cut off.
 */
export function createWriteRead(costly: Slices, { beatMs }: { beatMs: number }): WriteRead {
  return async (ctx, status, value, owner) => {
    const pieces = exactPieces(value);
    let next = pieces.next();
    const grow = (): string => {
      let text = '';
      for (; next.done !== true && text.length < PIECE_LENGTH; next = pieces.next()) text += next.value;
      return text;
    };
    const text = grow();
    if (next.done === true) return writeText(ctx, status, text);
    const parts: Buffer[] = [];
    for (let unwritten = text; unwritten !== ''; ) {
      const step = (): boolean => {
        parts.push(Buffer.from(unwritten));
        unwritten = grow();
        return false;
      };
      await costly.run(owner, step, { bytes: unwritten.length });
    }
    cutWhenStalled(ctx.res, beatMs);
    ctx.status = status;
    setHeaders(ctx, ANSWER_HEADERS);
    ctx.body = Readable.from(inTurns(parts));
    ctx.length = parts.reduce((sum, part) => sum + part.length, 0);
  };
}

/** A connection may accept all pieces at once, which would copy them in one turn of the event loop. */
async function* inTurns(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    yield part;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Cuts the connection of a reader that accepts nothing between two beats. */
export function cutWhenStalled(res: Context['res'], beatMs: number): void {
  if (res.closed) return;
  let before = '';
  const beat = setInterval(() => {
    // Bytes handed to the connection, and how many of them it has not accepted.
    const now = `${res.socket?.bytesWritten} ${res.writableLength}`;
    if (res.writableLength > 0 && now === before) res.destroy();
    before = now;
  }, beatMs);
  res.once('close', () => clearInterval(beat));
}

/**
 * Marks every response of a deprecated route as deprecated, errors included, because a client whose requests are rejected has to learn
 * of it too.
 */
export const announceEnd: Middleware = (ctx, next) => {
  const { deprecation } = ctx.state.route ?? {};
  if (deprecation !== undefined) ctx.set(deprecationHeaders(deprecation));
  return next();
};
