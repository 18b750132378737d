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
  generateRecoveryCodes(caller: Caller): Promise<RecoveryCodes>;
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

    generateRecoveryCodes: (caller) =>
      change(caller, async (transaction, by) => {
        const userId = by.id;
        const { totp, passkeys } = await store.countFactors(transaction, userId);
        if (totp === undefined && passkeys === 0) throw new ApiError('CONFLICT', 'There is no second factor yet');
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

const wrongCode = (): ApiError => new ApiError('UNAUTHORIZED', 'The code is wrong, or was used before');

/** A passkey or a code would let somebody in whom the identity provider no longer does. */
const noPassword = (): ApiError =>
  new ApiError('CONFLICT', 'The account has no password: its identity provider asks for second factors');

/** Codes that a person gets at a time. */
const RECOVERY_CODES = 10;

/** Crockford's alphabet: letters that look like digits are not in it, and are read as these digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;

/** A code of 80 random bits, `xxxx-xxxx-xxxx-xxxx`: 32 characters take 5 bits of each byte. */
const newCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31])
    .join('')
    .replaceAll(GROUP, '$&-');

/** Ten fresh codes. */
const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);

/**
 * SHA-256 of a code, however it was typed: with or without hyphens and spaces, in any case, with O for 0 and I or L for 1. With 80
 * random bits nobody finds a code by its hash, so the hash needs not be slow.
 */
function hashRecoveryCode(code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return createHash('sha256').update(plain).digest();
}

/** RFC 4226, section 4: a shared secret should have 160 bits. Authenticator apps know SHA-1, six digits and 30 s alone. */
const SECRET_BYTES = 20;
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and behind the current one whose codes are taken: clocks of telephones differ by seconds, typing takes some more. */
const WINDOW = 1;

/** A fresh secret of an authenticator app, in base32 (RFC 4648). */
const newTotpSecret = (): string => {
  const bytes = randomBytes(SECRET_BYTES);
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
};

/** The URI by which an authenticator app takes the secret, as a QR code or a link. `label` names the account in the app. */
const totpUri = (secret: string, label: string): string =>
  new TOTP({ ...FORM, issuer: 'Posthorn', label, secret }).toString();

/**
 * The step of 30 s since 1970 that a code belongs to (RFC 6238, section 4.2): the current one or a neighbour. Undefined for a wrong
 * code. Whether the step was used before is for the caller to know (section 5.2). The digits are compared in constant time.
 */
function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...FORM, secret });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now.getTime() }) + delta;
}

/** Factors of people as others need to know them: which are asked for, and their end. */
export type FactorsOfPeople = {
  /** Means by which a person may take the second step of signing in; none where the password is enough. */
  meansOf(database: DatabaseTransaction, userId: string): Promise<Means[]>;
  /** Takes all factors from a person who has lost them. `by` is the one who says so. */
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
