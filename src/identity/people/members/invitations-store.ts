import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Invitation as InvitationRow } from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { Role } from '../../../kernel/words/rights.ts';
import type { Invitation } from './schema.ts';

type Db = DatabaseTransaction;

// The column has a check constraint.
const readRole = (role: string): Role => role as Role;

const toInvitation = ({ id, email, role, invitedBy, createdAt, expiresAt }: InvitationRow): Invitation => ({
  id,
  email,
  role: readRole(role),
  invitedBy,
  createdAt,
  expiresAt,
});

export type InvitationDraft = Invitation & { organisationId: string; hash: Buffer };

/** Stores an invitation in the place of an earlier one of that address, and forgets those that have expired. */
export async function insertInvitation(db: Db, { hash, ...draft }: InvitationDraft): Promise<Invitation> {
  const { organisationId, email, createdAt } = draft;
  await db.invitation.deleteMany({ where: { organisationId, OR: [{ email }, { expiresAt: { lte: createdAt } }] } });
  return toInvitation(await db.invitation.create({ data: { ...draft, hash: new Uint8Array(hash) } }));
}

/** The invitation of an address to the organisation that can still be accepted. */
export async function findInvitationOf(
  db: Db,
  { organisationId, email }: { organisationId: string; email: string },
  now: Date,
): Promise<Invitation | undefined> {
  const row = await db.invitation.findFirst({ where: { organisationId, email, expiresAt: { gt: now } } });
  return row === null ? undefined : toInvitation(row);
}

/** The rows of one page and one more, newest first, without those that have expired. */
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

/** An invitation that can still be accepted, by the hash of its code. */
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

/** An invitation that can be used yet. */
export type OpenInvitation = { hash: Buffer; organisationId: string; role: Role };

/** Every invitation of an address that can still be accepted. */
export async function findOpenInvitationsTo(db: Db, email: string, now: Date): Promise<OpenInvitation[]> {
  const where = { email, expiresAt: { gt: now } };
  const rows = await db.invitation.findMany({ where, orderBy: { organisationId: 'asc' } });
  return rows.map(({ hash, organisationId, role }) => ({
    hash: Buffer.from(hash),
    organisationId,
    role: readRole(role),
  }));
}

/** Uses an invitation up. False when somebody was faster, or has revoked it. */
export const useInvitation = async (db: Db, hash: Buffer, now: Date): Promise<boolean> =>
  (await db.invitation.deleteMany({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } })).count > 0;

/** The role that an invitation gives; undefined when there is none of that id. */
export async function findInvitedRole(db: Db, organisationId: string, id: string): Promise<Role | undefined> {
  const row = await db.invitation.findFirst({ where: { id, organisationId }, select: { role: true } });
  return row === null ? undefined : readRole(row.role);
}

export async function deleteInvitation(db: Db, organisationId: string, id: string): Promise<void> {
  await db.invitation.deleteMany({ where: { id, organisationId } });
}

/** Ends what a person has invited others to. */
export async function deleteInvitationsBy(db: Db, organisationId: string, userId: string): Promise<void> {
  await db.invitation.deleteMany({ where: { organisationId, invitedBy: userId } });
}
