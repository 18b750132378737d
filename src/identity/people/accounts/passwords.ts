import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../../kernel/errors.ts';

/** Argon2id with 19 MiB, two passes and one lane: the least that OWASP's cheat sheet names for it. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const OWN_FORM = '$argon2id$v=19$m=19456,t=2,p=1$';

/**
 * Compared with the password of an account that does not exist, or has none, so that its answer takes as long. Made from 32 random
 * bytes that nobody has.
 */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$UHHcfZGPh4jXcVWckME0DA$62sMsNSBn3mVj/clG3xZvmnNfuQRqbLX1CzO4Yg0UfA';

/** One hash takes 20 ms of a core and 19 MiB: two at a time leave libuv's other threads to names and files. */
const AT_A_TIME = 2;
/** Beyond so many waiting ones the last would wait for more than half a second. */
const MOST_WAITING = 50;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Whether it is the one, and its new hash where the stored one was made with other parameters. With nothing stored it never is. */
  verify(password: string, stored: string | undefined): Promise<{ isRight: boolean; rehashed?: string }>;
};

/** Hashes of passwords, a few at a time: a stranger decides how many are asked for. Throws UNAVAILABLE where too many wait. */
export function createPasswords(): Passwords {
  const take = createTurns(AT_A_TIME, MOST_WAITING);
  const hashNow = (password: string): Promise<string> => take(() => hash(normalise(password), PARAMETERS));
  return {
    hash: hashNow,
    async verify(password, stored) {
      const isEqual = await take(() => verify(stored ?? NOBODYS, normalise(password)));
      if (!isEqual || stored === undefined) return { isRight: false };
      return stored.startsWith(OWN_FORM) ? { isRight: true } : { isRight: true, rehashed: await hashNow(password) };
    },
  };
}

/** One password has one form, however a keyboard composes its characters. */
export const normalise = (password: string): string => password.normalize('NFKC');

/** Runs work, so many at a time, in the order of asking. */
function createTurns(atATime: number, mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atATime) {
      if (waiting.length >= mostWaiting)
        throw new ApiError('UNAVAILABLE', 'Too many people sign in at this moment', { retryAfter: 1 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // A place is handed on, so that nobody who comes meanwhile takes it.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
