import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { type Caller, doneBy, doneFrom, type TellChange, type Visit } from '../../../api/caller.ts';
import type { SignedIn, User } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { type Begin, createDevices, createTries, type Trier } from './tries.ts';
import { passwordProblem, createPasswords } from './passwords.ts';
import {
  dropResetCodes,
  dropResetCodesOf,
  type Account,
  findAccount,
  findAccountByEmail,
  findFirstOrganisation,
  forgetDevices,
  hasAccounts,
  insertAccount,
  isOwner,
  lockAccount,
  writeName,
  writePasswordHash,
  lockPeople,
} from './store.ts';
import { createResetPassword, makeResetCode, type RemoveFactors, createSetUp, type SetUp } from './one-time-codes.ts';
import { type ChangePasswordBody, type RenameUser, type ResetPasswordBody, userChange } from './schema.ts';

/** The result of a correct password. */
type Identified = { account: Account; trier: Trier; rehashed: string | undefined };

export type Accounts = {
  /** Creates the first administrator (one-time-codes.ts). */
  setUp: SetUp;
  /**
   * Checks email address and password. Throws UNAUTHORIZED, with one text and about the same work for an account that
   * does not exist, and RATE_LIMITED after too many attempts.
   */
  identify(body: { email: string; password: string }, visit: Visit): Promise<Identified>;
  /**
   * Locks the account of a user who gave the correct password until the transaction ends, resets their attempts, and
   * stores the new hash of the password if there is one. Throws UNAUTHORIZED if the password was changed in the
   * meantime. Call it before anything that the password gives access to.
   */
  settle(transaction: DatabaseTransaction, identified: Identified): Promise<void>;
  /** Returns whose attempts a visit to an account counts with (tries.ts). */
  trierOf(account: Account, visit: Visit): Promise<Trier>;
  /** Starts a session for a user who has authenticated otherwise, and remembers the browser. */
  begin: Begin;
  /** Returns the hash of a new password. Throws INVALID_REQUEST if it is too weak. */
  hashNew(password: string, ownWords: readonly string[]): Promise<string>;
  findByEmail(database: DatabaseTransaction, email: string): Promise<Account | undefined>;
  find(database: DatabaseTransaction, id: string): Promise<Account | undefined>;
  /** Returns the user of a session. */
  show(caller: Caller): Promise<User>;
  /** Changes the name of the user. */
  rename(caller: Caller, body: RenameUser): Promise<User>;
  /** Creates an account. Throws CONFLICT if the address already has one, even if it was created just now. */
  create(
    transaction: DatabaseTransaction,
    account: { email: string; name: string; passwordHash?: string },
    visit: Visit,
  ): Promise<Account>;
  /** Ends all password reset links of that user. */
  dropResetCodes(transaction: DatabaseTransaction, userId: string): Promise<void>;
  /**
   * Removes the password of an account and ends its sessions and links, because it now belongs to someone else or is
   * authenticated in another way.
   */
  endPassword(transaction: DatabaseTransaction, userId: string): Promise<void>;
  /** Returns the organisation created at the first start. */
  findFirstOrganisation(database: DatabaseTransaction): Promise<string | undefined>;
  /** Whether there is a user yet. */
  isSetUp(database: DatabaseTransaction): Promise<boolean>;
  /**
   * Throws FORBIDDEN if the operator requires single sign-on and the user is not an owner of the first organisation.
   */
  refuseOwnWay(database: DatabaseTransaction, userId: string | undefined): Promise<void>;
  /** Creates a code for a password reset link. With `isWithoutFactors`, using it also removes the second factors. */
  makeResetCode(
    transaction: DatabaseTransaction,
    userId: string,
    how: { isWithoutFactors: boolean },
  ): Promise<{ code: string; expiresAt: Date }>;
  /** Ends all password reset links of members of that organisation. */
  dropResetCodesOf(transaction: DatabaseTransaction, organisationId: string): Promise<void>;
  /** Sets a new password for the user of a reset code (one-time-codes.ts). */
  resetPassword(body: ResetPasswordBody, visit: Visit): Promise<void>;
  /** Checks the password of a session's user again. Throws like `identify`. */
  prove(caller: Caller, password: string): Promise<{ account: Account; sessionId: string }>;
  /** Changes the password. Ends all other sessions of the user; this one continues with a new secret. */
  changePassword(caller: Caller, body: ChangePasswordBody): Promise<WithCookies<SignedIn>>;
};

