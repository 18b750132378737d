import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { lockPeople } from '../../../platform/db/sql/people.ts';
import type { Role } from '../../../kernel/words/rights.ts';

export { lockPeople };

type Db = DatabaseTransaction;

/** What signing in needs from a user. */
export type Account = { id: string; email: string; name: string; passwordHash: string | undefined };

const select = { id: true, email: true, name: true, passwordHash: true } as const;
type Row = { id: string; email: string; name: string; passwordHash: string | null };
const toAccount = ({ passwordHash, ...row }: Row): Account => ({ ...row, passwordHash: passwordHash ?? undefined });

export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  const row = await db.user.findUnique({ where: { email }, select });
  return row === null ? undefined : toAccount(row);
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await db.user.findUnique({ where: { id }, select });
  return row === null ? undefined : toAccount(row);
}

/** Returns the account and locks it until the transaction ends. */
export async function lockAccount(db: Db, id: string): Promise<Account | undefined> {
  await lockPeople(db, [id]);
  return findAccount(db, id);
}

export const hasAccounts = async (db: Db): Promise<boolean> =>
  (await db.user.findFirst({ select: { id: true } })) !== null;

/** Returns false if the address already has an account, even if it was created just now. */
export async function insertAccount(
  db: Db,
  { passwordHash, ...account }: Omit<Account, 'passwordHash'> & { passwordHash?: string | undefined },
): Promise<boolean> {
  const data = [{ ...account, passwordHash: passwordHash ?? null }];
  return (await db.user.createMany({ data, skipDuplicates: true })).count > 0;
}

export async function writeName(db: Db, id: string, name: string): Promise<void> {
  await db.user.update({ where: { id }, data: { name } });
}

/**
 * Whether a user owns the organisation of the first start. Any admin can create further organisations, and owns those.
 */
export const isOwner = async (db: Db, userId: string): Promise<boolean> =>
  (await db.member.count({
    where: { userId, role: 'owner', organisationId: (await findFirstOrganisation(db)) ?? '' },
  })) > 0;

export async function writePasswordHash(db: Db, id: string, passwordHash: string | null): Promise<void> {
  await db.user.update({ where: { id }, data: { passwordHash } });
}

/** Returns the organisation created at the first start. */
export async function findFirstOrganisation(db: Db): Promise<string | undefined> {
  return (await db.organisation.findFirst({ orderBy: { id: 'asc' }, select: { id: true } }))?.id;
}

/** Renames the first organisation and its first app, if names are given. */
export async function namePlaces(
  db: Db,
  organisationId: string,
  { organisation, app }: { organisation?: string | undefined; app?: string | undefined },
): Promise<void> {
  if (organisation !== undefined)
    await db.organisation.update({ where: { id: organisationId }, data: { name: organisation } });
  if (app === undefined) return;
  const first = await db.app.findFirst({ where: { organisationId }, orderBy: { id: 'asc' }, select: { id: true } });
  if (first !== null) await db.app.update({ where: { id: first.id }, data: { name: app } });
}

export async function insertMember(db: Db, organisationId: string, userId: string, role: Role): Promise<void> {
  await db.member.create({ data: { organisationId, userId, role } });
}

/** Whether the user has signed in with this browser before. */
export async function isKnownDevice(db: Db, hash: Buffer, userId: string | undefined, now: Date): Promise<boolean> {
  const row = await db.knownDevice.findUnique({ where: { hash: new Uint8Array(hash) } });
  return row !== null && row.userId === userId && row.expiresAt > now;
}

/** Remembers a browser with which a user has signed in, and deletes all expired ones. */
export async function keepDevice(
  db: Db,
  device: { hash: Buffer; userId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db.knownDevice.deleteMany({ where: { expiresAt: { lte: device.createdAt } } });
  const hash = new Uint8Array(device.hash);
  await db.knownDevice.upsert({
    where: { hash },
    create: { ...device, hash },
    update: { userId: device.userId, expiresAt: device.expiresAt },
  });
}

/** Forgets all browsers of a user: from now on their attempts count as strangers'. */
export async function forgetDevices(db: Db, userId: string): Promise<void> {
  await db.knownDevice.deleteMany({ where: { userId } });
}

/** What a one-time link is for. */
type CodePurpose = 'setup' | ResetPurpose;

const RESETS = ['password-reset', 'password-and-factors-reset'] as const;
/** The second one also removes all second factors when it is used. */
type ResetPurpose = (typeof RESETS)[number];

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

/** Uses up a code. Returns false if it was used before, has expired, or never existed. */
export const useCode = async (db: Db, hash: Buffer, purpose: CodePurpose, now: Date): Promise<boolean> =>
  (await db.oneTimeCode.deleteMany({ where: { ...valid(hash, now), purpose } })).count > 0;

export async function dropCodes(db: Db, purpose: CodePurpose): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { purpose } });
}

/** Returns the user and purpose of a reset code; undefined if it was used, has expired, or never existed. */
export async function findReset(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ userId: string; purpose: ResetPurpose } | undefined> {
  const row = await db.oneTimeCode.findFirst({ where: { ...valid(hash, now), purpose: { in: [...RESETS] } } });
  // `as`: one of the purposes in the query.
  return row === null || row.userId === null ? undefined : { userId: row.userId, purpose: row.purpose as ResetPurpose };
}

/** Ends all password reset links of members of that organisation. */
export async function dropResetCodesOf(db: Db, organisationId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({
    where: { purpose: { in: [...RESETS] }, user: { members: { some: { organisationId } } } },
  });
}

/** Ends all password reset links of that user. */
export async function dropResetCodes(db: Db, userId: string): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { userId } });
}

/** Counts an attempt in its window. Returns the count and the end of the window. Deletes expired windows. */
export async function countTry(
  db: Db,
  id: Buffer,
  { now, windowMs }: { now: Date; windowMs: number },
): Promise<{ tries: number; endsAt: Date }> {
  await db.signInAttempts.deleteMany({ where: { endsAt: { lte: now } } });
  const endsAt = new Date(now.getTime() + windowMs);
  const [row] = await db.$queryRaw<{ tries: number; endsAt: Date }[]>`
    INSERT INTO sign_in_attempts (id, tries, ends_at) VALUES (${new Uint8Array(id)}, 1, ${endsAt})
    ON CONFLICT (id) DO UPDATE SET tries = sign_in_attempts.tries + 1
    RETURNING tries, ends_at AS "endsAt"`;
  if (row === undefined) throw new Error('PostgreSQL counted a sign-in attempt but returned no row');
  return row;
}

/** Resets the attempts of a window, after a correct password. */
export async function forgetTries(db: Db, id: Buffer): Promise<void> {
  await db.signInAttempts.deleteMany({ where: { id: new Uint8Array(id) } });
}
