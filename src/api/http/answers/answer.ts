import { Readable } from 'node:stream';
import { stringifyExact, exactPieces } from '../../../kernel/values/exact-json.ts';
import type { Context, Middleware } from '../route/context.ts';
import { deprecationHeaders } from '../route/deprecation.ts';
import type { Slices } from '../../../platform/slices.ts';

/** Headers of every JSON answer: never cached (keys and secrets are shown once), never taken for anything but JSON. */
export const ANSWER_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Sets headers whose names and values are good as they stand. Koa's own `set` copies each of them twice first. */
export function setHeaders({ res }: Pick<Context, 'res'>, headers: Readonly<Record<string, string>>): void {
  if (res.headersSent) return;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

/** Writes the answer. `undefined` means that there is no body (204, 303). */
export function writeAnswer(ctx: Context, status: number, value: unknown): void {
  if (value === undefined) {
    ctx.body = null;
    // Koa has put 204 there.
    ctx.status = status;
    return;
  }
  writeText(ctx, status, stringifyExact(value));
}

/** The same for a text of JSON. */
function writeText(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  setHeaders(ctx, ANSWER_HEADERS);
  ctx.body = text;
}

/** UTF-16 units of an answer that are built, and bytes that are given to its connection, at a time. Building them takes 1 ms at most. */
export const PIECE_LENGTH = 256 * 1024;

/** Writes what a GET answers, for a caller whose large answers wait for each other. */
type WriteRead = (ctx: Context, status: number, value: unknown, owner: string) => Promise<void>;

/**
 * Writes answers of any size. A short one is written at once. One of more than 256 KiB is built and sent in pieces, between which other
 * requests are answered: when 20 callers read pages of 25 MiB, texts for several of them were built in one turn of the event loop, which
 * took up to half a second. A reader of such an answer that takes nothing from one beat to the next is cut off.
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

/** A connection may take all of them at once, which copies them in one turn. */
async function* inTurns(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    yield part;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Cuts the answer of a reader that takes nothing from one beat to the next. */
export function cutWhenStalled(res: Context['res'], beatMs: number): void {
  if (res.closed) return;
  let before = '';
  const beat = setInterval(() => {
    // Bytes that were given to the connection, and those of them that it has not taken.
    const now = `${res.socket?.bytesWritten} ${res.writableLength}`;
    if (res.writableLength > 0 && now === before) res.destroy();
    before = now;
  }, beatMs);
  res.once('close', () => clearInterval(beat));
}

/** Says on every answer of a deprecated route that it is one, refusals included: a client that is refused must learn of it too. */
export const announceEnd: Middleware = (ctx, next) => {
  const { deprecation } = ctx.state.route ?? {};
  if (deprecation !== undefined) ctx.set(deprecationHeaders(deprecation));
  return next();
};
