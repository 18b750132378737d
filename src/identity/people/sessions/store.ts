import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Session as SessionRow } from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { EnvironmentKind, Role } from '../../../kernel/words/rights.ts';
import type { Means } from '../../../api/person-fields.ts';
import type { Session, SignedIn } from './schema.ts';

type Db = DatabaseTransaction;

/** What authentication needs from a session. */
export type KnownSession = {
  id: string;
  userId: string;
  authenticatedAt: Date;
  lastUsedAt: Date;
  /** Organisations of the user, with their role in each. */
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

/**
 * Returns the session with this hash, unless it has ended: it must have been used since `usedSince` and not be expired
 * at `now`.
 */
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

/** Condition for sessions that have not ended: used since `usedSince`, and not expired at `now`. */
export type Living = { now: Date; usedSince: Date };

const living = ({ now, usedSince }: Living) => ({ expiresAt: { gt: now }, lastUsedAt: { gt: usedSince } });

/**
 * Keeps a session from being deleted until the transaction ends. Returns false if it does not exist. Recording its use
 * is still possible, and other transactions can hold it too.
 */
export const holdSession = async (db: Db, id: string): Promise<boolean> =>
  (await db.$queryRaw<unknown[]>`SELECT FROM sessions WHERE id = ${id} FOR KEY SHARE`).length > 0;

/** Records a use, unless another request has recorded one since `unlessSince`. */
export async function touchSession(db: Db, id: string, now: Date, unlessSince: Date): Promise<void> {
  await db.session.updateMany({ where: { id, lastUsedAt: { lt: unlessSince } }, data: { lastUsedAt: now } });
}

/** Replaces the secret of a session. Returns false if it does not exist. */
export async function replaceSecret(db: Db, id: string, hash: Buffer, authenticatedAt?: Date): Promise<boolean> {
  const data = { hash: new Uint8Array(hash), ...(authenticatedAt !== undefined && { authenticatedAt }) };
  return (await db.session.updateMany({ where: { id }, data })).count > 0;
}

/** Records a further method by which the user has authenticated. */
export async function addMeans(db: Db, id: string, by: Means): Promise<void> {
  await db.session.updateMany({ where: { id, NOT: { provenBy: { has: by } } }, data: { provenBy: { push: by } } });
}

/** Ends a session of that user. Returns false if it does not exist. */
export const deleteSession = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await db.session.deleteMany({ where: { id, userId } })).count > 0;

/** Ends the session with this hash, whoever it belongs to. */
export async function deleteSessionByHash(db: Db, hash: Buffer): Promise<void> {
  await db.session.deleteMany({ where: { hash: new Uint8Array(hash) } });
}

/**
 * Ends all sessions of a user except `but`, and sign-ins that wait for a second factor. Returns how many had not
 * already ended.
 */
export async function deleteSessions(db: Db, userId: string, but: string | undefined, alive: Living): Promise<number> {
  const where = { userId, ...(but !== undefined && { id: { not: but } }) };
  const count = await db.session.count({ where: { ...where, ...living(alive) } });
  await db.session.deleteMany({ where });
  // A pending sign-in is as good as a session.
  await db.secondStep.deleteMany({ where: { userId } });
  return count;
}

/** Deletes the sessions of all users that have ended. */
export async function deleteEnded(db: Db, { now, usedSince }: Living): Promise<void> {
  await db.session.deleteMany({ where: { OR: [{ expiresAt: { lte: now } }, { lastUsedAt: { lte: usedSince } }] } });
}

/** Returns the rows of a page and one more, newest first. */
export const findSessions = (db: Database, userId: string, page: PageRequest, alive: Living): Promise<SessionRow[]> =>
  db.session.findMany({
    where: {
      AND: [{ userId, ...living(alive) }, ...(page.after === undefined ? [] : [{ id: { lt: page.after } }])],
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });

/** Returns the user of that session, and the organisations and apps they can use. */
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
  // `as`: only authentication methods are written.
  provenBy: row.provenBy as Means[],
  lastUsedAt: row.lastUsedAt,
  expiresAt: row.expiresAt,
  address: row.address,
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
});

/** Returns an app, and its environment of that kind if one is named. */
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
