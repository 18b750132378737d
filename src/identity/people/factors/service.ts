import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Sessions } from '../sessions/service.ts';
import type { Tries } from '../accounts/tries.ts';
import { type Caller, type Doer, doneBy, type TellChange } from '../../../api/caller.ts';
import type { ConfirmTotp, FactorAdded, FactorsAnswer, RecoveryCodes, TotpSecret } from './schema.ts';
import * as store from './store.ts';
import { countFactors, deleteFactors, lockPeople } from './store.ts';
import type { Means } from '../../../api/person-fields.ts';

/** A secret that is not confirmed within this time is void: its page was closed. */
const UNCONFIRMED_MS = 15 * 60_000;

type FactorDetails = Readonly<{ factor: 'totp' | 'passkey'; name?: string }>;

export type Factors = {
  show(caller: Caller): Promise<FactorsAnswer>;
  /** Creates a secret for an authenticator app. It counts as a factor once a first code has been given. */
  enrol(caller: Caller): Promise<TotpSecret>;
  /**
   * Confirms the app by its first code. Throws UNAUTHORIZED if it is wrong, and RATE_LIMITED after too many attempts.
   */
  confirm(caller: Caller, body: ConfirmTotp): Promise<FactorAdded>;
  removeTotp(caller: Caller): Promise<void>;
  /** Replaces all recovery codes with ten new ones. */
  generateRecoveryCodes(caller: Caller): Promise<RecoveryCodes>;
  /**
   * Locks the factors of the caller and the session that changes them until the transaction ends. Throws UNAUTHORIZED
   * if the session has ended: a factor added by someone who was signed out would let them in again, or lock the user
   * out.
   */
  lock(transaction: DatabaseTransaction, caller: Caller): Promise<void>;
  /**
   * Writes the audit entry for an added factor, and returns recovery codes if there were none. Throws CONFLICT if the
   * user has no password.
   */
  added(transaction: DatabaseTransaction, by: Doer, factor: FactorDetails): Promise<FactorAdded>;
  /** Writes the audit entry for a removed factor, and deletes the recovery codes with the last one. */
  removed(transaction: DatabaseTransaction, by: Doer, factor: FactorDetails): Promise<void>;
  /** Uses up a code of the authenticator app. Returns false if it is wrong, too old, or was used before. */
  useCode(transaction: DatabaseTransaction, by: Doer, code: string): Promise<boolean>;
  /** Uses up a recovery code. Returns false if it is wrong or was used before. */
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

  /** Runs a change of the caller's own factors. Changes of one user run one after the other. */
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
    // Without a factor, recovery codes serve no purpose.
    if (totp === undefined && passkeys === 0) await store.replaceRecoveryCodes(transaction, userId, []);
    await store.endSecondSteps(transaction, userId);
    await tell(transaction, { action: 'user.factor_removed', by, target: userId, after: details });
  };

  /** Uses up a code if it is correct and its time step is later than every one used before. */
  const useCodeOf = async (
    transaction: DatabaseTransaction,
    userId: string,
    { ciphertext, confirmedAt }: store.TotpRow,
    code: string,
  ): Promise<boolean> => {
    const secret = keyRing.decrypt(ciphertext, contextOf(userId));
    const step = stepOfCode(secret, code, clock());
    if (step === undefined) return false;
    // Re-encrypt with the first key of the ring, so that fewer rows depend on a key to be retired.
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
          throw new ApiError('CONFLICT', 'You already have an authenticator app. Remove it first');
        const secret = newTotpSecret();
        await store.keepTotp(transaction, userId, keyRing.encrypt(secret, contextOf(userId)), clock());
        return { secret, uri: totpUri(secret, email) };
      }),

    async confirm(caller, { code }) {
      const { principal } = caller;
      if (principal.kind !== 'person') throw new Error('Only users have factors');
      const trier = { kind: 'session', sessionId: principal.sessionId } as const;
      await tries.count(trier);
      return change(caller, async (transaction, by) => {
        const userId = by.id;
        const row = await store.findTotp(transaction, userId);
        const isWaiting = row !== null && clock().getTime() - row.createdAt.getTime() <= UNCONFIRMED_MS;
        if (row?.confirmedAt !== null || !isWaiting)
          throw new ApiError(
            'CONFLICT',
            'There is no authenticator app to confirm, or its 15 minutes are over. Start again with POST /v1/user/totp',
          );
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

    generateRecoveryCodes: (caller) =>
      change(caller, async (transaction, by) => {
        const userId = by.id;
        const { totp, passkeys } = await store.countFactors(transaction, userId);
        if (totp === undefined && passkeys === 0)
          throw new ApiError('CONFLICT', 'Recovery codes require a second factor. Add one first');
        const recoveryCodes = await writeCodes(transaction, userId);
        await tell(transaction, { action: 'user.recovery_codes_generated', by, target: userId });
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

const wrongCode = (): ApiError => new ApiError('UNAUTHORIZED', 'The code is wrong or was used before');

/** A passkey or a code would let in a user whom the identity provider no longer lets in. */
const noPassword = (): ApiError =>
  new ApiError('CONFLICT', 'The account has no password. Its identity provider is responsible for second factors');

/** Number of codes that a user gets at a time. */
const RECOVERY_CODES = 10;

/** Crockford's base32 alphabet. It omits letters that look like digits; when typed, they are read as those digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;

/**
 * Creates a code of 80 random bits, `xxxx-xxxx-xxxx-xxxx`. The alphabet has 32 characters, so each uses 5 bits of a
 * byte.
 */
const newCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31])
    .join('')
    .replaceAll(GROUP, '$&-');

const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);

/**
 * SHA-256 of a code however it was typed: with or without hyphens and spaces, in any case, with O for 0 and I or L for
 * 1. A code of 80 random bits cannot be found from its hash, so the hash does not have to be slow.
 */
function hashRecoveryCode(code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return createHash('sha256').update(plain).digest();
}

/**
 * RFC 4226, section 4: a shared secret should have 160 bits. Authenticator apps support only SHA-1, six digits and 30 s
 * reliably.
 */
const SECRET_BYTES = 20;
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/**
 * Time steps before and after the current one whose codes are accepted: clocks of phones are seconds off, and typing
 * takes time.
 */
const WINDOW = 1;

/** Creates a secret for an authenticator app, in base32 (RFC 4648). */
const newTotpSecret = (): string => {
  const bytes = randomBytes(SECRET_BYTES);
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
};

/** The URI with the secret for an authenticator app, as a QR code or link. `label` names the account in the app. */
const totpUri = (secret: string, label: string): string =>
  new TOTP({ ...FORM, issuer: 'Posthorn', label, secret }).toString();

/**
 * Returns the time step (30 s, counted from 1970) that a code belongs to (RFC 6238, section 4.2): the current one or a
 * neighbour. Returns undefined for a wrong code. The caller must check whether the step was used before (section 5.2).
 * Digits are compared in constant time.
 */
function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...FORM, secret });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now.getTime() }) + delta;
}

/** What other services need of a user's second factors: which are required, and removing all of them. */
export type FactorsOfPeople = {
  /** Returns the methods for the second factor at sign-in. Empty if the password is enough. */
  meansOf(database: DatabaseTransaction, userId: string): Promise<Means[]>;
  /** Removes all factors of a user who has lost them. `by` is the actor. */
  removeAll(transaction: DatabaseTransaction, change: { userId: string; by: Doer }): Promise<void>;
};

export const createFactorsOfPeople = (tell: TellChange<DatabaseTransaction>): FactorsOfPeople => ({
  async meansOf(database, userId) {
    const { totp, passkeys, recoveryCodes } = await countFactors(database, userId);
    const factors: Means[] = [...(passkeys > 0 ? ['passkey' as const] : []), ...(totp ? ['code' as const] : [])];
    return factors.length > 0 && recoveryCodes > 0 ? [...factors, 'recoveryCode'] : factors;
  },

  async removeAll(transaction, { userId, by }) {
    await lockPeople(transaction, [userId]);
    if (await deleteFactors(transaction, userId))
      await tell(transaction, { action: 'user.factors_removed', by, target: userId });
  },
});