export function createAccounts(
  deps: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'config'>,
  {
    sessions,
    factorsOfPeople,
    tell,
  }: { sessions: Sessions; factorsOfPeople: RemoveFactors; tell: TellChange<DatabaseTransaction> },
): Accounts {
  const { db, clock, newId, config } = deps;
  const passwords = createPasswords();
  const tries = createTries(deps);
  const devices = createDevices(deps, sessions.cookies);

  const prove: Accounts['prove'] = async ({ principal }, password) => {
    if (principal.kind !== 'person') throw new Error('Only users have passwords');
    const { sessionId } = principal;
    await refuseOwnWay(db, principal.id);
    await tries.count({ kind: 'session', sessionId });
    const account = await findAccount(db, principal.id);
    const { isRight } = await passwords.verify(password, account?.passwordHash);
    if (account === undefined || !isRight) throw new ApiError('UNAUTHORIZED', 'The password is wrong');
    return { account, sessionId };
  };

  const begin: Begin = async (transaction, userId, visit, { trier, provenBy } = {}) => {
    const { answer, cookies } = await sessions.begin(transaction, userId, visit, { provenBy });
    return { answer, cookies: [...cookies, await devices.remember(transaction, userId, trier)] };
  };

  const hashNew = (password: string, ownWords: readonly string[], field = 'password'): Promise<string> => {
    const problem = passwordProblem(password, ownWords);
    if (problem !== undefined) throw invalidField(field, problem);
    return passwords.hash(password);
  };

  const { singleSignOn } = config;
  const mustUseProvider = async (database: DatabaseTransaction, userId: string | undefined): Promise<boolean> =>
    singleSignOn?.isOnly === true && (userId === undefined || !(await isOwner(database, userId)));

  const refuseOwnWay: Accounts['refuseOwnWay'] = async (database, userId) => {
    if (await mustUseProvider(database, userId))
      throw new ApiError('FORBIDDEN', `This service requires signing in through ${singleSignOn?.name}`);
  };

  /** One text for an unknown address, a wrong password, and a correct one of a user who must use the provider. */
  const wrongPassword = (): ApiError => {
    const others = singleSignOn?.isOnly === true ? `, or the account must sign in through ${singleSignOn.name}` : '';
    return new ApiError('UNAUTHORIZED', `The email address or the password is wrong${others}`);
  };

  const identify: Accounts['identify'] = async ({ email, password }, visit) => {
    const hostProblem = sessions.cookies.hostProblem(visit.host);
    if (hostProblem !== undefined) throw new ApiError('FORBIDDEN', hostProblem);
    const account = await findAccountByEmail(db, email);
    const trier = await devices.trierOf(email, account, visit);
    await tries.count(trier);
    const isClosed = await mustUseProvider(db, account?.id);
    const { isRight, rehashed } = await passwords.verify(password, account?.passwordHash);
    if (account === undefined || !isRight || isClosed) throw wrongPassword();
    return { account, trier, rehashed };
  };

  const settle: Accounts['settle'] = async (transaction, { account, trier, rehashed }) => {
    // The password was verified outside the transaction, because that takes time. A reset meanwhile has ended all
    // sessions except the one about to start.
    const now = await lockAccount(transaction, account.id);
    if (now?.passwordHash !== account.passwordHash)
      throw new ApiError('UNAUTHORIZED', 'The password has just been changed. Sign in again');
    await tries.forget(transaction, trier);
    if (rehashed !== undefined) await writePasswordHash(transaction, account.id, rehashed);
  };

  return {
    setUp: createSetUp(deps, { passwords, begin, tell }),
    resetPassword: createResetPassword(deps, { passwords, sessions, factorsOfPeople, tell }),
    makeResetCode: (transaction, userId, how) => makeResetCode(transaction, userId, { ...how, createdAt: clock() }),
    dropResetCodesOf,
    begin,
    identify,
    settle,
    prove,
    trierOf: (account, visit) => devices.trierOf(account.email, account, visit),
    hashNew,
    findByEmail: findAccountByEmail,
    find: findAccount,
    dropResetCodes,
    async endPassword(transaction, userId) {
      await lockPeople(transaction, [userId]);
      await writePasswordHash(transaction, userId, null);
      await dropResetCodes(transaction, userId);
      await forgetDevices(transaction, userId);
      await sessions.endAll(transaction, userId);
    },
    isSetUp: hasAccounts,
    findFirstOrganisation,
    refuseOwnWay,

    async create(transaction, { email, name, passwordHash }, visit) {
      const id = newId('user');
      if (!(await insertAccount(transaction, { id, email, name, passwordHash })))
        throw new ApiError(
          'CONFLICT',
          'An account with this email address has just been created. Try again with its password',
        );
      await tell(transaction, { action: 'user.created', by: doneFrom(id, visit), target: id });
      return { id, email, name, passwordHash };
    },

    show: async (caller) => toUser(await findAccount(db, caller.principal.id)),

    rename: (caller, body) =>
      db.$transaction(async (transaction) => {
        const user = toUser(await lockAccount(transaction, caller.principal.id));
        const { name } = userChange.of(user, body);
        if (name === undefined) return user;
        await writeName(transaction, user.id, name);
        const done = { by: doneBy(caller), before: { name: user.name }, after: { name } };
        await tell(transaction, { action: 'user.renamed', target: user.id, ...done });
        return { ...user, name };
      }),

    async changePassword(caller, { password, newPassword }) {
      const { account, sessionId } = await prove(caller, password);
      const passwordHash = await hashNew(newPassword, [account.email, account.name], 'newPassword');
      return db.$transaction(async (transaction) => {
        await lockPeople(transaction, [account.id]);
        await tries.forget(transaction, { kind: 'session', sessionId });
        await writePasswordHash(transaction, account.id, passwordHash);
        await dropResetCodes(transaction, account.id);
        await forgetDevices(transaction, account.id);
        await sessions.endAll(transaction, account.id, sessionId);
        await tell(transaction, { action: 'user.password_changed', by: doneBy(caller), target: account.id });
        const { answer, cookies } = await sessions.renew(transaction, sessionId, { isProven: true });
        return { answer, cookies: [...cookies, await devices.remember(transaction, account.id)] };
      });
    },
  };
}

/** Throws UNAUTHORIZED if the account of the session has been deleted meanwhile. */
function toUser(account: Account | undefined): User {
  if (account === undefined) throw new ApiError('UNAUTHORIZED', 'The session has ended. Sign in again');
  const { id, email, name } = account;
  return { id, email, name };
}
