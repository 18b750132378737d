import type { Middleware } from './context.ts';
import { originOf } from './visit.ts';
import { headOf } from './request-head.ts';

/**
 * Lets the credential be proven over the whole request; from here on the caller is known. Behind the raw bytes, and before
 * anything looks into them: one who proves nothing learns nothing of what a body should be. Public routes ask for no proof.
 */
export const prove =
  (trustedProxyHops: number): Middleware =>
  (ctx, next) => {
    const { credential, route, bytes } = ctx.state;
    if (credential === undefined || route?.access === 'public') return next();
    const known = (headers?: Readonly<Record<string, string>>): Promise<unknown> => {
      if (headers !== undefined) ctx.set(headers);
      const { caller } = credential;
      // A publish is never audited, so it pays for nothing here.
      ctx.state.caller = route?.isPublish === true ? caller : { ...caller, from: originOf(ctx.req, trustedProxyHops) };
      return next();
    };
    // An API key has nothing more to prove, and nothing to wait for.
    return credential.prove === undefined ? known() : credential.prove({ ...headOf(ctx.req), body: bytes }).then(known);
  };
