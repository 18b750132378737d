import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { Role } from '../../../kernel/words/rights.ts';
import type { Member, Invitation } from './schema.ts';
import type { Invitation as InvitationRow } from '../../../platform/db/generated/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';
export { findRole } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;
type Row = { userId: string; role: string; createdAt: Date; user: { email: string; name: string } };

const include = { user: { select: { email: true, name: true } } } as const;
// The column has a check constraint.
const readRole = (role: string): Role => role as Role;

const toMember = ({ userId, role, createdAt, user }: Row): Member => ({
  userId,
  email: user.email,
  name: user.name,
  role: readRole(role),
  createdAt,
});

/** Returns the rows of a page and one more, newest accounts first. */
export async function findMembers(
  db: Db,
  organisationId: string,
  page: PageRequest,
  userIds?: string[],
): Promise<{ id: string; member: Member }[]> {
  const rows = await db.member.findMany({
    where: {
      organisationId,
      userId: { ...(userIds && { in: userIds }), ...(page.after !== undefined && { lt: page.after }) },
    },
    orderBy: { userId: 'desc' },
    take: page.limit + 1,
    include,
  });
  return rows.map((row) => ({ id: row.userId, member: toMember(row) }));
}

/** Locks organisations until the transaction ends, which keeps their members from changing. */
export async function lockOrganisations(db: Db, ids: readonly string[]): Promise<void> {
  await db.$queryRaw`SELECT FROM organisations WHERE id = ANY(${[...ids]}) ORDER BY id FOR NO KEY UPDATE`;
}

/**
 * Locks an organisation until the transaction ends, which keeps its members from changing, and returns the members by
 * user id.
 */
export async function lockMembers(db: Db, organisationId: string): Promise<ReadonlyMap<string, Member>> {
  await lockOrganisations(db, [organisationId]);
  const rows = await db.member.findMany({ where: { organisationId }, include });
  return new Map(rows.map((row) => [row.userId, toMember(row)]));
}

export async function writeRole(db: Db, organisationId: string, userId: string, role: Role): Promise<void> {
  await db.member.update({ where: { organisationId_userId: { organisationId, userId } }, data: { role } });
}

export async function insertMember(db: Db, organisationId: string, userId: string, role: Role): Promise<void> {
  await db.member.create({ data: { organisationId, userId, role } });
}

export async function deleteMember(db: Db, organisationId: string, userId: string): Promise<void> {
  await db.member.delete({ where: { organisationId_userId: { organisationId, userId } } });
}

/** Returns the roles of a user by organisation id. */
export async function findRolesOf(db: Db, userId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await db.member.findMany({ where: { userId } });
  return new Map(rows.map(({ organisationId, role }) => [organisationId, readRole(role)]));
}

/** Returns id and name of the organisation with that id, or of the two oldest. */
export const findOrganisations = (db: Db, id?: string): Promise<{ id: string; name: string }[]> =>
  db.organisation.findMany({
    where: id === undefined ? {} : { id },
    orderBy: { id: 'asc' },
    take: 2,
    select: { id: true, name: true },
  });

/** Unlinks an account from all identity providers. Returns the number of links. */
export const deleteIdentities = async (db: Db, userId: string): Promise<number> =>
  (await db.identity.deleteMany({ where: { userId } })).count;

/** Whether an account is linked to any identity provider, including earlier ones. */
export const hasAnyIdentity = async (db: Db, userId: string): Promise<boolean> =>
  (await db.identity.count({ where: { userId } })) > 0;

const toInvitation = ({ id, email, role, invitedBy, createdAt, expiresAt }: InvitationRow): Invitation => ({
  id,
  email,
  role: readRole(role),
  invitedBy,
  createdAt,
  expiresAt,
});

type InvitationDraft = Invitation & { organisationId: string; hash: Buffer };

/** Stores an invitation, replacing an earlier one of that address, and deletes expired ones. */
export async function insertInvitation(db: Db, { hash, ...draft }: InvitationDraft): Promise<Invitation> {
  const { organisationId, email, createdAt } = draft;
  await db.invitation.deleteMany({ where: { organisationId, OR: [{ email }, { expiresAt: { lte: createdAt } }] } });
  return toInvitation(await db.invitation.create({ data: { ...draft, hash: new Uint8Array(hash) } }));
}

/** Returns the open invitation of an address to the organisation. */
export async function findInvitationOf(
  db: Db,
  { organisationId, email }: { organisationId: string; email: string },
  now: Date,
): Promise<Invitation | undefined> {
  const row = await db.invitation.findFirst({ where: { organisationId, email, expiresAt: { gt: now } } });
  return row === null ? undefined : toInvitation(row);
}

/** Returns the rows of a page and one more, newest first, without expired ones. */
export async function findInvitations(
  db: Db,
  organisationId: string,
  page: PageRequest,
  now: Date,
): Promise<Invitation[]> {
  const rows = await db.invitation.findMany({
    where: { organisationId, expiresAt: { gt: now }, ...(page.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toInvitation);
}

/** Returns an open invitation by the hash of its code. */
export async function findOpenInvitation(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<(Invitation & { organisation: { id: string; name: string } }) | undefined> {
  const row = await db.invitation.findUnique({
    where: { hash: new Uint8Array(hash), expiresAt: { gt: now } },
    include: { organisation: { select: { id: true, name: true } } },
  });
  return row === null ? undefined : { ...toInvitation(row), organisation: row.organisation };
}

/** An invitation that can still be accepted. */
export type OpenInvitation = { hash: Buffer; organisationId: string; role: Role };

/** Returns all open invitations of an address. */
export async function findOpenInvitationsTo(db: Db, email: string, now: Date): Promise<OpenInvitation[]> {
  const where = { email, expiresAt: { gt: now } };
  const rows = await db.invitation.findMany({ where, orderBy: { organisationId: 'asc' } });
  return rows.map(({ hash, organisationId, role }) => ({
    hash: Buffer.from(hash),
    organisationId,
    role: readRole(role),
  }));
}

/** Uses up an invitation. Returns false if another request was faster or has revoked it. */
export const useInvitation = async (db: Db, hash: Buffer, now: Date): Promise<boolean> =>
  (await db.invitation.deleteMany({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } })).count > 0;

/** Returns the role of an invitation; undefined if it does not exist. */
export async function findInvitedRole(db: Db, organisationId: string, id: string): Promise<Role | undefined> {
  const row = await db.invitation.findFirst({ where: { id, organisationId }, select: { role: true } });
  return row === null ? undefined : readRole(row.role);
}

export async function deleteInvitation(db: Db, organisationId: string, id: string): Promise<void> {
  await db.invitation.deleteMany({ where: { id, organisationId } });
}

/** Deletes the invitations that a user has created. */
export async function deleteInvitationsBy(db: Db, organisationId: string, userId: string): Promise<void> {
  await db.invitation.deleteMany({ where: { organisationId, invitedBy: userId } });
}
