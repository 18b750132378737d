import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Tries } from '../accounts/tries.ts';
import { type Caller, type Doer, doneBy, type TellChange } from '../../../api/caller.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import type { ConfirmTotp, FactorAdded, FactorsAnswer, RecoveryCodes, TotpSecret } from './schema.ts';
import * as store from './store.ts';
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts';

/** A secret that nobody has confirmed in this time is none: its page was left. */
const UNCONFIRMED_MS = 15 * 60_000;

type FactorDetails = Readonly<{ factor: 'totp' | 'passkey'; name?: string }>;

export type Factors = {
  show(caller: Caller): Promise<FactorsAnswer>;
  /** A new secret for an authenticator app, in force once its first code has come. */
  enrol(caller: Caller): Promise<TotpSecret>;
  /** The first code. Throws UNAUTHORIZED for a wrong one, RATE_LIMITED after too many. */
  confirm(caller: Caller, body: ConfirmTotp): Promise<FactorAdded>;
  removeTotp(caller: Caller): Promise<void>;
  /** Ten new recovery codes in the place of all earlier ones. */
  makeRecoveryCodes(caller: Caller): Promise<RecoveryCodes>;
  /**
   * Keeps the factors of the caller, and the session that changes them, as they are until the transaction ends. Throws UNAUTHORIZED where
   * the session has ended: a factor of somebody who was signed out would let them in again, or shut its person out.
   */
  lock(transaction: DatabaseTransaction, caller: Caller): Promise<void>;
  /**
   * The audit entry of a factor that was added, and recovery codes where it is the first one. Throws CONFLICT for a person without a
   * password.
   */
  added(transaction: DatabaseTransaction, by: Doer, factor: FactorDetails): Promise<FactorAdded>;
  /** The audit entry of a factor that was removed, and the end of the recovery codes with the last one. */
  removed(transaction: DatabaseTransaction, by: Doer, factor: FactorDetails): Promise<void>;
  /** Uses a code of the authenticator app up. False for one that is wrong, too old, or was used before. */
  useCode(transaction: DatabaseTransaction, by: Doer, code: string): Promise<boolean>;
  /** Uses a recovery code up. False for one that is wrong or was used before. */
  useRecoveryCode(transaction: DatabaseTransaction, by: Doer, code: string): Promise<boolean>;
};

