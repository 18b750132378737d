import type { Scheme } from '../../caller/scheme.ts';
import type { Middleware } from '../route/context.ts';
import { toApiError } from '../answers/errors.ts';
import { headOf } from './request-head.ts';

/**
 * Finds the credential that a request presents. This step throws nothing: the rate limit comes next and must see failed calls as well,
 * and its headers must be on their answers. `require-access.ts` throws what is left in credentialProblem.
 */
export const identify =
  (schemes: readonly Scheme[], trustedProxyHops: number): Middleware =>
  async (ctx, next) => {
    const head = headOf(ctx.req, trustedProxyHops);
    try {
      for (const scheme of schemes) {
        const credential = await scheme.identify(head);
        if (credential === undefined) continue;
        ctx.state.credential = credential;
        ctx.state.identifiedAt = performance.now();
        break;
      }
    } catch (thrown) {
      ctx.state.credentialProblem = toApiError(thrown, { isRead: true });
    }
    await next();
  };
