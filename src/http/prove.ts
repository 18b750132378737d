import { type Credential, unauthorized } from '../identity/scheme.ts';
import type { Middleware } from './context.ts';
import { originOf } from './visit.ts';
import { headOf } from './request-head.ts';
import { accessProblem } from './require-access.ts';
import type { BoundRoute } from './route.ts';

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
    if (credential === undefined || route?.access === 'public') return next();
    const known = (headers?: Readonly<Record<string, string>>): Promise<unknown> => {
      if (headers !== undefined) ctx.set(headers);
      const { caller } = credential;
      // A publish is never audited, so it pays for nothing here.
      ctx.state.caller = route?.isPublish === true ? caller : { ...caller, from: originOf(ctx.req, trustedProxyHops) };
      return next();
    };
    const proven = (): Promise<unknown> =>
      credential.prove === undefined ? known() : credential.prove({ ...headOf(ctx.req), body: bytes }).then(known);
    // An API key has nothing more to prove, and nothing to wait for.
    return performance.now() - identifiedAt < SLOW_MS ? proven() : stillHolds(route, credential).then(proven);
  };

/** A body that took its time may have come from one who has lost the right meanwhile. Throws what would have been said at once. */
async function stillHolds(route: BoundRoute | undefined, credential: Credential): Promise<void> {
  const caller = await credential.renew();
  if (caller === undefined) throw unauthorized();
  const problem = route === undefined ? undefined : accessProblem(route.access, { ...credential, caller });
  if (problem !== undefined) throw problem;
}