export function createFactors(
  { db, clock, keyRing }: Pick<Dependencies, 'db' | 'clock' | 'keyRing'>,
  { tries, sessions, tell }: { tries: Tries; sessions: Pick<Sessions, 'hold'>; tell: TellChange<DatabaseTransaction> },
): Factors {
  const lock: Factors['lock'] = async (transaction, caller) => {
    await store.lockPeople(transaction, [caller.principal.id]);
    await sessions.hold(transaction, caller);
  };

  /** Runs a change of the caller's own factors; one after the other for each person. */
  const change = <T>(caller: Caller, work: (transaction: DatabaseTransaction, by: Doer) => Promise<T>) =>
    db.$transaction(async (transaction) => {
      await lock(transaction, caller);
      return work(transaction, doneBy(caller));
    });

  const writeCodes = async (transaction: DatabaseTransaction, userId: string): Promise<string[]> => {
    const codes = newRecoveryCodes();
    await store.replaceRecoveryCodes(transaction, userId, codes.map(hashRecoveryCode));
    return codes;
  };

  const added: Factors['added'] = async (transaction, by, details) => {
    const userId = by.id;
    const { hasPassword, recoveryCodes } = await store.countFactors(transaction, userId);
    if (!hasPassword) throw noPassword();
    const made = recoveryCodes > 0 ? {} : { recoveryCodes: await writeCodes(transaction, userId) };
    await tell(transaction, { action: 'user.factor_added', by, target: userId, after: details });
    return made;
  };

  const removed: Factors['removed'] = async (transaction, by, details) => {
    const userId = by.id;
    const { totp, passkeys } = await store.countFactors(transaction, userId);
    // Without a factor there is nothing that recovery codes recover.
    if (totp === undefined && passkeys === 0) await store.replaceRecoveryCodes(transaction, userId, []);
    await store.endSecondSteps(transaction, userId);
    await tell(transaction, { action: 'user.factor_removed', by, target: userId, after: details });
  };

  /** Uses the code of a secret up, where it is the right one and its step is later than every one that was used. */
  const useCodeOf = async (
    transaction: DatabaseTransaction,
    userId: string,
    { ciphertext, confirmedAt }: store.TotpRow,
    code: string,
  ): Promise<boolean> => {
    const secret = keyRing.decrypt(ciphertext, contextOf(userId));
    const step = stepOfCode(secret, code, clock());
    if (step === undefined) return false;
    // Sealed anew by the first key of the ring, so that a key that is to be retired is needed by fewer rows.
    const sealedAnew = keyRing.encrypt(secret, contextOf(userId));
    const use = { step, read: ciphertext, sealedAnew, confirmedAt: confirmedAt ?? clock() };
    return store.useStep(transaction, userId, use);
  };

  return {
    lock,
    added,
    removed,

    async show({ principal }) {
      const { totp, passkeys, recoveryCodes } = await store.countFactors(db, principal.id);
      const isAsked = totp !== undefined || passkeys > 0;
      return { isAsked, ...(totp && { totp: { createdAt: totp } }), passkeys, recoveryCodes };
    },

    enrol: (caller) =>
      change(caller, async (transaction, by) => {
        const userId = by.id;
        const { email, hasPassword, totp } = await store.countFactors(transaction, userId);
        if (!hasPassword) throw noPassword();
        if (totp !== undefined)
          throw new ApiError('CONFLICT', 'There is an authenticator app already: remove it first');
        const secret = newTotpSecret();
        await store.keepTotp(transaction, userId, keyRing.encrypt(secret, contextOf(userId)), clock());
        return { secret, uri: totpUri(secret, email) };
      }),

    async confirm(caller, { code }) {
      const { principal } = caller;
      if (principal.kind !== 'person') throw new Error('Only people have factors');
      const trier = { kind: 'session', sessionId: principal.sessionId } as const;
      await tries.count(trier);
      return change(caller, async (transaction, by) => {
        const userId = by.id;
        const row = await store.findTotp(transaction, userId);
        const isWaiting = row !== null && clock().getTime() - row.createdAt.getTime() <= UNCONFIRMED_MS;
        if (row?.confirmedAt !== null || !isWaiting)
          throw new ApiError('CONFLICT', 'No secret waits for its first code: POST /v1/user/totp makes one');
        if (!(await useCodeOf(transaction, userId, row, code))) throw wrongCode();
        await tries.forget(transaction, trier);
        return added(transaction, by, { factor: 'totp' });
      });
    },

    removeTotp: (caller) =>
      change(caller, async (transaction, by) => {
        const userId = by.id;
        if (!(await store.deleteTotp(transaction, userId)))
          throw new ApiError('NOT_FOUND', 'You have no authenticator app');
        await removed(transaction, by, { factor: 'totp' });
      }),

    makeRecoveryCodes: (caller) =>
      change(caller, async (transaction, by) => {
        const userId = by.id;
        const { totp, passkeys } = await store.countFactors(transaction, userId);
        if (totp === undefined && passkeys === 0) throw new ApiError('CONFLICT', 'There is no second factor yet');
        const recoveryCodes = await writeCodes(transaction, userId);
        await tell(transaction, { action: 'user.recovery_codes_made', by, target: userId });
        return { recoveryCodes };
      }),

    async useCode(transaction, { id: userId }, code) {
      const row = await store.findTotp(transaction, userId);
      return row?.confirmedAt instanceof Date && useCodeOf(transaction, userId, row, code);
    },

    async useRecoveryCode(transaction, by, code) {
      if (!(await store.useRecoveryCode(transaction, by.id, hashRecoveryCode(code)))) return false;
      await tell(transaction, { action: 'user.recovery_code_used', by, target: by.id });
      return true;
    },
  };
}

const contextOf = (userId: string) => `totp_factors|ciphertext|${userId}` as const;

const wrongCode = (): ApiError => new ApiError('UNAUTHORIZED', 'The code is wrong, or was used before');

/** A passkey or a code would let somebody in whom the identity provider no longer does. */
const noPassword = (): ApiError =>
  new ApiError('CONFLICT', 'The account has no password: its identity provider asks for second factors');
