import {
  type Caller,
  type Credential,
  namedAppSuspended,
  notSignedIn,
  unauthorized,
  type Scheme,
} from '../../caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Middleware } from '../route/context.ts';
import type { Access, BoundRoute } from '../route/route.ts';
import { toApiError } from '../answers/errors.ts';
import { headOf, originOf } from './request-head.ts';

/**
 * Finds the credential that a request presents. This step throws nothing: the rate limit comes next and must see failed calls as well,
 * and its headers must be on their answers. `requireAccess` throws what is left in credentialProblem.
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

/** Lets a request through only with a credential that the route's access takes: 401 without one, 403 with another. */
export const requireAccess: Middleware = (ctx, next) => {
  const { credential, credentialProblem, route } = ctx.state;
  if (route === undefined) throw new Error('A request without a route got past refuseUnrouted');
  if (route.access !== 'public') {
    if (credential === undefined) throw credentialProblem ?? missing(route.access);
    const problem = routeProblem(route, credential);
    if (problem !== undefined) throw problem;
  }
  return next();
};

/** A request that presents nothing that any scheme knows. */
const missing = (access: Access): ApiError =>
  access === 'person' || access === 'session' ? notSignedIn() : unauthorized();

/** Why a route is closed to a credential: FORBIDDEN, undefined when it is open. Asked again for slow bodies and answers that last. */
function routeProblem(route: BoundRoute, credential: Omit<Credential, 'prove' | 'renew'>): ApiError | undefined {
  const problem = accessProblem(route.access, credential);
  if (problem !== undefined) return problem;
  const makesTraffic = route.isPublish === true || route.isRedelivery === true || route.isSending === true;
  if (credential.isAppSuspended === true && makesTraffic) return namedAppSuspended();
  if (route.isDangerous === true && credential.isSession && credential.isFresh !== true) return notFresh();
  return undefined;
}

function accessProblem(
  access: Access,
  { caller, isSession }: { caller: Caller } & Pick<Credential, 'isSession'>,
): ApiError | undefined {
  if (access === 'public') return undefined;
  if (access === 'session' || access === 'person') {
    if (!isSession) return new ApiError('FORBIDDEN', 'Only a person who is signed in may ask for this');
    return access === 'session' && caller.level === 'person' ? unnamed('posthorn-organisation') : undefined;
  }
  if (isSession && caller.level === 'person' && access.level !== undefined) return unnamed('posthorn-organisation');
  if (isSession && caller.level !== 'environment' && access.level === undefined) return unnamed('posthorn-app');
  if (!caller.scopes.has(access.scope))
    return new ApiError('FORBIDDEN', `This credential does not have the scope ${access.scope}`, {
      oauth: { error: 'insufficient_scope', scope: access.scope },
    });
  return levelProblem(access.level ?? 'environment', { caller, isSession });
}

/** A person acts at the level that the request names, so a session is at home at both. */
function levelProblem(
  level: 'environment' | 'organisation' | 'any',
  { caller, isSession }: { caller: Caller; isSession: boolean },
): ApiError | undefined {
  if (level === 'environment' && caller.level !== 'environment')
    return new ApiError('FORBIDDEN', 'This credential belongs to no environment, and this is a part of one');
  if (level === 'organisation' && caller.level !== 'organisation' && !isSession)
    return new ApiError('FORBIDDEN', 'This credential belongs to one environment, and this is above environments');
  return undefined;
}

/** A session acts where its request says. */
function unnamed(field: 'posthorn-organisation' | 'posthorn-app'): ApiError {
  const reason =
    field === 'posthorn-app' ? 'is required, with posthorn-environment: live or test' : 'is required on this path';
  return new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });
}

function notFresh(): ApiError {
  const reason = 'must have been authenticated within the last 10 minutes: POST /v1/session/authenticate';
  return new ApiError('FORBIDDEN', `session: ${reason}`, { details: { field: 'session', reason } });
}

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

/**
 * The caller as they are now, for a body that took its time and for answers that last. Throws what the route would say to them if they
 * asked anew: a right was lost, an app was suspended.
 */
export async function renewAccess(route: BoundRoute, credential: Credential): Promise<Caller> {
  const renewed = await credential.renew();
  if (renewed === undefined) throw unauthorized();
  const problem = routeProblem(route, { ...renewed, isSession: credential.isSession });
  if (problem !== undefined) throw problem;
  return renewed.caller;
}
