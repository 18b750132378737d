import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import type { Caller } from '../../../api/caller.ts';
import { isAtLeast, type Role } from '../../../kernel/words/rights.ts';
import type { Member } from './schema.ts';
import { findRole, findRolesOf, lockMembers, lockPeople } from './store.ts';

/** One text for an organisation that the person is no member of, and one that does not exist. */
const noOrganisation = (): ApiError => new ApiError('NOT_FOUND', 'No such organisation of yours');

export const noMember = (): ApiError => new ApiError('NOT_FOUND', 'No such member of this organisation');

export const takesRole = (least: Role): ApiError =>
  new ApiError('FORBIDDEN', `This takes the role ${least} in the organisation`);

/** The role of the caller in an organisation. Throws NOT_FOUND for one who has none there, FORBIDDEN below `least`. */
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

/** Everybody in an organisation and the caller among them, kept from changing until the transaction ends. */
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
 * The role of the caller, who is admin at least, kept from changing until the transaction ends: a right that is lost meanwhile makes
 * nothing that outlives it.
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
 * The caller, who owns the organisation, and a member whose ways to sign in the caller may change, both kept from changing until the
 * transaction ends. A password opens every organisation of its person, so nobody may enter one by it that is not their own. Throws
 * FORBIDDEN for the member of such a one.
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

/** One member does something to a member: gives a role, or removes where none is wanted. */
type MemberChange = { actor: Role; target: Role; wanted: Role | undefined; isSelf: boolean };

/** The role that the change takes; undefined when the actor has it. Everybody may leave. Owners alone deal with owners. */
export function lackingRole({ actor, target, wanted, isSelf }: MemberChange): Role | undefined {
  if (isSelf && wanted === undefined) return undefined;
  const needed = target === 'owner' || wanted === 'owner' ? 'owner' : 'admin';
  return isAtLeast(actor, needed) ? undefined : needed;
}

/** Whether nobody would own the organisation any more. `owners` is their number before. */
export const losesLastOwner = ({ target, wanted }: MemberChange, owners: number): boolean =>
  target === 'owner' && wanted !== 'owner' && owners <= 1;
