import type { DatabaseTransaction } from '../../../platform/db/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

/** A browser that was sent to the identity provider. */
export type SignOnAttempt = {
  /** The session of a user who authenticates again; undefined for a sign-in. */
  sessionId: string | undefined;
  returnTo: string;
};

/** Stores an attempt, and deletes expired ones. */
export async function insertAttempt(
  db: Db,
  { sessionId, ...attempt }: SignOnAttempt & { hash: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await db.singleSignOnAttempt.deleteMany({ where: { expiresAt: { lte: now } } });
  const hash = new Uint8Array(attempt.hash);
  await db.singleSignOnAttempt.create({ data: { ...attempt, hash, sessionId: sessionId ?? null } });
}

/** Uses up an attempt. Undefined if it was used, has expired or never existed. */
export async function useAttempt(db: Db, hash: Buffer, now: Date): Promise<SignOnAttempt | undefined> {
  const [row] = await db.$queryRaw<{ session_id: string | null; return_to: string }[]>`
    DELETE FROM single_sign_on_attempts WHERE hash = ${new Uint8Array(hash)} AND expires_at > ${now}
    RETURNING session_id, return_to`;
  return row === undefined ? undefined : { sessionId: row.session_id ?? undefined, returnTo: row.return_to };
}

export type Identity = { issuer: string; subject: string };

/** Returns the account linked to an identity. */
export async function findUserOf(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db.identity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { userId: true },
  });
  return row?.userId;
}

/** Whether an account is already linked to an identity at that provider. */
export const hasIdentity = async (db: Db, userId: string, issuer: string): Promise<boolean> =>
  (await db.identity.count({ where: { userId, issuer } })) > 0;

export async function insertIdentity(db: Db, identity: Identity & { userId: string; createdAt: Date }): Promise<void> {
  await db.identity.create({ data: identity });
}

/** Returns the user of a session that has not been revoked. */
export async function findUserOfSession(db: Db, id: string): Promise<string | undefined> {
  return (await db.session.findUnique({ where: { id }, select: { userId: true } }))?.userId;
}

// An arbitrary number, the same in every process.
const LOCK_NUMBER = 7_220_636;

/**
 * Allows one transaction at a time to search for an account and link it. The cast: Prisma cannot read a `void` column.
 */
export async function lockIdentities(db: Db): Promise<void> {
  await db.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})::text`;
}
