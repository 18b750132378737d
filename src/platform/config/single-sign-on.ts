import { z } from 'zod';
import { isId } from '../../kernel/values/ids.ts';
import { parseUrl } from '../../kernel/values/http.ts';
import { ConfigError, flagSetting } from './reading.ts';

/** A role that members of a group of the identity provider have; without an organisation, in the one of the first start. */
export type GroupRole = { readonly group: string; readonly role: GivenRole; readonly organisationId?: string };

/** Roles that a group can give. Ownership is handed over by people. */
const GIVEN_ROLES = ['viewer', 'developer', 'admin'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];

/** An OpenID provider that the operator trusts to say who somebody is. */
export type SingleSignOnSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which has PKCE alone. */
  readonly clientSecret?: string;
  /** Name on the button. */
  readonly name: string;
  readonly scopes: string;
  /** The provider checks every address itself, though it sends no `email_verified`. */
  readonly isEmailTrusted: boolean;
  /** Nobody but owners signs in by password. */
  readonly isOnly: boolean;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
};

/** The settings as they stand in the environment. */
export const singleSignOnVariables = {
  OIDC_ISSUER: z.string().optional(),
  OIDC_CLIENT_ID: z.string().min(1).max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).max(2_000).optional(),
  OIDC_CLIENT_SECRET_FILE: z.string().optional(),
  OIDC_NAME: z.string().max(100).default('single sign-on'),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes with one space between them')
    .refine((value) => value.split(' ').includes('openid'), 'must hold the scope openid')
    .default('openid email profile'),
  OIDC_TRUST_EMAIL: flagSetting.default(false),
  OIDC_ONLY: flagSetting.default(false),
  OIDC_GROUPS_CLAIM: z.string().min(1).max(200).default('groups'),
  OIDC_ROLES: z.string().max(20_000).default(''),
} as const;

type Variables = z.output<z.ZodObject<typeof singleSignOnVariables>>;

/** Undefined where no provider is named. Throws ConfigError for a half of the settings, and for one that cannot be used. */
export function readSingleSignOn(given: Variables): SingleSignOnSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    if (given.OIDC_ONLY || given.OIDC_ROLES !== '') throw new ConfigError('OIDC_ONLY and OIDC_ROLES need OIDC_ISSUER');
    return undefined;
  }
  if (issuer === undefined || clientId === undefined)
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID go together');
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

/** Plain http is for a provider on this machine. */
function refuseIssuer(issuer: string): void {
  const url = parseUrl(issuer);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)))
    throw new ConfigError('OIDC_ISSUER must be a URL that begins with https://');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new ConfigError('OIDC_ISSUER must be a URL without a query, a fragment and a user');
}

/** Reads `<group>=<role>` and `<group>=<role>@<organisation>`, comma-separated. */
function readGroupRoles(text: string): GroupRole[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      // A group may have such a sign in its name, as names of directories do.
      const split = item.lastIndexOf('=');
      const group = item.slice(0, Math.max(split, 0)).trim();
      const [wanted = '', organisationId, ...more] = item
        .slice(split + 1)
        .trim()
        .split('@');
      const role = GIVEN_ROLES.find((each) => each === wanted);
      if (group === '' || role === undefined || more.length > 0)
        throw new ConfigError(
          `OIDC_ROLES has ${item}, and must be <group>=<role> or <group>=<role>@<organisation>, with ${GIVEN_ROLES.join(', ')} as roles`,
        );
      if (organisationId === undefined) return { group, role };
      if (!isId('organisation', organisationId))
        throw new ConfigError(`OIDC_ROLES has ${organisationId}, which is no id of an organisation`);
      return { group, role, organisationId };
    });
}
