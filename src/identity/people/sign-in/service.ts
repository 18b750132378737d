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

/** A code from an app is available at once; a recovery code may have to be searched for. */
const SECOND_STEP_MS = 10 * 60_000;

/** For a user who is not known yet; the authenticator names them. */
const STRANGER: Use = { purpose: 'sign-in', boundTo: '' };

export type SignIn = {
  /**
   * Starts a session for whoever has the password, or requires a second factor if the user has one. Throws
   * UNAUTHORIZED, with one text and about the same work for an account that does not exist, and RATE_LIMITED after too
   * many attempts.
   */
  byPassword(body: SignInBody, visit: Visit): Promise<WithCookies<SignedIn | SecondStep>>;
  /**
   * Starts a session for a user who has given the password in this browser and a second factor. Throws like
   * `byPassword`.
   */
  bySecondFactor(body: SecondFactorBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /**
   * Options for the browser's passkey dialogue, for each of the three uses. `bySecondFactor` is for the user whose
   * sign-in is pending in this browser.
   */
  options: {
    byPasskey(): Promise<PasskeyRequest>;
    bySecondFactor(visit: Visit): Promise<PasskeyRequest>;
    authenticate(caller: Caller): Promise<PasskeyRequest>;
  };
  /** Starts a session for a user verified by their authenticator, which counts as two factors. Throws UNAUTHORIZED. */
  byPasskey(body: PasskeyBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** Authenticates the user of a session again. The session continues with a new secret. */
  authenticate(caller: Caller, body: AuthenticateBody): Promise<WithCookies<SignedIn>>;
};

/** Uses up a factor. Returns false if it is wrong or was used before. */
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

  /** Returns the pending sign-in of this browser and its account. Throws UNAUTHORIZED if there is none. */
  const findStep = async (visit: Visit): Promise<{ hash: Buffer; account: Account }> => {
    const secret = cookies.read('second-step', visit.cookie);
    if (secret === undefined) throw noStep();
    const hash = secondStepSecret.hash(secret);
    const userId = await findSecondStep(db, hash, clock());
    const account = userId === undefined ? undefined : await accounts.find(db, userId);
    if (account === undefined) throw noStep();
    return { hash, account };
  };

  /** Attempts at the second factor are counted separately, because a correct password resets the count of the first. */
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
    throw invalidField('code', 'must be given, or another factor');
  };

  const useAtStep = ({ hash, account }: { hash: Buffer; account: Account }): Use => ({
    purpose: 'second-step',
    boundTo: hash.toString('hex'),
    userId: account.id,
  });

  const useInSession = ({ principal }: Caller): Use => {
    if (principal.kind !== 'person') throw new Error('Only users sign in');
    return { purpose: 'authenticate', boundTo: principal.sessionId, userId: principal.id };
  };

  /** Verifies the user of a session by password or passkey. */
  const proveOf = async (caller: Caller, { password, passkey }: AuthenticateBody): Promise<Proof> => {
    if (passkey === undefined) {
      if (password === undefined) throw invalidField('password', 'must be given, or a passkey');
      await accounts.prove(caller, password);
      return { by: 'password', use: () => Promise.resolve(true) };
    }
    const use = useInSession(caller);
    // As for the password: a passkey would let in a user whose account at the identity provider has ended.
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
        // A wrong factor rolls this back, so that the pending sign-in remains for the next attempt.
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
      if (account === undefined) throw new Error('The user of a passkey was not found');
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
  new ApiError('UNAUTHORIZED', 'This sign-in has already been completed or has expired. Sign in again');

const wrongFactor = (): ApiError => new ApiError('UNAUTHORIZED', 'The factor is wrong or was used before');

/** Throws INVALID_REQUEST if there is more than one, because it would be unclear which one counted. */
function refuseSeveral(body: object): void {
  const [first, second] = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (second !== undefined) throw invalidField(second, `must not be combined with ${first}`);
}

/** The secret in the cookie of a pending sign-in, and its hash, which is all that is stored. */
const secondStepSecret = {
  make(): { secret: string; hash: Buffer } {
    const secret = newSessionSecret();
    return { secret, hash: hashSecret(secret) };
  },
  hash: hashSecret,
};
