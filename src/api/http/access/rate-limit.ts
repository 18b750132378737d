import type { IncomingMessage } from 'node:http';
import type { Limiter, ThingLimit } from '../../../platform/rate-limits/limiter.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { setHeaders } from '../answers/answer.ts';
import { clientAddress } from './request-head.ts';
import type { Context, Middleware } from '../route/context.ts';

/** Returns the verified sender of a request that this service sent to itself, undefined for all others. */
type FindSender = (request: IncomingMessage) => string | undefined;

/**
 * Counts the request for its principal, or for its address if it has none or the route says so. Sets X-RateLimit-* and rejects what
 * exceeds the limit. Runs before the body is read, so that a rejected request costs no memory. The concurrency slot is released when
 * the response is ready but before it is sent, so that the caller's next request finds it free. Rejected requests that this service
 * sent to itself count for their original sender, because their address is shared by the deliveries of all tenants.
 */
export const rateLimit =
  (limiter: Limiter, trustedProxyHops: number, findSender: FindSender = () => undefined): Middleware =>
  async (ctx, next) => {
    const { credential, credentialProblem, route } = ctx.state;
    const own = thingOf(ctx);
    const allowance =
      own !== undefined
        ? await limiter.allowThing(own.limit, own.id, {
            address: clientAddress(ctx.req, trustedProxyHops),
            sender: findSender(ctx.req),
          })
        : route?.addressLimit !== undefined
          ? await limiter.allowAddress(route.addressLimit, clientAddress(ctx.req, trustedProxyHops))
          : credential === undefined || route?.ownLimit !== undefined
            ? await limiter.allowStranger(clientAddress(ctx.req, trustedProxyHops))
            : await limiter.allow(credential.caller.principal.id, credential.caller.limits, route?.bucket);
    setHeaders(ctx, allowance.headers);
    try {
      // While keys cannot be checked, every caller looks unauthenticated. Such a caller gets the real reason instead of RATE_LIMITED.
      if (allowance.refusal !== undefined && credentialProblem?.code !== 'UNAVAILABLE') {
        throw new ApiError('RATE_LIMITED', allowance.refusal.reason, { retryAfter: allowance.refusal.retryAfter });
      }
      await next();
    } catch (thrown) {
      if (thrown instanceof ApiError && isRefusal(thrown)) await allowance.refused?.();
      throw thrown;
    } finally {
      allowance.release();
    }
  };

/** The resource that a request counts for, if its route has a limit per resource. */
function thingOf({ state: { route, params = {} } }: Context): { limit: ThingLimit; id: string } | undefined {
  if (route?.ownLimit === undefined) return undefined;
  const id = params[route.ownLimit.parameter] ?? '';
  return isId(route.ownLimit.kind, id) ? { limit: route.ownLimit, id } : undefined;
}

/** Not an internal error, and not a request that was itself rate-limited. */
const isRefusal = ({ status, code }: ApiError): boolean => status < 500 && code !== 'RATE_LIMITED';
