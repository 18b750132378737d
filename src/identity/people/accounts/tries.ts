import { createHash } from 'node:crypto';
import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { countTry, forgetTries, isKnownDevice, keepDevice, type Account } from './store.ts';
import type { Means } from '../../../api/person-fields.ts';
import type { Visit } from '../../../api/caller.ts';
import { type Cookies, hashSecret, newSessionSecret } from '../sessions/cookie.ts';
import type { SignedIn } from '../sessions/schema.ts';
import type { WithCookies } from '../sessions/service.ts';

/** Attempts per window. The next one is rejected, right or wrong. */
const MOST_TRIES = 5;
const WINDOW_MS = 15 * 60_000;

/** Whose attempts are counted together. */
export type Trier =
  /** Everyone who tries an account from a browser that it does not know. */
  | { kind: 'account'; email: string }
  /** A browser that has signed in to the account before, so that strangers cannot use up its attempts. */
  | { kind: 'device'; userId: string; device: string }
  /** A session whose user is asked for the password again. */
  | { kind: 'session'; sessionId: string }
  /** Second factor of a user, from a known browser or, with `device: ''`, from all others together. */
  | { kind: 'factor'; userId: string; device: string };

export type Tries = {
  /** Counts an attempt before anything is compared. Throws RATE_LIMITED if there were too many. */
  count(trier: Trier): Promise<void>;
  forget(transaction: DatabaseTransaction, trier: Trier): Promise<void>;
};

/**
 * Sign-in attempts, counted in PostgreSQL for all processes. Accounts that do not exist are counted like those that do,
 * so that a rejection reveals nothing.
 */
export function createTries({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): Tries {
  return {
    async count(trier) {
      const now = clock();
      const { tries, endsAt } = await countTry(db, idOf(trier), { now, windowMs: WINDOW_MS });
      if (tries <= MOST_TRIES) return;
      const retryAfter = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
      throw new ApiError(
        'RATE_LIMITED',
        `There were more than ${MOST_TRIES} attempts in 15 minutes; wait as long as Retry-After says, then try again`,
        { retryAfter },
      );
    },
    forget: (transaction, trier) => forgetTries(transaction, idOf(trier)),
  };
}

const idOf = (trier: Trier): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([trier.kind, ...Object.values(trier)]))
    .digest();

/** A browser stays known for this long after someone has signed in with it. */
const DEVICE_MS = 180 * 24 * 3_600_000;

/** Starts a session, by password unless `provenBy` says otherwise, and remembers the browser. */
export type Begin = (
  transaction: DatabaseTransaction,
  userId: string,
  visit: Visit,
  how?: { trier?: Trier; provenBy?: readonly Means[] },
) => Promise<WithCookies<SignedIn>>;

type Devices = {
  /**
   * Returns whose attempts a visit counts with: those of its browser if it has signed in to the account before,
   * otherwise those of the account.
   */
  trierOf(email: string, account: Account | undefined, visit: Visit): Promise<Trier>;
  /** Remembers the browser of a user who has just signed in. Returns the Set-Cookie header that identifies it. */
  remember(transaction: DatabaseTransaction, userId: string, trier?: Trier): Promise<string>;
};

/**
 * Browsers that users have signed in with before. Their secret does not authenticate anyone; it only decides where
 * attempts are counted.
 */
export function createDevices({ db, clock }: Pick<Dependencies, 'db' | 'clock'>, cookies: Cookies): Devices {
  return {
    async trierOf(email, account, visit) {
      const device = cookies.read('device', visit.cookie);
      const isKnown = device !== undefined && (await isKnownDevice(db, hashSecret(device), account?.id, clock()));
      return isKnown && account !== undefined
        ? { kind: 'device', userId: account.id, device }
        : { kind: 'account', email };
    },
    async remember(transaction, userId, trier) {
      // An unknown secret that came with the request may have been planted.
      const device = trier?.kind === 'device' ? trier.device : newSessionSecret();
      const createdAt = clock();
      const expiresAt = new Date(createdAt.getTime() + DEVICE_MS);
      await keepDevice(transaction, { hash: hashSecret(device), userId, createdAt, expiresAt });
      return cookies.write('device', device, DEVICE_MS);
    },
  };
}
