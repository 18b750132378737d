import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Passkey as PasskeyRow } from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { Passkey } from './schema.ts';

type Db = DatabaseTransaction;

export type { PasskeyRow };

/** Purposes of a challenge. A challenge created for another purpose is not accepted. */
export type Purpose = 'register' | 'sign-in' | 'second-step' | 'authenticate';

/** A challenge is bound to a session or a pending sign-in; '' if the user is not known yet. */
export type Challenge = { hash: Buffer; purpose: Purpose; boundTo: string };

/** Stores a challenge, and deletes all expired ones. */
export async function insertChallenge(
  db: Db,
  { hash, ...challenge }: Challenge,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await db.passkeyChallenge.deleteMany({ where: { expiresAt: { lte: now } } });
  await db.passkeyChallenge.create({ data: { ...challenge, hash: new Uint8Array(hash), expiresAt } });
}

/** Uses up a challenge. Returns false if it was used, has expired, or was created for another user or purpose. */
export const useChallenge = async (db: Db, { hash, ...challenge }: Challenge, now: Date): Promise<boolean> =>
  (
    await db.passkeyChallenge.deleteMany({
      where: { ...challenge, hash: new Uint8Array(hash), expiresAt: { gt: now } },
    })
  ).count > 0;

/** Adds a passkey. Returns false if its credential already belongs to a user. */
export async function insertPasskey(
  db: Db,
  { credentialId, publicKey, ...row }: Omit<PasskeyRow, 'lastUsedAt'>,
): Promise<boolean> {
  const data = { ...row, credentialId: new Uint8Array(credentialId), publicKey: new Uint8Array(publicKey) };
  return (await db.passkey.createMany({ data, skipDuplicates: true })).count > 0;
}

export async function findByCredential(db: Db, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const row = await db.passkey.findUnique({ where: { credentialId: new Uint8Array(credentialId) } });
  return row ?? undefined;
}

/** Returns all passkeys of a user, or one page of them and one more, newest first. */
export const findPasskeys = (db: Db, userId: string, page?: PageRequest): Promise<PasskeyRow[]> =>
  db.passkey.findMany({
    where: { userId, ...(page?.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    ...(page && { take: page.limit + 1 }),
  });

export async function findPasskey(db: Db, userId: string, id: string): Promise<PasskeyRow | undefined> {
  return (await db.passkey.findUnique({ where: { id, userId } })) ?? undefined;
}

export async function renamePasskey(db: Db, id: string, name: string): Promise<void> {
  await db.passkey.update({ where: { id }, data: { name } });
}

export async function deletePasskey(db: Db, id: string): Promise<void> {
  await db.passkey.delete({ where: { id } });
}

/**
 * Records a use. Returns false if the passkey was removed meanwhile, or if another use has already reached this
 * counter. Authenticators without a counter stay at 0.
 */
export async function noteUse(
  db: Db,
  id: string,
  { counter, isBackedUp, lastUsedAt }: { counter: number; isBackedUp: boolean; lastUsedAt: Date },
): Promise<boolean> {
  const isLater = counter === 0 ? { counter: 0 } : { counter: { lt: counter } };
  const { count } = await db.passkey.updateMany({
    where: { id, ...isLater },
    data: { counter, isBackedUp, lastUsedAt },
  });
  return count > 0;
}

/** Email address and name of the user who adds a passkey. */
export const findPerson = (db: Db, id: string) =>
  db.user.findUniqueOrThrow({ where: { id }, select: { email: true, name: true } });

export const toPasskey = ({ id, name, createdAt, lastUsedAt, isBackedUp }: PasskeyRow): Passkey => ({
  id,
  name,
  createdAt,
  ...(lastUsedAt !== null && { lastUsedAt }),
  isBackedUp,
});
