import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../route/context.ts';
import { hostProblem } from '../route/host.ts';

const METHODS = ['GET', 'HEAD'];

/** For paths before the route table: throws for a Host that cannot be read, and for a method other than GET and HEAD. */
export function requireReading(ctx: Context): void {
  const problem = hostProblem(ctx.req);
  if (problem !== undefined) throw problem;
  if (METHODS.includes(ctx.method)) return;
  const allowed = METHODS.join(', ');
  ctx.set('Allow', allowed);
  throw new ApiError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here; allowed: ${allowed}`);
}
