import type { DatabaseTransaction } from '../../db/client.ts';

type Db = DatabaseTransaction;

/** Things that a link of one use can stand for. */
export type CodePurpose = 'setup';

export async function insertCode(
  db: Db,
  code: { hash: Buffer; purpose: CodePurpose; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { expiresAt: { lte: code.createdAt } } });
  await db.oneTimeCode.create({ data: { ...code, hash: new Uint8Array(code.hash) } });
}

const valid = (hash: Buffer, purpose: CodePurpose, now: Date) => ({
  hash: new Uint8Array(hash),
  purpose,
  expiresAt: { gt: now },
});

export const isCodeValid = async (db: Db, hash: Buffer, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.count({ where: valid(hash, purpose, now) })) > 0;

/** Uses a code up. False when it was used before, has expired, or never was. */
export const useCode = async (db: Db, hash: Buffer, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.deleteMany({ where: valid(hash, purpose, now) })).count > 0;

export const hasValidCode = async (db: Db, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.findFirst({ where: { purpose, expiresAt: { gt: now } }, select: { hash: true } })) !== null;

export async function dropCodes(db: Db, purpose: CodePurpose): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { purpose } });
}
