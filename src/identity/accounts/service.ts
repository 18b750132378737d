import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ApiError, invalidField } from '../../kernel/api-error.ts';
import type { Caller } from '../caller.ts';
import type { TellChange } from '../changes.ts';
import type { Visit } from '../scheme.ts';
import type { SignedIn } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { createDevices } from './devices.ts';
import { passwordProblem } from './password-rules.ts';
import { createPasswords } from './passwords.ts';
import type { AuthenticateBody, ChangePasswordBody, SignInBody } from './schema.ts';
import { createSetUp, type SetUp } from './setup.ts';
import { type Account, findAccount, findAccountByEmail, forgetDevices, writePasswordHash } from './store.ts';
import { createTries } from './tries.ts';

export type Accounts = {
  /** Makes the first administrator (setup.ts). */
  setUp: SetUp;
  /**
   * Begins a session for one who has the password. Throws UNAUTHORIZED, with one text and about the same work for an account that does
   * not exist, and RATE_LIMITED after too many tries.
   */
  signIn(body: SignInBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** The person of a session proves once more who they are; the session goes on under a new secret. */
  authenticate(caller: Caller, body: AuthenticateBody): Promise<WithCookies<SignedIn>>;
  /** Another password. All other sessions of the person end, and this one goes on under a new secret. */
  changePassword(caller: Caller, body: ChangePasswordBody): Promise<WithCookies<SignedIn>>;
};

export function createAccounts(
  deps: Pick<Dependencies, 'db' | 'clock' | 'newId'>,
  { sessions, tell }: { sessions: Sessions; tell: TellChange<DatabaseTransaction> },
): Accounts {
  const { db } = deps;
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

  return {
    setUp: createSetUp(deps, { passwords, sessions, tell }),

    async signIn({ email, password }, visit) {
      const hostProblem = sessions.cookies.hostProblem(visit.host);
      if (hostProblem !== undefined) throw new ApiError('FORBIDDEN', hostProblem);
      const account = await findAccountByEmail(db, email);
      const trier = await devices.trierOf(email, account, visit);
      await tries.count(trier);
      const { isRight, rehashed } = await passwords.verify(password, account?.passwordHash);
      if (account === undefined || !isRight)
        throw new ApiError('UNAUTHORIZED', 'The e-mail address or the password is wrong');
      return db.$transaction(async (transaction) => {
        await tries.forget(transaction, trier);
        if (rehashed !== undefined) await writePasswordHash(transaction, account.id, rehashed);
        const { answer, cookies } = await sessions.begin(transaction, account.id, visit);
        return { answer, cookies: [...cookies, await devices.remember(transaction, account.id, trier)] };
      });
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
      const problem = passwordProblem(newPassword, [account.email, account.name]);
      if (problem !== undefined) throw invalidField('newPassword', problem);
      const passwordHash = await passwords.hash(newPassword);
      return db.$transaction(async (transaction) => {
        await tries.forget(transaction, { kind: 'session', sessionId });
        await writePasswordHash(transaction, account.id, passwordHash);
        await forgetDevices(transaction, account.id);
        await sessions.endAll(transaction, account.id, sessionId);
        await tell(transaction, { action: 'user.password_changed', by: account.id, target: account.id });
        return sessions.renew(transaction, sessionId, { isProven: true });
      });
    },
  };
}
