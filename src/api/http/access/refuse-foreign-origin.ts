import { type OwnOrigins, originProblem } from '../../../kernel/values/http.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Middleware } from '../route/context.ts';

/**
 * Refuses what a page of another site sends to a route of people's own pages: such a page could sign its visitor in as somebody else.
 * A program without a browser has no visitor to deceive, and passes.
 */
export const refuseForeignOrigin =
  (own: OwnOrigins): Middleware =>
  (ctx, next) => {
    if (ctx.state.route?.isFromOwnPages === true) {
      const { origin = [], host = [], 'sec-fetch-site': site = [] } = ctx.req.headersDistinct;
      const problem = originProblem({ site, origin, host }, own, { isProofNeeded: false });
      if (problem !== undefined) throw new ApiError('FORBIDDEN', `The request ${problem}`);
    }
    return next();
  };
