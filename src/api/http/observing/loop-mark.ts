import { invalidField } from '../../../kernel/errors.ts';
import { HOPS_HEADER, MAX_HOPS, readHops } from '../../../kernel/values/http.ts';
import type { Middleware } from '../route/context.ts';

/**
 * Reads the mark that a webhook request carries, where a request makes deliveries, and refuses those by which a loop would go
 * on: one that publishes at the end of the longest chain, and one that makes deliveries of stored messages again at all, since
 * these keep the mark they have and would come round for ever. Before the body is read: a loop is fast.
 */
export const loopMark: Middleware = (ctx, next) => {
  const { route } = ctx.state;
  if (route?.isPublish === true || route?.isRedelivery === true) {
    const hops = readHops(ctx.req.headersDistinct[HOPS_HEADER] ?? []);
    if (hops === undefined) throw invalidField(HOPS_HEADER, 'must be a whole number, as the webhook request had it');
    if (route.isPublish === true && hops >= MAX_HOPS) {
      throw invalidField(
        HOPS_HEADER,
        `is ${hops}: a chain of deliveries ends after ${MAX_HOPS}, so that no loop goes on`,
      );
    }
    if (route.isRedelivery === true && hops > 0) {
      throw invalidField(
        HOPS_HEADER,
        `is ${hops}: what a delivery causes may publish, but not send stored messages or samples`,
      );
    }
    ctx.state.hops = hops;
  }
  return next();
};
