import type { SingleSignOnSettings, GivenRole, GroupRole } from '../../../platform/config/single-sign-on.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { emailField, personName } from '../../../api/person-fields.ts';
import { isAtLeast } from '../../../kernel/words/rights.ts';

/** A user as described by the identity provider. */
export type ProvenPerson = {
  issuer: string;
  subject: string;
  /** In lower case. Absent unless the provider has verified it. */
  email?: string;
  name: string;
  /** Empty if the claim is missing, which is how many providers express that the user has no groups. */
  groups: readonly string[];
  /** When the user authenticated at the provider. Absent if the provider does not say. */
  authenticatedAt?: Date;
};

type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };
type Settings = Pick<SingleSignOnSettings, 'groupsClaim' | 'isEmailTrusted'>;

/** OpenID Connect Core, section 2: maximum number of ASCII characters. */
const MAX_SUBJECT = 255;

/** Reads the claims of a verified ID token. Returns undefined if the subject is invalid. */
export function readPerson(claims: Claims, { groupsClaim, isEmailTrusted }: Settings): ProvenPerson | undefined {
  const { iss: issuer, sub: subject, auth_time: authTime } = claims;
  if (subject.length > MAX_SUBJECT || !/^[\x20-\x7e]+$/.test(subject)) return undefined;
  const email = readEmail(claims, isEmailTrusted);
  return {
    issuer,
    subject,
    name: readName(claims) ?? email ?? subject.slice(0, 100),
    groups: readGroups(claims[groupsClaim]),
    ...(email !== undefined && { email }),
    ...(typeof authTime === 'number' && { authenticatedAt: new Date(authTime * 1_000) }),
  };
}

/** An unverified address would give access to the account of its real owner. */
function readEmail({ email, email_verified: isVerified }: Claims, isEmailTrusted: boolean): string | undefined {
  // Some providers send the boolean as a string. False is false, whatever the operator trusts.
  const isChecked = isVerified === true || isVerified === 'true' || (isEmailTrusted && isVerified === undefined);
  const read = isChecked ? emailField.safeParse(email) : undefined;
  return read?.data;
}

function readName({ name, preferred_username: username }: Claims): string | undefined {
  return [name, username]
    .map((each) => personName.safeParse(each).data)
    .find((each) => each !== undefined && nameProblem(each) === undefined);
}

/** A single group may come as a string. */
function readGroups(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}

/**
 * Returns the role of a user with these groups in each organisation named in the settings: the highest that applies, or
 * undefined if none does. `first` is the organisation of entries without one.
 */
export function rolesByGroups(
  groups: readonly string[],
  groupRoles: readonly GroupRole[],
  first: string | undefined,
): ReadonlyMap<string, GivenRole | undefined> {
  const roles = new Map<string, GivenRole | undefined>();
  for (const { group, role, organisationId = first } of groupRoles) {
    if (organisationId === undefined) continue;
    const before = roles.get(organisationId);
    const isHigher = groups.includes(group) && (before === undefined || isAtLeast(role, before));
    roles.set(organisationId, isHigher ? role : before);
  }
  return roles;
}
