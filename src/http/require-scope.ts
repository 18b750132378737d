import { ApiError } from '../shared/api-error.ts';
import type { Middleware } from './context.ts';

/** Lets a request through only with a caller who has the route's scope: 401 without one, 403 without the scope. */
export const requireScope: Middleware = async (ctx, next) => {
  const { caller, callerProblem, route } = ctx.state;
  if (caller === undefined) throw callerProblem ?? new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');
  if (route === undefined || !caller.scopes.has(route.scope)) {
    throw new ApiError('FORBIDDEN', `This credential does not have the scope ${route?.scope ?? 'of this route'}`);
  }
  await next();
};
