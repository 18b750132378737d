import { RE2JS } from 're2js';
import type { Pattern } from './expressions/pattern-size.ts';

/** Internals of re2js's automaton, as far as they are used here. Tests fail if a version changes them. */
type State = { isMatch: boolean; nfaStates: readonly number[] };
type Automaton = {
  /** The automaton cannot represent the pattern. */
  failed: boolean;
  /**
   * The first characters of the character classes that states distinguish. The first class begins at 0 and is omitted.
   */
  classBounds: Int32Array;
  start(input: object, position: number): State | null;
  step(state: State, characterClass: number, character: number, anchor: number): State | null;
};

/**
 * Maximum work for creating one automaton, in visited instructions: 50,000 take 3 to 5 ms. A pattern that needs more
 * has to remember much of what it has read, such as `a.{20}b`.
 */
const MAX_WORK = 50_000;
const WORK_OF_A_STEP = 2;
const UNANCHORED = 0;
const END_OF_TEXT = -1;
const AT_THE_BEGINNING = { context: (): number => BEGIN_LINE_AND_TEXT, step: (): number => END_OF_TEXT };
const BEGIN_LINE_AND_TEXT = 0x01 | 0x04;
const LATIN_1 = 256;

/**
 * Compiles a pattern (RE2) to a complete state table: matching takes one lookup per character, whatever the text. re2js
 * creates states while matching, so each character can cost a new state, 90 ns for each of the pattern's instructions.
 * Throws an Error if the text is not valid RE2 or needs too many states.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  // `as`: re2js's types do not include it.
  const { dfa } = (compiled as unknown as { re2Input: { dfa: Automaton } }).re2Input;
  const first = dfa.failed ? null : dfa.start(AT_THE_BEGINNING, 0);
  if (first === null) throw new Error('it uses look-behind');
  const { next, isMatch } = makeTable(dfa, first);
  const columns = dfa.classBounds.length + 2;
  const classOf = createClassOf(dfa.classBounds);
  return {
    entries: next.length,
    test(text) {
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        let character = text.charCodeAt(at);
        if (character >= 0xd800 && character < 0xdc00) {
          character = text.codePointAt(at) ?? character;
          if (character > 0xffff) at += 1;
        }
        state = next[state * columns + classOf(character)] ?? 0;
        if (isMatch[state] === 1) return true;
      }
      return isMatch[next[state * columns + columns - 1] ?? 0] === 1;
    },
  };
}

/** One row per state: the next state for each character class, and in the last column that for the end of the text. */
function makeTable(dfa: Automaton, first: State): { next: Int32Array; isMatch: Uint8Array } {
  const representatives = [0, ...dfa.classBounds, END_OF_TEXT];
  const states = [first];
  const numbers = new Map<State, number>([[first, 0]]);
  const next: number[] = [];
  let work = 0;
  const numberBehind = (state: State, column: number, character: number): number => {
    // Nothing is read after a match.
    if (state.isMatch) return 0;
    const behind = dfa.step(state, column, character, UNANCHORED);
    work += WORK_OF_A_STEP + state.nfaStates.length + (behind?.nfaStates.length ?? 0);
    if (behind === null || work > MAX_WORK) throw new Error('it needs too many states');
    const number = numbers.get(behind) ?? states.length;
    if (number === states.length) {
      numbers.set(behind, number);
      states.push(behind);
    }
    return number;
  };
  for (let row = 0; row < states.length; row += 1)
    for (const [column, character] of representatives.entries())
      next.push(numberBehind(states[row] ?? first, column, character));
  return { next: Int32Array.from(next), isMatch: Uint8Array.from(states, (each) => (each.isMatch ? 1 : 0)) };
}

function createClassOf(bounds: Int32Array): (character: number) => number {
  const search = (character: number): number => {
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bounds[middle] ?? 0) <= character) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const known = Uint16Array.from({ length: LATIN_1 }, (_, character) => search(character));
  return (character) => (character < LATIN_1 ? (known[character] ?? 0) : search(character));
}
