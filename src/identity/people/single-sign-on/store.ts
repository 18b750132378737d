import type { DatabaseTransaction } from '../../../platform/db/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

/** A browser that was sent to the identity provider. */
export type SignOnAttempt = {
  /** The session of one who proves once more who they are; undefined for one who signs in. */
  sessionId: string | undefined;
  returnTo: string;
};

/** Keeps an attempt, and forgets those whose time is over. */
export async function insertAttempt(
  db: Db,
  { sessionId, ...attempt }: SignOnAttempt & { hash: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await db.singleSignOnAttempt.deleteMany({ where: { expiresAt: { lte: now } } });
  const hash = new Uint8Array(attempt.hash);
  await db.singleSignOnAttempt.create({ data: { ...attempt, hash, sessionId: sessionId ?? null } });
}

/** Uses an attempt up. Undefined when it was used before, has expired or never was. */
export async function useAttempt(db: Db, hash: Buffer, now: Date): Promise<SignOnAttempt | undefined> {
  const [row] = await db.$queryRaw<{ session_id: string | null; return_to: string }[]>`
    DELETE FROM single_sign_on_attempts WHERE hash = ${new Uint8Array(hash)} AND expires_at > ${now}
    RETURNING session_id, return_to`;
  return row === undefined ? undefined : { sessionId: row.session_id ?? undefined, returnTo: row.return_to };
}

export type Identity = { issuer: string; subject: string };

/** The account of a person at the identity provider. */
export async function findUserOf(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db.identity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { userId: true },
  });
  return row?.userId;
}

/** Whether an account is somebody at that provider already. */
export const hasIdentity = async (db: Db, userId: string, issuer: string): Promise<boolean> =>
  (await db.identity.count({ where: { userId, issuer } })) > 0;

export async function insertIdentity(db: Db, identity: Identity & { userId: string; createdAt: Date }): Promise<void> {
  await db.identity.create({ data: identity });
}

/** The person of a session that has not been revoked. */
export async function findUserOfSession(db: Db, id: string): Promise<string | undefined> {
  return (await db.session.findUnique({ where: { id }, select: { userId: true } }))?.userId;
}

// Any number, the same in every process.
const LOCK_NUMBER = 7_220_636;

/** Lets one transaction at a time look for an account and link it. The cast: Prisma cannot read a `void` column. */
export async function lockIdentities(db: Db): Promise<void> {
  await db.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})::text`;
}
