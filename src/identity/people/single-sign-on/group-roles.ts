import type { GivenRole, GroupRole } from '../../../platform/config/single-sign-on.ts';
import { isAtLeast } from '../../../kernel/words/rights.ts';

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
