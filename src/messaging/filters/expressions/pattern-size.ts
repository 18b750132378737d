/** A pattern as a table of states, in which each character takes one look. `entries` is the size of that table. */
export type Pattern = { test(text: string): boolean; entries: number };

// An escape, a class, the begin and the end of a group, a counted repeat, or any other character.
const TOKEN = /\\[pP]|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(|\)|\{(\d+)(?:,(\d*))?\}|./gs;
// Classes of Unicode hold hundreds of ranges: making one takes a millisecond when cases are folded.
const UNICODE_CLASS = 50;

/**
 * Approximate size of the program of a pattern (RE2), in instructions, without making it: a hundred instructions take a millisecond to
 * make, and 200 characters are enough for 80,000.
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
      // The repeated part counts once already.
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
