import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ApiError, invalidField } from '../../kernel/api-error.ts';
import type { Caller } from '../caller.ts';
import type { TellChange } from '../changes.ts';
import type { Visit } from '../scheme.ts';
import type { SignedIn } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { type Begin, createDevices } from './devices.ts';
import { passwordProblem } from './password-rules.ts';
import { createPasswords } from './passwords.ts';
import { dropResetCodes, dropResetCodesOf } from './codes-store.ts';
import { createResetPassword, makeResetCode } from './password-reset.ts';
import type { AuthenticateBody, ChangePasswordBody, ResetPasswordBody, SignInBody } from './schema.ts';
import { createSetUp, type SetUp } from './setup.ts';
import {
  type Account,
  findAccount,
  findAccountByEmail,
  forgetDevices,
  insertAccount,
  writePasswordHash,
} from './store.ts';
import { createTries, type Trier } from './tries.ts';

/** One who has just given the password of an account. */
export type Identified = { account: Account; trier: Trier; rehashed: string | undefined };

export type Accounts = {
  /** Makes the first administrator (setup.ts). */
  setUp: SetUp;
  /**
   * Begins a session for one who has the password. Throws UNAUTHORIZED, with one text and about the same work for an account that does
   * not exist, and RATE_LIMITED after too many tries.
   */
  signIn(body: SignInBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** The first half of signing in. Throws as that does. */
  identify(body: SignInBody, visit: Visit): Promise<Identified>;
  /** A session in a browser that is known from now on, for one who has proven who they are otherwise. */
  begin: Begin;
  /** The second half: the session, in a transaction of the caller's. */
  enter(transaction: DatabaseTransaction, identified: Identified, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** The hash of a password that is to be. Throws INVALID_REQUEST for a bad one. */
  hashNew(password: string, ownWords: readonly string[]): Promise<string>;
  findByEmail(database: DatabaseTransaction, email: string): Promise<Account | undefined>;
  find(database: DatabaseTransaction, id: string): Promise<Account | undefined>;
  /** Makes an account, and begins its first session. */
  create(
    transaction: DatabaseTransaction,
    account: { email: string; name: string; passwordHash: string },
  ): Promise<Account>;
  /** A link's code that resets a person's password. */
  makeResetCode(transaction: DatabaseTransaction, userId: string): Promise<{ code: string; expiresAt: Date }>;
  /** Ends every link that would reset the password of a member of that organisation. */
  dropResetCodesOf(transaction: DatabaseTransaction, organisationId: string): Promise<void>;
  /** Gives the person of such a code another password (password-reset.ts). */
  resetPassword(body: ResetPasswordBody): Promise<void>;
  /** The person of a session proves once more who they are; the session goes on under a new secret. */
  authenticate(caller: Caller, body: AuthenticateBody): Promise<WithCookies<SignedIn>>;
  /** Another password. All other sessions of the person end, and this one goes on under a new secret. */
  changePassword(caller: Caller, body: ChangePasswordBody): Promise<WithCookies<SignedIn>>;
};

export function createAccounts(
  deps: Pick<Dependencies, 'db' | 'clock' | 'newId'>,
  { sessions, tell }: { sessions: Sessions; tell: TellChange<DatabaseTransaction> },
): Accounts {
  const { db, clock, newId } = deps;
  const passwords = createPasswords();
  const tries = createTries(deps);
  const devices = createDevices(deps, sessions.cookies);

  /** The account of a session, with the password just proven. */
  const prove = async ({ principal }: Caller, password: string): Promise<{ account: Account; sessionId: string }> => {
    if (principal.kind !== 'person') throw new Error('Only people have passwords');
    const { sessionId } = principal;
    await tries.count({ kind: 'session', sessionId });
    const account = await findAccount(db, principal.id);
    const { isRight } = await passwords.verify(password, account?.passwordHash);
    if (account === undefined || !isRight) throw new ApiError('UNAUTHORIZED', 'The password is wrong');
    return { account, sessionId };
  };

  const begin = async (
    transaction: DatabaseTransaction,
    userId: string,
    visit: Visit,
    trier?: Trier,
  ): Promise<WithCookies<SignedIn>> => {
    const { answer, cookies } = await sessions.begin(transaction, userId, visit);
    return { answer, cookies: [...cookies, await devices.remember(transaction, userId, trier)] };
  };

  const hashNew = (password: string, ownWords: readonly string[], field = 'password'): Promise<string> => {
    const problem = passwordProblem(password, ownWords);
    if (problem !== undefined) throw invalidField(field, problem);
    return passwords.hash(password);
  };

  const identify = async ({ email, password }: SignInBody, visit: Visit): Promise<Identified> => {
    const hostProblem = sessions.cookies.hostProblem(visit.host);
    if (hostProblem !== undefined) throw new ApiError('FORBIDDEN', hostProblem);
    const account = await findAccountByEmail(db, email);
    const trier = await devices.trierOf(email, account, visit);
    await tries.count(trier);
    const { isRight, rehashed } = await passwords.verify(password, account?.passwordHash);
    if (account === undefined || !isRight)
      throw new ApiError('UNAUTHORIZED', 'The e-mail address or the password is wrong');
    return { account, trier, rehashed };
  };

  const enter: Accounts['enter'] = async (transaction, { account, trier, rehashed }, visit) => {
    await tries.forget(transaction, trier);
    if (rehashed !== undefined) await writePasswordHash(transaction, account.id, rehashed);
    return begin(transaction, account.id, visit, trier);
  };

  return {
    setUp: createSetUp(deps, { passwords, begin, tell }),
    resetPassword: createResetPassword(deps, { passwords, sessions, tell }),
    makeResetCode: (transaction, userId) => makeResetCode(transaction, userId, clock()),
    dropResetCodesOf,
    begin,
    identify,
    enter,
    hashNew,
    findByEmail: findAccountByEmail,
    find: findAccount,

    async create(transaction, { email, name, passwordHash }) {
      const id = newId('user');
      await insertAccount(transaction, { id, email, name, passwordHash });
      await tell(transaction, { action: 'user.created', by: id, target: id });
      return { id, email, name, passwordHash };
    },

    async signIn(body, visit) {
      const identified = await identify(body, visit);
      return db.$transaction((transaction) => enter(transaction, identified, visit));
    },

    async authenticate(caller, { password }) {
      const { sessionId } = await prove(caller, password);
      return db.$transaction(async (transaction) => {
        await tries.forget(transaction, { kind: 'session', sessionId });
        return sessions.renew(transaction, sessionId, { isProven: true });
      });
    },

    async changePassword(caller, { password, newPassword }) {
      const { account, sessionId } = await prove(caller, password);
      const passwordHash = await hashNew(newPassword, [account.email, account.name], 'newPassword');
      return db.$transaction(async (transaction) => {
        await tries.forget(transaction, { kind: 'session', sessionId });
        await writePasswordHash(transaction, account.id, passwordHash);
        await dropResetCodes(transaction, account.id);
        await forgetDevices(transaction, account.id);
        await sessions.endAll(transaction, account.id, sessionId);
        await tell(transaction, { action: 'user.password_changed', by: account.id, target: account.id });
        const { answer, cookies } = await sessions.renew(transaction, sessionId, { isProven: true });
        return { answer, cookies: [...cookies, await devices.remember(transaction, account.id)] };
      });
    },
  };
}
