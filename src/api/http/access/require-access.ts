import type { Caller } from '../../caller/caller.ts';
import { type Credential, namedAppSuspended, notSignedIn, unauthorized } from '../../caller/scheme.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Middleware } from '../route/context.ts';
import type { Access, BoundRoute } from '../route/route.ts';

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
export function routeProblem(route: BoundRoute, credential: Omit<Credential, 'prove' | 'renew'>): ApiError | undefined {
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
