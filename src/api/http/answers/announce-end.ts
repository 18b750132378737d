import type { Middleware } from '../route/context.ts';
import { deprecationHeaders } from '../route/deprecation.ts';

/** Says on every answer of a deprecated route that it is one, refusals included: a client that is refused must learn of it too. */
export const announceEnd: Middleware = (ctx, next) => {
  const { deprecation } = ctx.state.route ?? {};
  if (deprecation !== undefined) ctx.set(deprecationHeaders(deprecation));
  return next();
};
