import type { DatabaseTransaction } from '../../db/client.ts';

type Db = DatabaseTransaction;

/** Things that a link of one use can stand for. */
export type CodePurpose = 'setup' | 'password-reset';

export async function insertCode(
  db: Db,
  code: { hash: Buffer; purpose: CodePurpose; userId?: string; createdAt: Date; expiresAt: Date },
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

/** The person whose password a code resets; undefined when it was used before, has expired, or never was. */
export async function findResetPerson(db: Db, hash: Buffer, now: Date): Promise<string | undefined> {
  const row = await db.oneTimeCode.findFirst({ where: valid(hash, 'password-reset', now), select: { userId: true } });
  return row?.userId ?? undefined;
}

/** Ends every link that would reset the password of a member of that organisation. */
export async function dropResetCodesOf(db: Db, organisationId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({
    where: { purpose: 'password-reset', user: { members: { some: { organisationId } } } },
  });
}

/** Ends every link that would reset that person's password. */
export async function dropResetCodes(db: Db, userId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { userId } });
}
