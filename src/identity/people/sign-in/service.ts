import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Account } from '../accounts/store.ts';
import type { Trier, Tries } from '../accounts/tries.ts';
import { type Caller, doneFrom, type Visit } from '../../../api/caller.ts';
import type { FactorsOfPeople, Factors } from '../factors/service.ts';
import type { PasskeyRequest } from '../passkeys/schema.ts';
import type { Passkeys, Use } from '../passkeys/service.ts';
import type { Means } from '../../../api/person-fields.ts';
import type { SecondStep, SignedIn } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import type { AuthenticateBody, PasskeyBody, SecondFactorBody, SignInBody } from './schema.ts';
import { findSecondStep, insertSecondStep, takeSecondStep, lockPeople } from './store.ts';
import { hashSecret, newSessionSecret } from '../sessions/cookie.ts';

/** An app has its code at once; a recovery code may have to be looked for in a drawer. */
const SECOND_STEP_MS = 10 * 60_000;

/** For a person who is not known yet: the authenticator names them. */
const STRANGER: Use = { purpose: 'sign-in', boundTo: '' };

export type SignIn = {
  /**
   * Begins a session for one who has the password, or the second step where that person has a second factor. Throws UNAUTHORIZED, with
   * one text and about the same work for an account that does not exist, and RATE_LIMITED after too many tries.
   */
  byPassword(body: SignInBody, visit: Visit): Promise<WithCookies<SignedIn | SecondStep>>;
  /** The second step: a session for one who has given the password in this browser, and has a factor. Throws as the first one does. */
  bySecondFactor(body: SecondFactorBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** Questions of a browser to an authenticator, for each of the three. `bySecondFactor` is for the person of this browser's step. */
  options: {
    byPasskey(): Promise<PasskeyRequest>;
    bySecondFactor(visit: Visit): Promise<PasskeyRequest>;
    authenticate(caller: Caller): Promise<PasskeyRequest>;
  };
  /** A session for one whose authenticator has verified them: two factors in one. Throws UNAUTHORIZED. */
  byPasskey(body: PasskeyBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** The person of a session proves once more who they are; the session goes on under a new secret. */
  authenticate(caller: Caller, body: AuthenticateBody): Promise<WithCookies<SignedIn>>;
};

/** Uses a factor up. False for one that is wrong or was used before. */
type Proof = { by: Means; use: (transaction: DatabaseTransaction, userId: string) => Promise<boolean> };

type Needed = {
  accounts: Accounts;
  sessions: Sessions;
  factors: Factors;
  factorsOfPeople: FactorsOfPeople;
  passkeys: Passkeys;
  tries: Tries;
};

export function createSignIn(
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  { accounts, sessions, factors, factorsOfPeople, passkeys, tries }: Needed,
): SignIn {
  const { cookies } = sessions;

  const beginSecondStep = async (
    transaction: DatabaseTransaction,
    userId: string,
    means: Means[],
  ): Promise<WithCookies<SecondStep>> => {
    const { secret, hash } = secondStepSecret.make();
    const expiresAt = new Date(clock().getTime() + SECOND_STEP_MS);
    await insertSecondStep(transaction, { hash, userId, expiresAt }, clock());
    const cookie = cookies.write('second-step', secret, SECOND_STEP_MS);
    return { answer: { secondStep: { means, expiresAt } }, cookies: [cookie] };
  };

  /** The person whose second step this browser is at. */
  const findStep = async (visit: Visit): Promise<{ hash: Buffer; account: Account }> => {
    const secret = cookies.read('second-step', visit.cookie);
    if (secret === undefined) throw noStep();
    const hash = secondStepSecret.hash(secret);
    const userId = await findSecondStep(db, hash, clock());
    const account = userId === undefined ? undefined : await accounts.find(db, userId);
    if (account === undefined) throw noStep();
    return { hash, account };
  };

  /** Tries of the second step have a count of their own: a right password forgets those of the first. */
  const factorTrierOf = async (account: Account, visit: Visit): Promise<Trier> => {
    const trier = await accounts.trierOf(account, visit);
    return { kind: 'factor', userId: account.id, device: trier.kind === 'device' ? trier.device : '' };
  };

  const readProof = async (body: SecondFactorBody, use: Use, visit: Visit): Promise<Proof> => {
    const { code, recoveryCode, passkey } = body;
    if (passkey !== undefined) return { by: 'passkey', use: (await passkeys.prove(passkey, use)).note };
    if (code !== undefined)
      return { by: 'code', use: (transaction, userId) => factors.useCode(transaction, doneFrom(userId, visit), code) };
    if (recoveryCode !== undefined)
      return {
        by: 'recoveryCode',
        use: (transaction, userId) => factors.useRecoveryCode(transaction, doneFrom(userId, visit), recoveryCode),
      };
    throw invalidField('code', 'is required, or another factor');
  };

  const useAtStep = ({ hash, account }: { hash: Buffer; account: Account }): Use => ({
    purpose: 'second-step',
    boundTo: hash.toString('hex'),
    userId: account.id,
  });

  const useInSession = ({ principal }: Caller): Use => {
    if (principal.kind !== 'person') throw new Error('Only people sign in');
    return { purpose: 'authenticate', boundTo: principal.sessionId, userId: principal.id };
  };

  /** Proves the person of a session by the password or by a passkey. */
  const proveOf = async (caller: Caller, { password, passkey }: AuthenticateBody): Promise<Proof> => {
    if (passkey === undefined) {
      if (password === undefined) throw invalidField('password', 'is required, or a passkey');
      await accounts.prove(caller, password);
      return { by: 'password', use: () => Promise.resolve(true) };
    }
    const use = useInSession(caller);
    // As with the password: a passkey would let a person go on whose account at the provider has ended.
    await accounts.refuseOwnWay(db, caller.principal.id);
    await tries.count({ kind: 'session', sessionId: use.boundTo });
    return { by: 'passkey', use: (await passkeys.prove(passkey, use)).note };
  };

  return {
    async byPassword(body, visit) {
      const identified = await accounts.identify(body, visit);
      return db.$transaction(async (transaction) => {
        const { account, trier } = identified;
        await accounts.settle(transaction, identified);
        const means = await factorsOfPeople.meansOf(transaction, account.id);
        if (means.length === 0) return accounts.begin(transaction, account.id, visit, { trier });
        return beginSecondStep(transaction, account.id, means);
      });
    },

    async bySecondFactor(body, visit) {
      refuseSeveral(body);
      const step = await findStep(visit);
      const { hash, account } = step;
      await accounts.refuseOwnWay(db, account.id);
      const trier = await factorTrierOf(account, visit);
      await tries.count(trier);
      const { by, use } = await readProof(body, useAtStep(step), visit);
      return db.$transaction(async (transaction) => {
        await lockPeople(transaction, [account.id]);
        // A wrong factor rolls this back: the step stays for the next try.
        if (!(await takeSecondStep(transaction, hash, clock()))) throw noStep();
        if (!(await use(transaction, account.id))) throw wrongFactor();
        await tries.forget(transaction, trier);
        const known = await accounts.trierOf(account, visit);
        const entered = await accounts.begin(transaction, account.id, visit, {
          trier: known,
          provenBy: ['password', by],
        });
        return { ...entered, cookies: [...entered.cookies, cookies.write('second-step', undefined, 0)] };
      });
    },

    options: {
      byPasskey: () => passkeys.requestOptions(STRANGER),
      bySecondFactor: async (visit) => passkeys.requestOptions(useAtStep(await findStep(visit))),
      authenticate: (caller) => passkeys.requestOptions(useInSession(caller)),
    },

    async byPasskey({ passkey }, visit) {
      const { userId, note } = await passkeys.prove(passkey, STRANGER);
      const account = await accounts.find(db, userId);
      if (account === undefined) throw new Error('A passkey has no person');
      await accounts.refuseOwnWay(db, userId);
      return db.$transaction(async (transaction) => {
        await lockPeople(transaction, [userId]);
        if (!(await note(transaction))) throw wrongFactor();
        const trier = await accounts.trierOf(account, visit);
        return accounts.begin(transaction, userId, visit, { trier, provenBy: ['passkey'] });
      });
    },

    async authenticate(caller, body) {
      refuseSeveral(body);
      const { by, use } = await proveOf(caller, body);
      const { boundTo: sessionId } = useInSession(caller);
      return db.$transaction(async (transaction) => {
        await lockPeople(transaction, [caller.principal.id]);
        if (!(await use(transaction, caller.principal.id))) throw wrongFactor();
        await tries.forget(transaction, { kind: 'session', sessionId });
        return sessions.renew(transaction, sessionId, { isProven: true, by });
      });
    },
  };
}

const noStep = (): ApiError =>
  new ApiError('UNAUTHORIZED', 'There is no second step to take: it was taken, or its time is over. Sign in again');

const wrongFactor = (): ApiError => new ApiError('UNAUTHORIZED', 'The factor is wrong, or was used before');

/** Throws INVALID_REQUEST for more than one: nobody could say which of them was believed. */
function refuseSeveral(body: object): void {
  const [first, second] = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (second !== undefined) throw invalidField(second, `must not stand beside ${first}: give one proof at a time`);
}

/** The secret of a second step's cookie, and its hash, which is all that is stored. */
const secondStepSecret = {
  make(): { secret: string; hash: Buffer } {
    const secret = newSessionSecret();
    return { secret, hash: hashSecret(secret) };
  },
  hash: hashSecret,
};
