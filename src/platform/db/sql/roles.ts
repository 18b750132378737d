import type { Role } from '../../../kernel/words/rights.ts';
import type { DatabaseTransaction } from '../client.ts';

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
