import { isAtLeast, type Role } from '../../../kernel/words/rights.ts';

/** One member does something to a member: gives a role, or removes where none is wanted. */
export type MemberChange = { actor: Role; target: Role; wanted: Role | undefined; isSelf: boolean };

/** The role that the change takes; undefined when the actor has it. Everybody may leave. Owners alone deal with owners. */
export function lackingRole({ actor, target, wanted, isSelf }: MemberChange): Role | undefined {
  if (isSelf && wanted === undefined) return undefined;
  const needed = target === 'owner' || wanted === 'owner' ? 'owner' : 'admin';
  return isAtLeast(actor, needed) ? undefined : needed;
}

/** Whether nobody would own the organisation any more. `owners` is their number before. */
export const losesLastOwner = ({ target, wanted }: MemberChange, owners: number): boolean =>
  target === 'owner' && wanted !== 'owner' && owners <= 1;
