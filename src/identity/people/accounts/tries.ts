import { createHash } from 'node:crypto';
import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { countTry, forgetTries } from './tries-store.ts';

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
