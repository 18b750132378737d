import type { IncomingMessage } from 'node:http';
import type { Limiter, ThingLimit } from '../../../platform/rate-limits/limiter.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { setHeaders } from '../answers/answer.ts';
import { clientAddress } from './request-head.ts';
import type { Context, Middleware } from '../route/context.ts';

/** The sender of a request of this service itself, proven; undefined for everybody else's. */
type FindSender = (request: IncomingMessage) => string | undefined;

/**
 * Counts the request for its principal, or for its address when it names none or the route wants it so, writes X-RateLimit-* and refuses
 * what is over the limit. Before the body is read: a refused request costs no memory. The place in flight is kept until
 * the answer is made, and given back before it is sent, so that the caller's next request finds it free. Refused requests of this
 * service itself count for who had them sent: its address is that of every tenant's deliveries.
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
      // While keys cannot be checked every caller looks like a stranger: they are told so, not that they called too often.
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

/** The thing that a request counts for, where its route counts by things. */
function thingOf({ state: { route, params = {} } }: Context): { limit: ThingLimit; id: string } | undefined {
  if (route?.ownLimit === undefined) return undefined;
  const id = params[route.ownLimit.parameter] ?? '';
  return isId(route.ownLimit.kind, id) ? { limit: route.ownLimit, id } : undefined;
}

/** Neither a fault of ours nor a request that came too early. */
const isRefusal = ({ status, code }: ApiError): boolean => status < 500 && code !== 'RATE_LIMITED';
