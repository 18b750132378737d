import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Context } from '../route/context.ts';
import { renewAccess } from '../access/renew-access.ts';

export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

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
 * A failure on the way cuts the connection, so that a cut answer is never taken for a whole one. So does the loss of the right to it:
 * before lines leave, a look at the caller that is older than `recheckMs` is made again.
 */
export function writeLines(ctx: Context, { lines, mediaType, fileName }: LineStream, recheckMs: number): void {
  ctx.status = 200;
  ctx.set({
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(fileName !== undefined && { 'Content-Disposition': `attachment; filename="${fileName}"` }),
  });
  ctx.body = Readable.from(whileAllowed(ctx, lines, recheckMs));
}

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
