import type { DatabaseTransaction } from '../client.ts';
import type { Role } from '../../../kernel/words/rights.ts';

/**
 * Locks users until the transaction ends. Everything that removes or adds a way to sign in as a user takes this lock before it reads:
 * password, second factors, sessions, and memberships of organisations. So of two concurrent changes, the later one sees what the
 * earlier one has done. Locks of organisations come before it, those of codes and sessions after it.
 */
export async function lockPeople(db: DatabaseTransaction, userIds: readonly string[]): Promise<void> {
  await db.$queryRaw`SELECT FROM users WHERE id = ANY(${[...userIds]}) ORDER BY id FOR NO KEY UPDATE`;
}

/** The role of a user in an organisation; undefined if the user is not a member. */
export async function findRole(
  db: DatabaseTransaction,
  organisationId: string,
  userId: string,
): Promise<Role | undefined> {
  const row = await db.member.findUnique({ where: { organisationId_userId: { organisationId, userId } } });
  // `as`: the column has a check constraint.
  return row === null ? undefined : (row.role as Role);
}

/**
 * Does the same and locks the role until the transaction ends: every change of members takes a stronger lock on its organisation
 * (members/store.ts, lockOrganisations). The tenant role of PostgreSQL may lock organisations, but neither members nor users.
 */
export async function lockRole(
  db: DatabaseTransaction,
  organisationId: string,
  userId: string,
): Promise<Role | undefined> {
  await db.$queryRaw`SELECT FROM organisations WHERE id = ${organisationId} FOR SHARE`;
  return findRole(db, organisationId, userId);
}
