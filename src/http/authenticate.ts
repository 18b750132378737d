import { ApiError } from '../shared/api-error.ts';
import type { Caller, Middleware } from './context.ts';
import { toApiError } from './errors.ts';

/** Finds the caller of a credential; undefined when it is unknown, revoked or expired. */
export type Authenticate = (credential: string) => Promise<Caller | undefined>;

/** Spec §5: one text for a missing and an invalid key. */
const unauthorized = (): ApiError => new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');

/**
 * Finds out who is calling. It throws nothing: the rate limit comes next and must see failed calls as well, and its headers
 * must be on their answers. `require-scope.ts` throws what is left in callerProblem.
 */
export const authenticate =
  (findCaller: Authenticate): Middleware =>
  async (ctx, next) => {
    try {
      // rawHeaders based: of two Authorization headers Node's own view shows the first one only.
      const given = ctx.req.headersDistinct['authorization'] ?? [];
      const key = given.length === 1 ? /^Bearer +([\x21-\x7e]+)$/i.exec(given[0] ?? '')?.[1] : undefined;
      const caller = key === undefined ? undefined : await findCaller(key);
      if (key === undefined || caller === undefined) ctx.state.callerProblem = unauthorized();
      else {
        ctx.state.caller = caller;
        ctx.state.findCallerAgain = () => findCaller(key);
      }
    } catch (thrown) {
      ctx.state.callerProblem = toApiError(thrown, { isRead: true });
    }
    await next();
  };
