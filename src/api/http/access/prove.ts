import type { Caller } from '../../caller/caller.ts';
import type { Middleware } from '../route/context.ts';
import { originOf } from './visit.ts';
import { headOf } from './request-head.ts';
import { renewAccess } from './renew-access.ts';

// Bodies are here within milliseconds as a rule. A credential is believed for seconds anyway.
const SLOW_MS = 500;

/**
 * Lets the credential be proven over the whole request; from here on the caller is known. Behind the raw bytes, and before
 * anything looks into them: one who proves nothing learns nothing of what a body should be. Public routes ask for no proof.
 */
export const prove =
  (trustedProxyHops: number): Middleware =>
  (ctx, next) => {
    const { credential, identifiedAt = 0, route, bytes } = ctx.state;
    if (credential === undefined || route === undefined || route.access === 'public') return next();
    const known = (caller: Caller, headers?: Readonly<Record<string, string>>): Promise<unknown> => {
      if (headers !== undefined) ctx.set(headers);
      // A publish is never audited, so it pays for nothing here.
      ctx.state.caller = route.isPublish === true ? caller : { ...caller, from: originOf(ctx.req, trustedProxyHops) };
      return next();
    };
    // An API key has nothing more to prove, and nothing to wait for.
    const proven = (caller: Caller): Promise<unknown> =>
      credential.prove === undefined
        ? known(caller)
        : credential
            .prove({ ...headOf(ctx.req, trustedProxyHops), body: bytes })
            .then((headers) => known(caller, headers));
    // A body that took its time may come from one who has lost the right meanwhile. A session and a role are believed for no time at all: a
    // body of 0.1 s was enough for somebody who was removed to make a key that stays. People change things seldom, so each pays a look-up.
    const isBelieved = performance.now() - identifiedAt < SLOW_MS && !(credential.isSession && route.method !== 'GET');
    return isBelieved ? proven(credential.caller) : renewAccess(route, credential).then(proven);
  };
