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
const normalise = (password: string): string => password.normalize('NFKC');

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

/**
 * Words, names and runs of keys that lists of leaked passwords are made of. Passwords that hold nothing else are guessed first, however
 * long they are.
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

/** Characters of a password, as people count them. */
const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

/** Longest word of the list, and of what is tried as one. */
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
 * Why a text may be no password; undefined when it may. `ownWords` are words that everybody knows of the person, such as the e-mail
 * address. The rule follows NIST SP 800-63B §5.1.1.2: a length, and a list of what is guessed first; no rule on kinds of characters.
 */
export function passwordProblem(password: string, ownWords: readonly string[]): string | undefined {
  const text = normalise(password);
  const length = Array.from(text).length;
  if (length < PASSWORD_LENGTH.min) return `must have at least ${PASSWORD_LENGTH.min} characters`;
  if (length > PASSWORD_LENGTH.max) return `must have at most ${PASSWORD_LENGTH.max} characters`;
  return isCommon(text.toLowerCase(), ownWords)
    ? 'is too easy to guess: choose several words that do not belong together'
    : undefined;
}

/** Whether nothing is left of a password once common words, own words, runs and digits are taken out. */
function isCommon(text: string, ownWords: readonly string[]): boolean {
  if (isRepeated(text)) return true;
  const own = ownWords.flatMap((word) => word.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length > 2);
  const parts = new Set([...COMMON_PARTS, ...own]);
  return [text, Array.from(text, (character) => LOOKALIKES[character] ?? character).join('')].some((each) =>
    leavesLittle(each, parts),
  );
}

/** One character, or up to four of them, again and again. */
const isRepeated = (text: string): boolean => /^(.{1,4}?)\1{2,}.{0,3}$/su.test(text);

/** Characters that may stay over: three of them are guessed with the rest. */
const LITTLE = 3;

/**
 * Whether the text is made of the words, digits, marks and runs of neighbouring characters, but for three characters. Least rest of
 * each beginning, from left to right.
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

/** Whether the character before `end` goes on a run: the same as the one before it, or its neighbour in the alphabet. */
function isRun(characters: readonly string[], end: number): boolean {
  const step = (characters[end - 1]?.codePointAt(0) ?? 0) - (characters[end - 2]?.codePointAt(0) ?? Number.NaN);
  return Math.abs(step) <= 1;
}

/** Many digits and marks in no order, between letters: nothing that a list has. */
function isVaried(characters: readonly string[]): boolean {
  const others = characters.filter((character, index) => !/\p{L}/u.test(character) && !isRun(characters, index + 1));
  return new Set(others).size >= 8;
}
