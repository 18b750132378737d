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

/** One who has just given the password of an account. */
type Identified = { account: Account; trier: Trier; rehashed: string | undefined };

export type Accounts = {
  /** Makes the first administrator (one-time-codes.ts). */
  setUp: SetUp;
  /**
   * The one who has the password of an account. Throws UNAUTHORIZED, with one text and about the same work for an account that does not
   * exist, and RATE_LIMITED after too many tries.
   */
  identify(body: { email: string; password: string }, visit: Visit): Promise<Identified>;
  /**
   * Keeps one who has come through from changing until the transaction ends, forgets their tries, and keeps the password's new hash where
   * there is one. Throws UNAUTHORIZED where the password was changed since it was given. Called before anything that the password opens.
   */
  settle(transaction: DatabaseTransaction, identified: Identified): Promise<void>;
  /** Whose tries a visit to an account counts with (tries.ts). */
  trierOf(account: Account, visit: Visit): Promise<Trier>;
  /** A session in a browser that is known from now on, for one who has proven who they are otherwise. */
  begin: Begin;
  /** The hash of a password that is to be. Throws INVALID_REQUEST for a bad one. */
  hashNew(password: string, ownWords: readonly string[]): Promise<string>;
  findByEmail(database: DatabaseTransaction, email: string): Promise<Account | undefined>;
  find(database: DatabaseTransaction, id: string): Promise<Account | undefined>;
  /** The person of a session. */
  show(caller: Caller): Promise<User>;
  /** Another name of the person. */
  rename(caller: Caller, body: RenameUser): Promise<User>;
  /** Makes an account. Throws CONFLICT when the address has one, be it since a moment ago. */
  create(
    transaction: DatabaseTransaction,
    account: { email: string; name: string; passwordHash?: string },
    visit: Visit,
  ): Promise<Account>;
  /** Ends every link that would reset that person's password. */
  dropResetCodes(transaction: DatabaseTransaction, userId: string): Promise<void>;
  /** Ends the password of an account, with its sessions and links: it has another owner, or another way to prove one. */
  endPassword(transaction: DatabaseTransaction, userId: string): Promise<void>;
  /** The organisation that the first start has made. */
  findFirstOrganisation(database: DatabaseTransaction): Promise<string | undefined>;
  /** Whether there is a user already. */
  isSetUp(database: DatabaseTransaction): Promise<boolean>;
  /**
   * Throws FORBIDDEN where the operator wants people to sign in by single sign-on alone, and this one is no owner of the first
   * organisation.
   */
  refuseOwnWay(database: DatabaseTransaction, userId: string | undefined): Promise<void>;
  /** A link's code that resets a person's password, with `isWithoutFactors` the second factors too. */
  makeResetCode(
    transaction: DatabaseTransaction,
    userId: string,
    how: { isWithoutFactors: boolean },
  ): Promise<{ code: string; expiresAt: Date }>;
  /** Ends every link that would reset the password of a member of that organisation. */
  dropResetCodesOf(transaction: DatabaseTransaction, organisationId: string): Promise<void>;
  /** Gives the person of such a code another password (one-time-codes.ts). */
  resetPassword(body: ResetPasswordBody, visit: Visit): Promise<void>;
  /** The account of a session whose person gives the password once more. Throws as `identify` does. */
  prove(caller: Caller, password: string): Promise<{ account: Account; sessionId: string }>;
  /** Another password. All other sessions of the person end, and this one goes on under a new secret. */
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
    if (principal.kind !== 'person') throw new Error('Only people have passwords');
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
      throw new ApiError('FORBIDDEN', `People sign in by ${singleSignOn?.name} here`);
  };

  /** One text for an unknown address, a wrong password, and a right one of somebody who must come by the provider. */
  const wrongPassword = (): ApiError => {
    const others = singleSignOn?.isOnly === true ? `, or is of somebody who signs in by ${singleSignOn.name}` : '';
    return new ApiError('UNAUTHORIZED', `The e-mail address or the password is wrong${others}`);
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
    // Verified outside of the transaction, which takes its time: a reset meanwhile has ended all sessions but the one that is to begin.
    const now = await lockAccount(transaction, account.id);
    if (now?.passwordHash !== account.passwordHash)
      throw new ApiError('UNAUTHORIZED', 'The password was changed a moment ago: sign in again');
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
          'An account with this e-mail address was made a moment ago: try again with its password',
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

/** Throws UNAUTHORIZED for a person whose account went with the session meanwhile. */
function toUser(account: Account | undefined): User {
  if (account === undefined) throw new ApiError('UNAUTHORIZED', 'The session has ended: sign in again');
  const { id, email, name } = account;
  return { id, email, name };
}
