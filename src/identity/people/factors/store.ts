import type { DatabaseTransaction } from '../../../platform/db/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

/** The encrypted secret of an authenticator app, and the state of its codes. */
export type TotpRow = { ciphertext: string; createdAt: Date; confirmedAt: Date | null; lastStep: number | null };

export const findTotp = (db: Db, userId: string): Promise<TotpRow | null> =>
  db.totpFactor.findUnique({ where: { userId } });

/** Stores a secret, replacing one that was never confirmed. */
export async function keepTotp(db: Db, userId: string, ciphertext: string, createdAt: Date): Promise<void> {
  const row = { ciphertext, createdAt, confirmedAt: null, lastStep: null };
  await db.totpFactor.upsert({ where: { userId }, create: { userId, ...row }, update: row });
}

/**
 * Uses up the code of a time step and stores the re-encrypted secret. Returns false if another use, in whatever
 * process, was faster.
 */
export async function useStep(
  db: Db,
  userId: string,
  use: { step: number; read: string; sealedAnew: string; confirmedAt: Date },
): Promise<boolean> {
  const { count } = await db.totpFactor.updateMany({
    where: { userId, ciphertext: use.read, OR: [{ lastStep: null }, { lastStep: { lt: use.step } }] },
    data: { lastStep: use.step, ciphertext: use.sealedAnew, confirmedAt: use.confirmedAt },
  });
  return count > 0;
}

/** Removes the authenticator app. Returns false if there was none that was confirmed. */
export async function deleteTotp(db: Db, userId: string): Promise<boolean> {
  return (await db.totpFactor.deleteMany({ where: { userId, confirmedAt: { not: null } } })).count > 0;
}

export async function replaceRecoveryCodes(db: Db, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await db.recoveryCode.deleteMany({ where: { userId } });
  await db.recoveryCode.createMany({ data: hashes.map((hash) => ({ hash: new Uint8Array(hash), userId })) });
}

/** Uses up a code of that user. Returns false if it does not exist or was used before. */
export const useRecoveryCode = async (db: Db, userId: string, hash: Buffer): Promise<boolean> =>
  (await db.recoveryCode.deleteMany({ where: { userId, hash: new Uint8Array(hash) } })).count > 0;

/** Returns the factors of a user, without secrets. `totp` is when the app was confirmed. */
export async function countFactors(
  db: Db,
  userId: string,
): Promise<{ email: string; hasPassword: boolean; totp: Date | undefined; passkeys: number; recoveryCodes: number }> {
  const row = await db.user.findUniqueOrThrow({
    where: { id: userId },
    select: {
      email: true,
      passwordHash: true,
      totpFactor: true,
      _count: { select: { recoveryCodes: true, passkeys: true } },
    },
  });
  return {
    email: row.email,
    hasPassword: row.passwordHash !== null,
    totp: row.totpFactor?.confirmedAt ?? undefined,
    passkeys: row._count.passkeys,
    recoveryCodes: row._count.recoveryCodes,
  };
}

/** Removes all factors of a user, and ends sign-ins that wait for one. Returns true if there was an active factor. */
export async function deleteFactors(db: Db, userId: string): Promise<boolean> {
  const isApp = await deleteTotp(db, userId);
  const { count: passkeys } = await db.passkey.deleteMany({ where: { userId } });
  await db.totpFactor.deleteMany({ where: { userId } });
  await db.recoveryCode.deleteMany({ where: { userId } });
  await endSecondSteps(db, userId);
  return isApp || passkeys > 0;
}

/** Ends every sign-in of a user that waits for a second factor. */
export async function endSecondSteps(db: Db, userId: string): Promise<void> {
  await db.secondStep.deleteMany({ where: { userId } });
}
