import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import type { Caller } from '../../../api/caller.ts';
import { isAtLeast, type Role } from '../../../kernel/words/rights.ts';
import type { Member } from './schema.ts';
import { findRole, findRolesOf, lockMembers, lockPeople } from './store.ts';

/** One text, whether the organisation does not exist or the user is not a member, so that it does not reveal which. */
const noOrganisation = (): ApiError => new ApiError('NOT_FOUND', 'You are not a member of such an organisation');

export const noMember = (): ApiError => new ApiError('NOT_FOUND', 'The organisation has no such member');

export const takesRole = (least: Role): ApiError =>
  new ApiError('FORBIDDEN', `You need at least the role ${least} in this organisation`);

/**
 * Returns the role of the caller in an organisation. Throws NOT_FOUND if the caller is not a member, and FORBIDDEN if
 * the role is below `least`.
 */
export async function requireRole(
  db: DatabaseTransaction,
  { principal }: Caller,
  organisationId: string,
  least: Role,
): Promise<Role> {
  const role = isId('organisation', organisationId) ? await findRole(db, organisationId, principal.id) : undefined;
  if (role === undefined) throw noOrganisation();
  if (!isAtLeast(role, least)) throw takesRole(least);
  return role;
}

/**
 * Returns the members of an organisation, the caller among them, and locks their rows until the transaction ends.
 * Throws NOT_FOUND if the caller is not a member.
 */
export async function lockAs(
  transaction: DatabaseTransaction,
  { principal }: Caller,
  organisationId: string,
): Promise<{ members: ReadonlyMap<string, Member>; self: Member }> {
  const members = isId('organisation', organisationId) ? await lockMembers(transaction, organisationId) : undefined;
  const self = members?.get(principal.id);
  if (members === undefined || self === undefined) throw noOrganisation();
  return { members, self };
}

/**
 * Returns the role of the caller and locks the members until the transaction ends, so that a right revoked meanwhile
 * cannot create anything that outlives it. Throws FORBIDDEN if the role is below admin.
 */
export async function lockAsAdmin(
  transaction: DatabaseTransaction,
  caller: Caller,
  organisationId: string,
): Promise<Role> {
  const { self } = await lockAs(transaction, caller, organisationId);
  if (!isAtLeast(self.role, 'admin')) throw takesRole('admin');
  return self.role;
}

/**
 * Returns the caller, who must own the organisation, and a member whose sign-in methods the caller may change. Locks
 * both until the transaction ends.
 *
 * A password gives access to every organisation of its user, so resetting it must not give the caller access to one
 * that is not their own. Throws FORBIDDEN if the member belongs to such an organisation.
 */
export async function lockOwned(
  transaction: DatabaseTransaction,
  caller: Caller,
  organisationId: string,
  userId: string,
): Promise<{ self: Member; member: Member }> {
  const { members, self } = await lockAs(transaction, caller, organisationId);
  if (self.role !== 'owner') throw takesRole('owner');
  const member = members.get(userId);
  if (member === undefined) throw noMember();
  await lockPeople(transaction, [userId, self.userId]);
  const [theirs, own] = [await findRolesOf(transaction, userId), await findRolesOf(transaction, self.userId)];
  if ([...theirs.keys()].some((each) => own.get(each) !== 'owner'))
    throw new ApiError('FORBIDDEN', 'The person is a member of an organisation that you do not own');
  return { self, member };
}

/** A member changes the role of a member (possibly their own), or removes one (`wanted` is undefined). */
type MemberChange = { actor: Role; target: Role; wanted: Role | undefined; isSelf: boolean };

/**
 * Returns the role that the change requires and the actor lacks; undefined if the change is allowed. Everyone may
 * leave; only owners may change or create owners.
 */
export function lackingRole({ actor, target, wanted, isSelf }: MemberChange): Role | undefined {
  if (isSelf && wanted === undefined) return undefined;
  const needed = target === 'owner' || wanted === 'owner' ? 'owner' : 'admin';
  return isAtLeast(actor, needed) ? undefined : needed;
}

/** Whether the change would leave the organisation without an owner. `owners` is the number of owners before it. */
export const losesLastOwner = ({ target, wanted }: MemberChange, owners: number): boolean =>
  target === 'owner' && wanted !== 'owner' && owners <= 1;
