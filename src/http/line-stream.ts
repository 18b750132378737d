import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Context } from './context.ts';

const NDJSON = 'application/x-ndjson';

/** A handler's result for an answer of JSON lines of any number. They are read as the caller takes them. */
export class LineStream {
  readonly lines: AsyncIterable<string>;
  constructor(lines: AsyncIterable<string>) {
    this.lines = lines;
  }
}

/** Schema of an answer of JSON lines, each of this kind. */
export const linesOf = (line: z.ZodType) => z.instanceof(LineStream).meta({ mediaType: NDJSON, line });

/** A failure on the way cuts the connection, so that a cut answer is never taken for a whole one. */
export function writeLines(ctx: Context, { lines }: LineStream): void {
  ctx.status = 200;
  ctx.set({
    'Content-Type': `${NDJSON}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.body = Readable.from(lines);
}
