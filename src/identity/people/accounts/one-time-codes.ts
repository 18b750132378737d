import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { doneFrom, type TellChange, type Visit, type Doer } from '../../../api/caller.ts';
import { hashSecret, newSessionSecret } from '../sessions/cookie.ts';
import type { WithCookies, Sessions } from '../sessions/service.ts';
import type { SignedIn } from '../sessions/schema.ts';
import {
  dropCodes,
  insertCode,
  isCodeValid,
  useCode,
  dropResetCodes,
  findReset,
  findFirstOrganisation,
  hasAccounts,
  insertAccount,
  insertMember,
  namePlaces,
  findAccount,
  forgetDevices,
  writePasswordHash,
  lockPeople,
} from './store.ts';
import type { Begin } from './tries.ts';
import { passwordProblem, type Passwords } from './passwords.ts';
import type { SetupBody, ResetPasswordBody } from './schema.ts';

/** The link that makes the first administrator is good for an hour after it was printed. */
const LINK_MS = 60 * 60_000;
// Any number, the same in every process: of two that begin at once, one makes the link, and one request makes the administrator.
const LOCK_NUMBER = 7_220_635;

/**
 * The code of a new link that creates the first administrator. Undefined when there is a user already. Earlier links stay valid for
 * their hour, so that a restart does not end the one that somebody has open; `isRenewed` ends them.
 */
export const makeSetupCode = (
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  { isRenewed }: { isRenewed: boolean },
): Promise<string | undefined> =>
  db.$transaction(async (transaction) => {
    await lock(transaction);
    if (await hasAccounts(transaction)) return undefined;
    if (isRenewed) await dropCodes(transaction, 'setup');
    const code = newSessionSecret();
    const createdAt = clock();
    const expiresAt = new Date(createdAt.getTime() + LINK_MS);
    await insertCode(transaction, { hash: hashSecret(code), purpose: 'setup', createdAt, expiresAt });
    return code;
  });

/**
 * Makes the first administrator, owner of the first organisation, which may get its names here. Throws FORBIDDEN unless the code is good,
 * and nobody was made.
 */
export type SetUp = (body: SetupBody, visit: Visit) => Promise<WithCookies<SignedIn>>;

export function createSetUp(
  { db, clock, newId }: Pick<Dependencies, 'db' | 'clock' | 'newId'>,
  { passwords, begin, tell }: { passwords: Passwords; begin: Begin; tell: TellChange<DatabaseTransaction> },
): SetUp {
  return async ({ code, email, name, password, ...places }, visit) => {
    const hash = hashSecret(code);
    // Before the password is hashed: that work is for somebody who has the link.
    if (!(await isCodeValid(db, hash, 'setup', clock())) || (await hasAccounts(db))) throw closed();
    const problem = passwordProblem(password, [email, name]);
    if (problem !== undefined) throw invalidField('password', problem);
    const passwordHash = await passwords.hash(password);
    return db.$transaction(async (transaction) => {
      await lock(transaction);
      if ((await hasAccounts(transaction)) || !(await useCode(transaction, hash, 'setup', clock()))) throw closed();
      // Those of other starts within the hour.
      await dropCodes(transaction, 'setup');
      const organisationId = await findFirstOrganisation(transaction);
      if (organisationId === undefined)
        throw new ApiError('CONFLICT', 'There is no organisation yet: run `posthorn start` once');
      const id = newId('user');
      await insertAccount(transaction, { id, email, name, passwordHash });
      await insertMember(transaction, organisationId, id, 'owner');
      await namePlaces(transaction, organisationId, places);
      await tell(transaction, {
        action: 'setup.finished',
        by: doneFrom(id, visit),
        organisationId,
        target: id,
        after: places,
      });
      return begin(transaction, id, visit);
    });
  };
}

// The cast: Prisma cannot read a `void` column.
const lock = (transaction: DatabaseTransaction): Promise<unknown> =>
  transaction.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})::text`;

/** One text for a link that was used, has expired or never was, and for a service that has its administrator. */
const closed = (): ApiError =>
  new ApiError('FORBIDDEN', 'The setup link is not valid, or there is an administrator already');

/** A link that resets a password is handed over by hand or by mail, and used at once. */
const RESET_MS = 30 * 60_000;

/**
 * The code of a new link that resets a person's password, in the place of an earlier one. `isWithoutFactors`: using it takes the second
 * factors too. Until then they stand, since the link may never be used.
 */
export async function makeResetCode(
  transaction: DatabaseTransaction,
  userId: string,
  { isWithoutFactors, createdAt }: { isWithoutFactors: boolean; createdAt: Date },
): Promise<{ code: string; expiresAt: Date }> {
  const code = newSessionSecret();
  const expiresAt = new Date(createdAt.getTime() + RESET_MS);
  await dropResetCodes(transaction, userId);
  const purpose = isWithoutFactors ? 'password-and-factors-reset' : 'password-reset';
  await insertCode(transaction, { hash: hashSecret(code), purpose, userId, createdAt, expiresAt });
  return { code, expiresAt };
}

/** The part of people's second factors that a reset needs. Factors know accounts, so accounts do not know them. */
export type RemoveFactors = {
  removeAll(transaction: DatabaseTransaction, change: { userId: string; by: Doer }): Promise<void>;
};

/**
 * Gives the person of a link another password, and ends all of their sessions. Signs nobody in: who has the link has not proven the
 * rest, and a second factor is asked for as before unless the link takes them too. Throws FORBIDDEN for a link that was used, has expired
 * or never was.
 */
export const createResetPassword =
  (
    { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
    {
      passwords,
      sessions,
      factorsOfPeople,
      tell,
    }: {
      passwords: Passwords;
      sessions: Sessions;
      factorsOfPeople: RemoveFactors;
      tell: TellChange<DatabaseTransaction>;
    },
  ) =>
  async ({ code, password }: ResetPasswordBody, visit: Visit): Promise<void> => {
    const hash = hashSecret(code);
    const reset = await findReset(db, hash, clock());
    const account = reset === undefined ? undefined : await findAccount(db, reset.userId);
    if (reset === undefined || account === undefined) throw invalidLink();
    const problem = passwordProblem(password, [account.email, account.name]);
    if (problem !== undefined) throw invalidField('password', problem);
    const passwordHash = await passwords.hash(password);
    await db.$transaction(async (transaction) => {
      await lockPeople(transaction, [account.id]);
      if (!(await useCode(transaction, hash, reset.purpose, clock()))) throw invalidLink();
      await writePasswordHash(transaction, account.id, passwordHash);
      await forgetDevices(transaction, account.id);
      await sessions.endAll(transaction, account.id);
      const by = doneFrom(account.id, visit);
      if (reset.purpose === 'password-and-factors-reset')
        await factorsOfPeople.removeAll(transaction, { userId: account.id, by });
      await tell(transaction, { action: 'user.password_reset', by, target: account.id });
    });
  };

const invalidLink = (): ApiError => new ApiError('FORBIDDEN', 'The link is not valid: it was used, or has expired');
