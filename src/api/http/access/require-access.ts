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
 * Finds the credential that a request presents. Never throws: the rate limit comes next, has to see failed calls too, and sets headers
 * on their responses. `requireAccess` throws the error kept in credentialProblem.
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

/** Lets a request through only with a credential that the route accepts: 401 without one, 403 with another kind. */
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

/** For a request without a credential that any scheme recognises. */
const missing = (access: Access): ApiError =>
  access === 'person' || access === 'session' ? notSignedIn() : unauthorized();

/** Why a credential may not use a route (FORBIDDEN), or undefined if it may. Evaluated again for slow bodies and long-lived responses. */
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
    if (!isSession) return new ApiError('FORBIDDEN', 'This endpoint requires a signed-in user');
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

/** A user acts at the level that the request names, so a session fits both. */
function levelProblem(
  level: 'environment' | 'organisation' | 'any',
  { caller, isSession }: { caller: Caller; isSession: boolean },
): ApiError | undefined {
  if (level === 'environment' && caller.level !== 'environment')
    return new ApiError('FORBIDDEN', 'This endpoint requires a credential that belongs to an environment');
  if (level === 'organisation' && caller.level !== 'organisation' && !isSession)
    return new ApiError(
      'FORBIDDEN',
      'This endpoint requires a credential of the organisation; this one belongs to an environment',
    );
  return undefined;
}

/** A session acts in the organisation or app that its request names. */
function unnamed(field: 'posthorn-organisation' | 'posthorn-app'): ApiError {
  const reason =
    field === 'posthorn-app' ? 'is required, with posthorn-environment: live or test' : 'is required on this path';
  return new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });
}

function notFresh(): ApiError {
  const reason = 'must have been authenticated within the last 10 minutes: POST /v1/session/authenticate';
  return new ApiError('FORBIDDEN', `session: ${reason}`, { details: { field: 'session', reason } });
}

// A body usually arrives within milliseconds, and credentials are cached for seconds anyway.
const SLOW_MS = 500;

/**
 * Verifies the credential against the whole request; from here on the caller is known. Runs when the raw bytes have been read and
 * before anything parses them, so that an unauthenticated caller learns nothing about the expected body. Public routes skip it.
 */
export const prove =
  (trustedProxyHops: number): Middleware =>
  (ctx, next) => {
    const { credential, identifiedAt = 0, route, bytes } = ctx.state;
    if (credential === undefined || route === undefined || route.access === 'public') return next();
    const known = (caller: Caller, headers?: Readonly<Record<string, string>>): Promise<unknown> => {
      if (headers !== undefined) ctx.set(headers);
      // Publishes are never audited, so they skip the cost.
      ctx.state.caller = route.isPublish === true ? caller : { ...caller, from: originOf(ctx.req, trustedProxyHops) };
      return next();
    };
    // An API key needs no further proof, so there is nothing to await.
    const proven = (caller: Caller): Promise<unknown> =>
      credential.prove === undefined
        ? known(caller)
        : credential
            .prove({ ...headOf(ctx.req, trustedProxyHops), body: bytes })
            .then((headers) => known(caller, headers));
    // The caller of a slow request may have lost the right meanwhile. Sessions and roles are never trusted from before the body: a body
    // that took 0.1 s was enough for a removed user to create a key that stays. Users change things rarely, so each such request pays
    // for a look-up.
    const isBelieved = performance.now() - identifiedAt < SLOW_MS && !(credential.isSession && route.method !== 'GET');
    return isBelieved ? proven(credential.caller) : renewAccess(route, credential).then(proven);
  };

/**
 * Returns the caller as it is now, for slow bodies and long-lived responses. Throws the error that a new request to the route would
 * get, for example because a right was lost or the app was suspended.
 */
export async function renewAccess(route: BoundRoute, credential: Credential): Promise<Caller> {
  const renewed = await credential.renew();
  if (renewed === undefined) throw unauthorized();
  const problem = routeProblem(route, { ...renewed, isSession: credential.isSession });
  if (problem !== undefined) throw problem;
  return renewed.caller;
}
