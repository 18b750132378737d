import type { SingleSignOnSettings, GivenRole, GroupRole } from '../../../platform/config/single-sign-on.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { emailField, personName } from '../../../api/person-fields.ts';
import { isAtLeast } from '../../../kernel/words/rights.ts';

/** A person as the identity provider describes them. */
export type ProvenPerson = {
  issuer: string;
  subject: string;
  /** In lower case; absent unless the provider has checked that the person has it. */
  email?: string;
  name: string;
  /** Empty without the claim, as many providers write that somebody is in none. */
  groups: readonly string[];
  /** When the person typed a password, or the like, there. Absent where the provider does not say. */
  authenticatedAt?: Date;
};

type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };
type Settings = Pick<SingleSignOnSettings, 'groupsClaim' | 'isEmailTrusted'>;

/** OpenID Connect Core, section 2: at most so many characters of ASCII. */
const MAX_SUBJECT = 255;

/** Reads the claims of a checked ID token. Undefined for a subject that is none. */
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

/** An address that nobody has checked would open the account of whoever has it. */
function readEmail({ email, email_verified: isVerified }: Claims, isEmailTrusted: boolean): string | undefined {
  // Some providers write the boolean as a text. A false one is false, whatever the operator trusts.
  const isChecked = isVerified === true || isVerified === 'true' || (isEmailTrusted && isVerified === undefined);
  const read = isChecked ? emailField.safeParse(email) : undefined;
  return read?.data;
}

function readName({ name, preferred_username: username }: Claims): string | undefined {
  return [name, username]
    .map((each) => personName.safeParse(each).data)
    .find((each) => each !== undefined && nameProblem(each) === undefined);
}

/** One group may come as a text of its own. */
function readGroups(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}

/**
 * The role that somebody in these groups has in each organisation that the settings name: the highest of several, undefined for none.
 * `first` is the organisation of entries without one.
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
