import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../../kernel/errors.ts';

/** Argon2id with 19 MiB, two passes and one lane: the minimum of OWASP's cheat sheet. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const OWN_FORM = '$argon2id$v=19$m=19456,t=2,p=1$';

/**
 * Verified for an account that does not exist or has no password, so that the response takes as long. The hash of 32
 * random bytes that nobody has.
 */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$UHHcfZGPh4jXcVWckME0DA$62sMsNSBn3mVj/clG3xZvmnNfuQRqbLX1CzO4Yg0UfA';

/** A hash takes 20 ms of a core and 19 MiB. Two at a time leave libuv's other threads to DNS and files. */
const AT_A_TIME = 2;
/** With more than this waiting, the last one would wait for more than half a second. */
const MOST_WAITING = 50;

export type Passwords = {
  hash(password: string): Promise<string>;
  /**
   * Whether the password is right, and its new hash if the stored one was created with other parameters. Always false
   * if nothing is stored.
   */
  verify(password: string, stored: string | undefined): Promise<{ isRight: boolean; rehashed?: string }>;
};

/**
 * Hashes passwords, a few at a time, because strangers decide how many are requested. Throws UNAVAILABLE if too many
 * are waiting.
 */
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

/** Normalises a password, so that it is the same however a keyboard composes its characters. */
const normalise = (password: string): string => password.normalize('NFKC');

/** Runs work in order, up to `atATime` at once. */
function createTurns(atATime: number, mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atATime) {
      if (waiting.length >= mostWaiting)
        throw new ApiError(
          'UNAVAILABLE',
          'Too many users are signing in at the moment; wait as long as Retry-After says, then try again',
          { retryAfter: 1 },
        );
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Hand the slot to the next one directly, so that a newcomer cannot take it.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/**
 * Words, names and keyboard runs that lists of leaked passwords consist of. Passwords made only of these are guessed
 * first, however long they are.
 */
const COMMON_PARTS: ReadonlySet<string> = new Set(
  `
  password passwort passw0rd pass passwd pwd parola contrasena senha motdepasse wachtwoord haslo geheim secret
  admin administrator root superuser user username guest login signin account master default system manager
  welcome willkommen bienvenue hello hallo letmein openup open sesame changeme change temp temporary test testing tester demo
  qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdf asdfgh asdfghjkl asdfasdf zxcvbnm zxcvbn zxcv yxcvbnm
  qwer wert erty qazwsx qazwsxedc qazxsw wsxedc edcrfv rfvtgb tgbyhn yhnujm qaz wsx edc zaq xsw zaqwsx
  abc abcd abcdef abcdefg abcdefgh abcdefghijkl xyz aaa bbb xxx zzz
  iloveyou ilove loveyou love lover lovely liebe amor forever babygirl baby sweetheart honey princess prince angel
  dragon monkey tiger lion eagle panther wolf bear cat dog puppy kitten pussycat horse dolphin butterfly unicorn
  football fussball soccer baseball basketball hockey golf tennis chelsea arsenal liverpool barcelona juventus bayern
  superman batman spiderman pokemon pikachu naruto starwars matrix hunter ranger killer ninja warrior knight wizard
  michael jordan jennifer jessica ashley michelle daniel thomas robert charlie andrew joshua matthew nicole amanda george
  summer sommer winter spring autumn herbst sunshine sunny flower rainbow shadow silver golden diamond cookie chocolate
  january february march april may june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday
  computer internet samsung google facebook microsoft windows linux apple iphone android amazon twitter instagram
  company business office server database service access security private public office house family friend friends
  money dollar million lucky happy smile freedom trust whatever nothing anything something everything qwe asd zxc
  posthorn webhook webhooks event events message messages dashboard
  correct battery staple please thanks thankyou fuckyou fuck shit asshole mustang ferrari porsche mercedes harley corvette
  the and for you are not this that my your our is me i a in on to it
  `
    .trim()
    .split(/\s+/),
);

/**
 * Length in characters as people count them. 12 with or without a second factor, because five attempts in a quarter of
 * an hour stop guessing before length does.
 */
const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

/** Length of the longest word in the list, and of what is looked up in it. */
const LONGEST_PART = 16;

const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/**
 * Returns why a text cannot be a password; undefined if it can. `ownWords` are words that others know about the user,
 * such as the email address. The rule follows NIST SP 800-63B §5.1.1.2: a minimum length and a list of what is guessed
 * first, but no rule on kinds of characters. Lists of leaked passwords have few entries of 12 characters or more, so
 * common words, own words, runs and digits are removed instead.
 */
export function passwordProblem(password: string, ownWords: readonly string[]): string | undefined {
  const text = normalise(password);
  const length = Array.from(text).length;
  if (length < PASSWORD_LENGTH.min) return `must have at least ${PASSWORD_LENGTH.min} characters`;
  if (length > PASSWORD_LENGTH.max) return `must have at most ${PASSWORD_LENGTH.max} characters`;
  return isCommon(text.toLowerCase(), ownWords) ? 'must be harder to guess: choose several unrelated words' : undefined;
}

/** Whether almost nothing is left of a password after common words, own words, runs and digits are removed. */
function isCommon(text: string, ownWords: readonly string[]): boolean {
  if (isRepeated(text)) return true;
  const own = ownWords.flatMap((word) => word.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length > 2);
  const parts = new Set([...COMMON_PARTS, ...own]);
  return [text, Array.from(text, (character) => LOOKALIKES[character] ?? character).join('')].some((each) =>
    leavesLittle(each, parts),
  );
}

/** One to four characters, repeated. */
const isRepeated = (text: string): boolean => /^(.{1,4}?)\1{2,}.{0,3}$/su.test(text);

/** Number of remaining letters that is still too few: three letters are guessed along with the rest. */
const LITTLE = 3;

/**
 * Whether the text consists of words, digits, marks and runs of neighbouring characters, except for up to three
 * letters. Computes the smallest remainder of each prefix, from left to right.
 */
function leavesLittle(text: string, parts: ReadonlySet<string>): boolean {
  const characters = Array.from(text);
  const rest: number[] = [0];
  for (let end = 1; end <= characters.length; end += 1) {
    const last = characters[end - 1] ?? '';
    let least = (rest[end - 1] ?? 0) + (/[\p{L}]/u.test(last) && !isRun(characters, end) ? 1 : 0);
    for (let start = Math.max(0, end - LONGEST_PART); start < end; start += 1) {
      if (parts.has(characters.slice(start, end).join(''))) least = Math.min(least, rest[start] ?? 0);
    }
    rest.push(least);
  }
  return (rest.at(-1) ?? 0) <= LITTLE && !isVaried(characters);
}

/**
 * Whether the character before `end` continues a run: it equals the previous one or is its neighbour in the alphabet.
 */
function isRun(characters: readonly string[], end: number): boolean {
  const step = (characters[end - 1]?.codePointAt(0) ?? 0) - (characters[end - 2]?.codePointAt(0) ?? Number.NaN);
  return Math.abs(step) <= 1;
}

/** Many different digits and marks between letters, which no list contains. */
function isVaried(characters: readonly string[]): boolean {
  const others = characters.filter((character, index) => !/\p{L}/u.test(character) && !isRun(characters, index + 1));
  return new Set(others).size >= 8;
}
