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

/** The setup link is valid for an hour after it was printed. */
const LINK_MS = 60 * 60_000;
// An arbitrary number, the same in every process: of several that start at once, one creates the link, and one request
// creates the administrator.
const LOCK_NUMBER = 7_220_635;

/**
 * Returns the code of a new setup link; undefined if there already is a user. Earlier links stay valid for their hour,
 * so that a restart does not end one that somebody has open; `isRenewed` ends them.
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
 * Creates the first administrator, owner of the first organisation, and can rename that organisation and its app.
 * Throws FORBIDDEN if the code is not valid or there already is a user.
 */
export type SetUp = (body: SetupBody, visit: Visit) => Promise<WithCookies<SignedIn>>;

export function createSetUp(
  { db, clock, newId }: Pick<Dependencies, 'db' | 'clock' | 'newId'>,
  { passwords, begin, tell }: { passwords: Passwords; begin: Begin; tell: TellChange<DatabaseTransaction> },
): SetUp {
  return async ({ code, email, name, password, ...places }, visit) => {
    const hash = hashSecret(code);
    // Check before hashing the password, because that work is only for whoever has the link.
    if (!(await isCodeValid(db, hash, 'setup', clock())) || (await hasAccounts(db))) throw closed();
    const problem = passwordProblem(password, [email, name]);
    if (problem !== undefined) throw invalidField('password', problem);
    const passwordHash = await passwords.hash(password);
    return db.$transaction(async (transaction) => {
      await lock(transaction);
      if ((await hasAccounts(transaction)) || !(await useCode(transaction, hash, 'setup', clock()))) throw closed();
      // Codes of other starts within the hour.
      await dropCodes(transaction, 'setup');
      const organisationId = await findFirstOrganisation(transaction);
      if (organisationId === undefined)
        throw new ApiError('CONFLICT', 'There is no organisation yet. Run `posthorn start` once to create it');
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

/**
 * One text for a link that was used, has expired or never existed, and for a service that already has an administrator.
 */
const closed = (): ApiError =>
  new ApiError('FORBIDDEN', 'The setup link is not valid, or there already is an administrator');

/** A reset link is passed on manually or by email, and used at once. */
const RESET_MS = 30 * 60_000;

/**
 * Creates a code for a password reset link, replacing an earlier one. With `isWithoutFactors`, using it also removes
 * the second factors. They stay until then, because the link may never be used.
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

/** What a reset needs of second factors. The factors module depends on accounts, so accounts cannot depend on it. */
export type RemoveFactors = {
  removeAll(transaction: DatabaseTransaction, change: { userId: string; by: Doer }): Promise<void>;
};

/**
 * Sets a new password for the user of a link and ends all their sessions. Does not sign in: having the link is not a
 * full authentication, and a second factor is still required unless the link removes them. Throws FORBIDDEN if the link
 * was used, has expired or never existed.
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

const invalidLink = (): ApiError => new ApiError('FORBIDDEN', 'The link has been used or has expired');
