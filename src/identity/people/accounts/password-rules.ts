import { COMMON_PARTS } from './common-passwords.ts';
import { normalise } from './passwords.ts';

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
