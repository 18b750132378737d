import { stringifyExact } from '../../../kernel/values/exact-json.ts';
import type { Context } from '../route/context.ts';

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
export function writeText(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  setHeaders(ctx, ANSWER_HEADERS);
  ctx.body = text;
}
