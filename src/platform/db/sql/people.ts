import type { DatabaseTransaction } from '../client.ts';
import type { Role } from '../../../kernel/words/rights.ts';

/**
 * Keeps people from changing until the transaction ends. Everything that ends or opens a way to sign in as somebody takes this lock
 * before it reads: their password, their second factors, their sessions, and the organisations they are a member of. So the later one
 * of two at the same moment sees what the earlier one has done. The locks of organisations come before it, those of codes and sessions
 * after it.
 */
export async function lockPeople(db: DatabaseTransaction, userIds: readonly string[]): Promise<void> {
  await db.$queryRaw`SELECT FROM users WHERE id = ANY(${[...userIds]}) ORDER BY id FOR NO KEY UPDATE`;
}

/** The role of a person in an organisation; undefined for one who is no member. */
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
 * The same, kept from changing until the transaction ends: every change of members locks its organisation for more than this
 * (members/store.ts, lockOrganisations). The tenant's role of PostgreSQL may lock organisations, and neither members nor users.
 */
export async function lockRole(
  db: DatabaseTransaction,
  organisationId: string,
  userId: string,
): Promise<Role | undefined> {
  await db.$queryRaw`SELECT FROM organisations WHERE id = ${organisationId} FOR SHARE`;
  return findRole(db, organisationId, userId);
}
