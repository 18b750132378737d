import { createContext, useContext } from 'react';
import { ROLES, type Role, type SignedIn } from '../api/client.ts';

export type Organisation = SignedIn['organisations'][number];

export const SessionContext = createContext<SignedIn | undefined>(undefined);

/** The signed-in user. Available only below the gate of session-gate.tsx. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('no session here');
  return session;
}

/** The app and environment of the page; every call below it names them. */
export type Here = {
  organisation: Organisation;
  app: Organisation['apps'][number];
  environment: 'live' | 'test';
  /** Options of API calls. */
  at: { readonly place: { readonly appId: string; readonly environment: 'live' | 'test' } };
  /** Path of the pages of this environment. */
  path: string;
  /** Whether the user has at least that role. Pages show only actions that are allowed. */
  may(role: Role): boolean;
};

export const HereContext = createContext<Here | undefined>(undefined);

export function useHere(): Here {
  const here = useContext(HereContext);
  if (here === undefined) throw new Error('no place here');
  return here;
}

/**
 * Returns the environment that a path names. The app is given by its slug, or by its id if two organisations use that
 * slug.
 */
export function placeOf(session: SignedIn, name: string, environment: 'live' | 'test'): Here | undefined {
  const found = session.organisations
    .flatMap((organisation) => organisation.apps.map((app) => ({ organisation, app })))
    .find(({ app }) => app.id === name || nameOf(session, app) === name);
  if (found === undefined) return undefined;
  return {
    ...found,
    environment,
    at: { place: { appId: found.app.id, environment } },
    path: `/${name}/${environment}`,
    may: (role) => ROLES.indexOf(found.organisation.role) >= ROLES.indexOf(role),
  };
}

/** First path segments that are pages of their own. */
const TAKEN = new Set(['setup', 'sign-in', 'invitation', 'password-reset']);

export function nameOf(session: SignedIn, app: Organisation['apps'][number]): string {
  const same = session.organisations.flatMap(({ apps }) => apps).filter(({ slug }) => slug === app.slug);
  return same.length === 1 && !TAKEN.has(app.slug) ? app.slug : app.id;
}
