import type { DatabaseTransaction } from '../../../platform/db/client.ts';

type Db = DatabaseTransaction;

/** Things that a link of one use can stand for. */
export type CodePurpose = 'setup' | ResetPurpose;

const RESETS = ['password-reset', 'password-and-factors-reset'] as const;
/** The second one takes all second factors from the person too, once the link is used. */
export type ResetPurpose = (typeof RESETS)[number];

export async function insertCode(
  db: Db,
  code: { hash: Buffer; purpose: CodePurpose; userId?: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { expiresAt: { lte: code.createdAt } } });
  await db.oneTimeCode.create({ data: { ...code, hash: new Uint8Array(code.hash) } });
}

const valid = (hash: Buffer, now: Date) => ({ hash: new Uint8Array(hash), expiresAt: { gt: now } });

export const isCodeValid = async (db: Db, hash: Buffer, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.count({ where: { ...valid(hash, now), purpose } })) > 0;

/** Uses a code up. False when it was used before, has expired, or never was. */
export const useCode = async (db: Db, hash: Buffer, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.deleteMany({ where: { ...valid(hash, now), purpose } })).count > 0;

export async function dropCodes(db: Db, purpose: CodePurpose): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { purpose } });
}

/** The person of whom a code resets something; undefined when it was used before, has expired, or never was. */
export async function findReset(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ userId: string; purpose: ResetPurpose } | undefined> {
  const row = await db.oneTimeCode.findFirst({ where: { ...valid(hash, now), purpose: { in: [...RESETS] } } });
  // `as`: one of those that were asked for.
  return row === null || row.userId === null ? undefined : { userId: row.userId, purpose: row.purpose as ResetPurpose };
}

/** Ends every link that would reset the password of a member of that organisation. */
export async function dropResetCodesOf(db: Db, organisationId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({
    where: { purpose: { in: [...RESETS] }, user: { members: { some: { organisationId } } } },
  });
}

/** Ends every link that would reset that person's password. */
export async function dropResetCodes(db: Db, userId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { userId } });
}
