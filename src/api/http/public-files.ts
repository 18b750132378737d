import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Next } from 'koa';
import type { Context, Middleware } from './route/context.ts';
import { pathOf, hostProblem } from './route/match-route.ts';
import { ApiError } from '../../kernel/errors.ts';

/** A public file, ready to be sent. */
export type PublicFile = {
  body: Buffer;
  /** The body compressed with gzip. */
  packed: Buffer;
  /** The body compressed with Brotli, if the build has created it. */
  brotli?: Buffer;
  /** Weak, because it is shared by all encodings (RFC 9110 §8.8.1). */
  etag: string;
  headers: Readonly<Record<string, string>>;
};

/** One year, for files whose name changes with their content. */
export const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Headers of our pages: this content security policy, no referrer for other sites, and no framing. */
export const pageHeaders = (policy: readonly string[]): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
});

/** Creates a file with this content and media type. Without `headers` it may be cached, but must be revalidated before each use. */
export function publicFile(
  content: Buffer | string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
  packings: { brotli?: Buffer } = {},
): PublicFile {
  const body = Buffer.from(content);
  return {
    body,
    packed: gzipSync(body),
    ...packings,
    etag: `W/"${contentHashOf(body)}"`,
    headers: {
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      'Content-Type': type,
      ...headers,
    },
  };
}

/** Names a content by 96 bits of its hash. */
export const contentHashOf = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 16);

type Find = (path: string) => Promise<PublicFile | undefined>;

/**
 * Serves public files outside the route table: the API document and its pages. Runs after the rate limit, so that they cannot be read
 * without bound, and before everything that needs PostgreSQL, so that they stay available while it is down.
 */
export function servePublicFiles(finders: readonly Find[]): Middleware {
  const serve = createServing(finders);
  // Nearly every request is for a route and skips the lookup.
  return (ctx, next) => (ctx.state.route === undefined ? serve(ctx, next) : next());
}

const createServing =
  (finders: readonly Find[]) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const path = pathOf(ctx.req.url ?? '');
    let file: PublicFile | undefined;
    for (const find of finders) file ??= await find(path);
    if (file === undefined) {
      await next();
      return;
    }
    requireReading(ctx);
    ctx.set({ ...file.headers, ETag: file.etag });
    if (isKnown(ctx.req.headers['if-none-match'], file.etag)) {
      ctx.status = 304;
      return;
    }
    ctx.status = 200;
    const [encoding, body] = packingOf(
      file,
      ctx.acceptsEncodings(file.brotli ? ['br', 'gzip', 'identity'] : ['gzip', 'identity']),
    );
    if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
    // For a HEAD, Koa sends only the length.
    ctx.body = body;
  };

function packingOf(
  { body, packed, brotli }: PublicFile,
  accepted: string | false,
): [encoding: string | undefined, Buffer] {
  if (accepted === 'br' && brotli !== undefined) return ['br', brotli];
  return accepted === 'gzip' ? ['gzip', packed] : [undefined, body];
}

/** If-None-Match compares contents, so strong and weak tags count as equal (RFC 9110 §13.1.2). */
const isKnown = (given: string | undefined, etag: string): boolean =>
  (given ?? '').split(',').some((each) => ['*', etag, etag.slice(2)].includes(each.trim()));

const METHODS = ['GET', 'HEAD'];

/** For paths outside the route table: throws for an invalid Host and for a method other than GET and HEAD. */
export function requireReading(ctx: Context): void {
  const problem = hostProblem(ctx.req);
  if (problem !== undefined) throw problem;
  if (METHODS.includes(ctx.method)) return;
  const allowed = METHODS.join(', ');
  ctx.set('Allow', allowed);
  throw new ApiError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here; allowed: ${allowed}`);
}
