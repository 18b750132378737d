import type { DatabaseTransaction } from '../../../platform/db/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

/** Stores a sign-in that waits for its second factor, and deletes all expired ones. */
export async function insertSecondStep(
  db: Db,
  { hash, ...step }: { hash: Buffer; userId: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  await db.secondStep.deleteMany({ where: { expiresAt: { lte: now } } });
  await db.secondStep.create({ data: { ...step, hash: new Uint8Array(hash) } });
}

/** Returns the user of a pending sign-in. Undefined if it was completed, has expired, or does not exist. */
export async function findSecondStep(db: Db, hash: Buffer, now: Date): Promise<string | undefined> {
  const row = await db.secondStep.findUnique({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } });
  return row?.userId;
}

/** Completes a pending sign-in. Returns false if another request was faster. */
export const takeSecondStep = async (db: Db, hash: Buffer, now: Date): Promise<boolean> =>
  (await db.secondStep.deleteMany({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } })).count > 0;
