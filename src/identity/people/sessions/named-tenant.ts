import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import type { EnvironmentKind } from '../../../kernel/words/rights.ts';
import type { RequestHead } from '../../../api/caller.ts';

/** Where a person acts, as the request says: nowhere, in an organisation, or in an environment of an app. */
export type NamedTenant = {
  organisationId: string | undefined;
  appId: string | undefined;
  kind: EnvironmentKind | undefined;
  /** The organisation that the path is of, where no header names one. Any text. */
  ofPath?: string;
};

const HEADERS = ['posthorn-organisation', 'posthorn-app', 'posthorn-environment'] as const;
type NamingHeader = (typeof HEADERS)[number];

/** Refuses a header that names nothing that the person has: one text, whether it exists or not. */
export const refuseNamed = (field: NamingHeader, reason: string): ApiError =>
  new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });

export const NO_MEMBER = 'names nothing that you are a member of';

const OF_ORGANISATION = /^\/v1\/organisations\/([^/]+)$/;

/** Reads the headers that name it. Throws FORBIDDEN for one that is given twice or names nothing. */
export function readNamed({ header, path }: Pick<RequestHead, 'header' | 'path'>): NamedTenant {
  const [organisationId, appId, environment] = HEADERS.map((name) => {
    const given = header(name);
    if (given.length > 1) throw refuseNamed(name, 'is given more than once');
    return given[0];
  });
  if (organisationId !== undefined && !isId('organisation', organisationId))
    throw refuseNamed('posthorn-organisation', NO_MEMBER);
  if (appId !== undefined && !isId('app', appId)) throw refuseNamed('posthorn-app', NO_MEMBER);
  if (environment !== undefined && environment !== 'live' && environment !== 'test')
    throw refuseNamed('posthorn-environment', 'must be live or test');
  if (environment !== undefined && appId === undefined)
    throw refuseNamed('posthorn-app', 'is required beside posthorn-environment');
  const ofPath = organisationId === undefined && appId === undefined ? OF_ORGANISATION.exec(path)?.[1] : undefined;
  return { organisationId, appId, kind: environment, ...(ofPath !== undefined && { ofPath }) };
}
