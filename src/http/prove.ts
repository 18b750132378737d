import type { Origin } from '../identity/caller.ts';
import { clientAddress } from './client-address.ts';
import type { Context, Middleware } from './context.ts';
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
      ctx.state.caller = route?.isPublish === true ? caller : { ...caller, from: originOf(ctx, trustedProxyHops) };
      return next();
    };
    // An API key has nothing more to prove, and nothing to wait for.
    return credential.prove === undefined ? known() : credential.prove({ ...headOf(ctx.req), body: bytes }).then(known);
  };

// Browsers send about 120 characters; a log entry takes no more of what anyone may write there.
const USER_AGENT_LENGTH = 300;

function originOf({ req }: Context, trustedProxyHops: number): Origin {
  const address = clientAddress(req, trustedProxyHops);
  const userAgent = req.headers['user-agent']?.slice(0, USER_AGENT_LENGTH);
  return userAgent === undefined ? { address } : { address, userAgent };
}
