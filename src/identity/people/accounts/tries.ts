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

/** Tries in a window; after so many the next is refused, right or wrong. */
const MOST_TRIES = 5;
const WINDOW_MS = 15 * 60_000;

/** Whose tries are counted together. */
export type Trier =
  /** Everybody who tries an account from a browser that it does not know. */
  | { kind: 'account'; email: string }
  /** A browser that the account has signed in before: strangers cannot use its tries up. */
  | { kind: 'device'; userId: string; device: string }
  /** A session whose person is asked for the password once more. */
  | { kind: 'session'; sessionId: string }
  /** The second step of a person, from a browser that is known or, with `device: ''`, from all others together. */
  | { kind: 'factor'; userId: string; device: string };

export type Tries = {
  /** Counts a try before anything is compared. Throws RATE_LIMITED when there were too many. */
  count(trier: Trier): Promise<void>;
  forget(transaction: DatabaseTransaction, trier: Trier): Promise<void>;
};

/**
 * Tries to sign in, counted in PostgreSQL for all processes. Accounts that do not exist are counted as those that do, so that a
 * refusal tells nothing.
 */
export function createTries({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): Tries {
  return {
    async count(trier) {
      const now = clock();
      const { tries, endsAt } = await countTry(db, idOf(trier), { now, windowMs: WINDOW_MS });
      if (tries <= MOST_TRIES) return;
      const retryAfter = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
      throw new ApiError('RATE_LIMITED', `More than ${MOST_TRIES} tries in 15 minutes`, { retryAfter });
    },
    forget: (transaction, trier) => forgetTries(transaction, idOf(trier)),
  };
}

const idOf = (trier: Trier): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([trier.kind, ...Object.values(trier)]))
    .digest();

/** A browser stays known for so long after it has signed somebody in. */
const DEVICE_MS = 180 * 24 * 3_600_000;

/** Begins a session in a browser that is known from then on; by the password unless told otherwise. */
export type Begin = (
  transaction: DatabaseTransaction,
  userId: string,
  visit: Visit,
  how?: { trier?: Trier; provenBy?: readonly Means[] },
) => Promise<WithCookies<SignedIn>>;

type Devices = {
  /** Whose tries a visit counts with: its browser's own where that has signed this person in before, else the account's. */
  trierOf(email: string, account: Account | undefined, visit: Visit): Promise<Trier>;
  /** Remembers the browser of a person who has just signed in. Returns the Set-Cookie header by which it is known again. */
  remember(transaction: DatabaseTransaction, userId: string, trier?: Trier): Promise<string>;
};

/** Browsers that people have signed in with before. Their secret is no proof of anybody: it only chooses where tries are counted. */
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
      // A secret that came with the request and was not known may be one that somebody has planted.
      const device = trier?.kind === 'device' ? trier.device : newSessionSecret();
      const createdAt = clock();
      const expiresAt = new Date(createdAt.getTime() + DEVICE_MS);
      await keepDevice(transaction, { hash: hashSecret(device), userId, createdAt, expiresAt });
      return cookies.write('device', device, DEVICE_MS);
    },
  };
}
