import type { DatabaseTransaction } from '../../../platform/db/client.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

/** Keeps a sign-in that waits for its second step, and forgets those of everybody whose time is over. */
export async function insertSecondStep(
  db: Db,
  { hash, ...step }: { hash: Buffer; userId: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  await db.secondStep.deleteMany({ where: { expiresAt: { lte: now } } });
  await db.secondStep.create({ data: { ...step, hash: new Uint8Array(hash) } });
}

/** Whose second step it is. Undefined when it was taken, has expired, or never was. */
export async function findSecondStep(db: Db, hash: Buffer, now: Date): Promise<string | undefined> {
  const row = await db.secondStep.findUnique({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } });
  return row?.userId;
}

/** Takes a second step. False when somebody was faster. */
export const takeSecondStep = async (db: Db, hash: Buffer, now: Date): Promise<boolean> =>
  (await db.secondStep.deleteMany({ where: { hash: new Uint8Array(hash), expiresAt: { gt: now } } })).count > 0;
