/** A pattern as a state table, in which each character takes one lookup. `entries` is the size of the table. */
export type Pattern = { test(text: string): boolean; entries: number };

// An escape, a class, the start or end of a group, a counted repetition, or any other character.
const TOKEN = /\\[pP]|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(|\)|\{(\d+)(?:,(\d*))?\}|./gs;
// Unicode classes have hundreds of ranges; creating one takes a millisecond when case is folded.
const UNICODE_CLASS = 50;

/**
 * Estimates the size of the program of a pattern (RE2) in instructions, without creating it: creating a hundred
 * instructions takes a millisecond, and 200 characters suffice for 80,000.
 */
export function estimatedPatternSize(pattern: string): number {
  const enclosing: number[] = [];
  let group = 0;
  let last = 0;
  const add = (size: number): void => {
    last = size;
    group += size;
  };
  for (const [token, least, most = '0'] of pattern.matchAll(TOKEN)) {
    if (least !== undefined) {
      // The repeated part has been counted once already.
      add(last * Math.max(Number(least) - 1, Number(most) - 1, 0));
    } else if (token === '(') {
      enclosing.push(group);
      group = 0;
    } else if (token === ')' && enclosing.length > 0) {
      const inner = group;
      group = Number(enclosing.pop());
      add(inner + 2);
    } else add(1 + UNICODE_CLASS * (token.split(/\\[pP]/).length - 1));
  }
  return enclosing.reduce((total, size) => total + size, group);
}
