import type { DatabaseTransaction } from '../../db/client.ts';
import type { Caller } from '../caller.ts';
import { SCOPES_OF_ROLE } from '../roles.ts';
import { TIER_LIMITS } from '../tiers.ts';
import { type Named, NO_MEMBER, refuseNamed } from './named.ts';
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
  { organisationId: named, appId, kind }: Named,
): Promise<Caller> {
  const person = { principal: { kind: 'person', id: userId, sessionId } as const, limits: LIMITS };
  const app = appId === undefined ? undefined : await findApp(db, appId, kind);
  const organisationId = appId === undefined ? named : app?.organisationId;
  const role = organisationId === undefined ? undefined : roles.get(organisationId);
  if (appId !== undefined && (role === undefined || (named !== undefined && named !== organisationId)))
    throw refuseNamed('posthorn-app', NO_MEMBER);
  if (organisationId === undefined) return { ...person, level: 'person', scopes: new Set() };
  if (role === undefined) throw refuseNamed('posthorn-organisation', NO_MEMBER);
  const inOrganisation = { ...person, organisationId, scopes: SCOPES_OF_ROLE[role] };
  if (appId === undefined || kind === undefined) return { ...inOrganisation, level: 'organisation' };
  if (app?.environmentId === undefined) throw refuseNamed('posthorn-environment', 'is none of this app');
  return { ...inOrganisation, level: 'environment', appId, environmentId: app.environmentId, environment: kind };
}
