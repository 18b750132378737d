import { stringifyExact } from '../kernel/exact-json.ts';
import type { Context } from './context.ts';

/** Headers of every JSON answer: never cached (keys and secrets are shown once), never taken for anything but JSON. */
export const ANSWER_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Writes the answer. `undefined` means that there is no body (204). */
export function writeAnswer(ctx: Context, status: number, value: unknown): void {
  ctx.status = status;
  if (value === undefined) {
    ctx.body = null;
    return;
  }
  ctx.set(ANSWER_HEADERS);
  ctx.body = stringifyExact(value);
}
