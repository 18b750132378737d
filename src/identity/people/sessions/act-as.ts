import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Caller } from '../../../api/caller.ts';
import { SCOPES_OF_ROLE, TIER_LIMITS } from '../../../kernel/words/rights.ts';
import { type NamedTenant, NO_MEMBER, refuseNamed } from './named-tenant.ts';
import { findApp, type KnownSession } from './store.ts';

/** A person who is signed in has tier pro, counted over all of their sessions together. */
const LIMITS = TIER_LIMITS.pro;

/**
 * The person of a session, acting where the request says: with the rights that the role in that organisation has, as it is at this
 * moment. Throws FORBIDDEN for an organisation or an app that the person is no member of, with one text for what does not exist.
 */
export async function actAs(
  db: DatabaseTransaction,
  { id: sessionId, userId, roles }: KnownSession,
  { organisationId: named, appId, kind, ofPath }: NamedTenant,
): Promise<{ caller: Caller; isAppSuspended: boolean }> {
  const person = { principal: { kind: 'person', id: userId, sessionId } as const, limits: LIMITS };
  const app = appId === undefined ? undefined : await findApp(db, appId, kind);
  const organisationId = appId === undefined ? (named ?? ofPath) : app?.organisationId;
  const role = organisationId === undefined ? undefined : roles.get(organisationId);
  if (appId !== undefined && (role === undefined || (named !== undefined && named !== organisationId)))
    throw refuseNamed('posthorn-app', NO_MEMBER);
  const isAppSuspended = app?.isSuspended === true;
  if (organisationId === undefined)
    return { caller: { ...person, level: 'person', scopes: new Set() }, isAppSuspended };
  if (role === undefined && ofPath !== undefined) throw new ApiError('NOT_FOUND', 'No such organisation');
  if (role === undefined) throw refuseNamed('posthorn-organisation', NO_MEMBER);
  const inOrganisation = { ...person, organisationId, scopes: SCOPES_OF_ROLE[role] };
  if (appId === undefined || kind === undefined)
    return { caller: { ...inOrganisation, level: 'organisation' }, isAppSuspended };
  if (app?.environmentId === undefined) throw refuseNamed('posthorn-environment', 'is none of this app');
  const { environmentId } = app;
  const caller: Caller = { ...inOrganisation, level: 'environment', appId, environmentId, environment: kind };
  return { caller, isAppSuspended };
}
