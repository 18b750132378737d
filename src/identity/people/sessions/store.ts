import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Session as SessionRow } from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { EnvironmentKind, Role } from '../../../kernel/words/rights.ts';
import type { Means } from '../../../api/person-fields.ts';
import type { Session, SignedIn } from './schema.ts';

type Db = DatabaseTransaction;

/** A session as authentication needs to know it. */
export type KnownSession = {
  id: string;
  userId: string;
  authenticatedAt: Date;
  lastUsedAt: Date;
  /** Organisations of the person, each with the role there. */
  roles: ReadonlyMap<string, Role>;
};

export type SessionDraft = {
  id: string;
  userId: string;
  hash: Buffer;
  createdAt: Date;
  authenticatedAt: Date;
  expiresAt: Date;
  address: string;
  userAgent: string | undefined;
  provenBy: readonly Means[];
};

export async function insertSession(
  db: Db,
  { hash, userAgent, createdAt, provenBy, ...draft }: SessionDraft,
): Promise<void> {
  await db.session.create({
    data: {
      ...draft,
      provenBy: [...provenBy],
      createdAt,
      lastUsedAt: createdAt,
      hash: new Uint8Array(hash),
      userAgent: userAgent ?? null,
    },
  });
}

/** The session with this hash, unless it has ended: used since `usedSince` and not expired at `now`. */
export async function findKnownSession(
  db: Db,
  hash: Buffer,
  { now, usedSince }: Living,
): Promise<KnownSession | undefined> {
  const row = await db.session.findUnique({
    where: { hash: new Uint8Array(hash), expiresAt: { gt: now }, lastUsedAt: { gt: usedSince } },
    include: { user: { select: { members: { select: { organisationId: true, role: true } } } } },
  });
  if (row === null) return undefined;
  const { id, userId, authenticatedAt, lastUsedAt, user } = row;
  const roles = new Map(user.members.map(({ organisationId, role }) => [organisationId, readRole(role)]));
  return { id, userId, authenticatedAt, lastUsedAt, roles };
}

/** Sessions that have not ended: used since `usedSince`, and not expired at `now`. */
export type Living = { now: Date; usedSince: Date };

const living = ({ now, usedSince }: Living) => ({ expiresAt: { gt: now }, lastUsedAt: { gt: usedSince } });

/**
 * Keeps a session from being deleted until the transaction ends. False when there is none of that id. Notes of its use go on, and other
 * transactions may keep it too.
 */
export const holdSession = async (db: Db, id: string): Promise<boolean> =>
  (await db.$queryRaw<unknown[]>`SELECT FROM sessions WHERE id = ${id} FOR KEY SHARE`).length > 0;

/** Notes a use, unless another request has noted one since `unlessSince`. */
export async function touchSession(db: Db, id: string, now: Date, unlessSince: Date): Promise<void> {
  await db.session.updateMany({ where: { id, lastUsedAt: { lt: unlessSince } }, data: { lastUsedAt: now } });
}

/** Puts another secret in the place of the one that a session has. False when there is none of that id. */
export async function replaceSecret(db: Db, id: string, hash: Buffer, authenticatedAt?: Date): Promise<boolean> {
  const data = { hash: new Uint8Array(hash), ...(authenticatedAt !== undefined && { authenticatedAt }) };
  return (await db.session.updateMany({ where: { id }, data })).count > 0;
}

/** Notes a further means by which its person has proven who they are. */
export async function addMeans(db: Db, id: string, by: Means): Promise<void> {
  await db.session.updateMany({ where: { id, NOT: { provenBy: { has: by } } }, data: { provenBy: { push: by } } });
}

/** Ends a session of that person. False when there is none of that id. */
export const deleteSession = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await db.session.deleteMany({ where: { id, userId } })).count > 0;

/** Ends the session with this hash, whoever's it is. */
export async function deleteSessionByHash(db: Db, hash: Buffer): Promise<void> {
  await db.session.deleteMany({ where: { hash: new Uint8Array(hash) } });
}

/** Ends all sessions of a person but one, and sign-ins that wait for their second step. Returns how many had not ended by themselves. */
export async function deleteSessions(db: Db, userId: string, but: string | undefined, alive: Living): Promise<number> {
  const where = { userId, ...(but !== undefined && { id: { not: but } }) };
  const count = await db.session.count({ where: { ...where, ...living(alive) } });
  await db.session.deleteMany({ where });
  // A sign-in that is half done is as good as a session.
  await db.secondStep.deleteMany({ where: { userId } });
  return count;
}

/** Removes what has ended by itself, of everybody. */
export async function deleteEnded(db: Db, { now, usedSince }: Living): Promise<void> {
  await db.session.deleteMany({ where: { OR: [{ expiresAt: { lte: now } }, { lastUsedAt: { lte: usedSince } }] } });
}

/** The rows of one page and one more, newest first. */
export const findSessions = (db: Database, userId: string, page: PageRequest, alive: Living): Promise<SessionRow[]> =>
  db.session.findMany({
    where: {
      AND: [{ userId, ...living(alive) }, ...(page.after === undefined ? [] : [{ id: { lt: page.after } }])],
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });

/** Who has that session, and where that person may act. */
export async function findSignedIn(db: Db, id: string): Promise<SignedIn | undefined> {
  const apps = { select: { id: true, name: true, slug: true }, orderBy: { id: 'asc' } } as const;
  const row = await db.session.findUnique({
    where: { id },
    include: { user: { include: { members: { include: { organisation: { include: { apps } } } } } } },
  });
  if (row === null) return undefined;
  const { user } = row;
  return {
    user: { id: user.id, email: user.email, name: user.name },
    session: toSession(row, id),
    organisations: user.members.map(({ role, organisation }) => ({
      id: organisation.id,
      name: organisation.name,
      role: readRole(role),
      apps: organisation.apps,
    })),
  };
}

export const toSession = (row: SessionRow, current: string): Session => ({
  id: row.id,
  isCurrent: row.id === current,
  createdAt: row.createdAt,
  authenticatedAt: row.authenticatedAt,
  // `as`: only means are written.
  provenBy: row.provenBy as Means[],
  lastUsedAt: row.lastUsedAt,
  expiresAt: row.expiresAt,
  address: row.address,
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
});

/** An app, and its environment of that kind where one is named. */
export async function findApp(
  db: Db,
  appId: string,
  kind: EnvironmentKind | undefined,
): Promise<{ organisationId: string; environmentId: string | undefined; isSuspended: boolean } | undefined> {
  const row = await db.app.findUnique({
    where: { id: appId },
    select: { organisationId: true, status: true, environments: { where: { kind: kind ?? '' }, select: { id: true } } },
  });
  if (row === null) return undefined;
  const { organisationId, status, environments } = row;
  return { organisationId, environmentId: environments[0]?.id, isSuspended: status !== 'active' };
}

// The column has a check constraint.
const readRole = (role: string): Role => role as Role;
