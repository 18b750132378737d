import { z } from 'zod';
import { isId } from '../../kernel/values/ids.ts';
import { parseUrl } from '../../kernel/values/http.ts';
import { ConfigError, flagSetting } from './reading.ts';

/** The role that a group of the identity provider grants; without an organisation, in the first one. */
export type GroupRole = { readonly group: string; readonly role: GivenRole; readonly organisationId?: string };

/** Roles that a group can grant. Ownership is transferred by people. */
const GIVEN_ROLES = ['viewer', 'developer', 'admin'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];

/** An OpenID provider that the operator trusts to identify users. */
export type SingleSignOnSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which uses only PKCE. */
  readonly clientSecret?: string;
  /** Label of the button. */
  readonly name: string;
  readonly scopes: string;
  /** Whether the provider verifies every address itself, although it sends no `email_verified`. */
  readonly isEmailTrusted: boolean;
  /** Whether only owners may sign in with a password. */
  readonly isOnly: boolean;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
};

/** The settings as environment variables. */
export const singleSignOnVariables = {
  OIDC_ISSUER: z.string().optional(),
  OIDC_CLIENT_ID: z.string().min(1).max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).max(2_000).optional(),
  OIDC_CLIENT_SECRET_FILE: z.string().optional(),
  OIDC_NAME: z.string().max(100).default('single sign-on'),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes separated by single spaces')
    .refine((value) => value.split(' ').includes('openid'), 'must contain the scope openid')
    .default('openid email profile'),
  OIDC_TRUST_EMAIL: flagSetting.default(false),
  OIDC_ONLY: flagSetting.default(false),
  OIDC_GROUPS_CLAIM: z.string().min(1).max(200).default('groups'),
  OIDC_ROLES: z.string().max(20_000).default(''),
} as const;

type Variables = z.output<z.ZodObject<typeof singleSignOnVariables>>;

/** Returns undefined if no provider is set. Throws ConfigError for incomplete or invalid settings. */
export function readSingleSignOn(given: Variables): SingleSignOnSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    if (given.OIDC_ONLY || given.OIDC_ROLES !== '')
      throw new ConfigError('OIDC_ONLY and OIDC_ROLES require OIDC_ISSUER');
    return undefined;
  }
  if (issuer === undefined || clientId === undefined)
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID must be set together');
  refuseIssuer(issuer);
  return {
    issuer,
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    name: given.OIDC_NAME,
    scopes: given.OIDC_SCOPES,
    isEmailTrusted: given.OIDC_TRUST_EMAIL,
    isOnly: given.OIDC_ONLY,
    groupsClaim: given.OIDC_GROUPS_CLAIM,
    groupRoles: readGroupRoles(given.OIDC_ROLES),
  };
}

/** Plain http is allowed for a provider on this machine. */
function refuseIssuer(issuer: string): void {
  const url = parseUrl(issuer);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)))
    throw new ConfigError('OIDC_ISSUER must be a URL that begins with https://');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new ConfigError('OIDC_ISSUER must be a URL without a query, a fragment or a user');
}

/** Parses `<group>=<role>` and `<group>=<role>@<organisation>`, comma-separated. */
function readGroupRoles(text: string): GroupRole[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      // The name of a group may itself contain an equals sign, as names in directories do.
      const split = item.lastIndexOf('=');
      const group = item.slice(0, Math.max(split, 0)).trim();
      const [wanted = '', organisationId, ...more] = item
        .slice(split + 1)
        .trim()
        .split('@');
      const role = GIVEN_ROLES.find((each) => each === wanted);
      if (group === '' || role === undefined || more.length > 0)
        throw new ConfigError(
          `OIDC_ROLES must be <group>=<role> or <group>=<role>@<organisation> with a role of ${GIVEN_ROLES.join(', ')}, but contains ${item}`,
        );
      if (organisationId === undefined) return { group, role };
      if (!isId('organisation', organisationId))
        throw new ConfigError(`OIDC_ROLES contains ${organisationId}, which is not the id of an organisation`);
      return { group, role, organisationId };
    });
}
