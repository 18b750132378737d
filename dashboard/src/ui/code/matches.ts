import { type CodeLine, lineText, type ColouredPiece } from './json-lines.ts';

/** A highlighted part of a line. A match that continues in the next part of a divided line has one range in each. */
export type Range = { from: number; to: number; match: number };
export type Matches = {
  /** The line where each match starts. */
  lines: readonly number[];
  ranges: ReadonlyMap<number, readonly Range[]>;
};

export const NO_MATCHES: Matches = { lines: [], ranges: new Map() };
/** Maximum number of matches. A single letter could match 100,000 times. */
export const MOST_MATCHES = 2_000;

/** Returns where a text occurs in the lines, ignoring case. */
export function findMatches(lines: readonly CodeLine[], query: string): Matches {
  if (query === '') return NO_MATCHES;
  const wanted = new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu');
  const found: number[] = [];
  const ranges = new Map<number, Range[]>();
  for (let at = 0; at < lines.length && found.length < MOST_MATCHES; ) {
    // The parts of a divided line are searched as one.
    const texts = [textAt(lines, at)];
    while (at + texts.length < lines.length && lines[at + texts.length]?.number === undefined)
      texts.push(textAt(lines, at + texts.length));
    const starts = texts.map((_, part) => texts.slice(0, part).reduce((sum, text) => sum + text.length, 0));
    for (const { index, 0: text } of texts.join('').matchAll(wanted)) {
      if (found.length === MOST_MATCHES) break;
      const match = found.length;
      const first = starts.findLastIndex((start) => start <= index);
      found.push(at + first);
      for (let part = first; part < texts.length && (starts[part] ?? 0) < index + text.length; part += 1) {
        const start = starts[part] ?? 0;
        const range = {
          from: Math.max(0, index - start),
          to: Math.min(texts[part]?.length ?? 0, index + text.length - start),
          match,
        };
        ranges.set(at + part, [...(ranges.get(at + part) ?? []), range]);
      }
    }
    at += texts.length;
  }
  return { lines: found, ranges };
}

const textAt = (lines: readonly CodeLine[], at: number): string => {
  const line = lines[at];
  return line === undefined ? '' : lineText(line);
};

/**
 * Returns the pieces of a line, cut where ranges start and end. `match` is the index of the match that a piece belongs
 * to.
 */
export function markedPieces(
  pieces: readonly ColouredPiece[],
  ranges: readonly Range[],
): (ColouredPiece & { match?: number })[] {
  const cut: (ColouredPiece & { match?: number })[] = [];
  let start = 0;
  for (const { text, kind } of pieces) {
    const end = start + text.length;
    let at = start;
    for (const { from, to, match } of ranges) {
      if (to <= at || from >= end) continue;
      const [begin, stop] = [Math.max(at, from), Math.min(end, to)];
      if (begin > at) cut.push({ text: text.slice(at - start, begin - start), kind });
      cut.push({ text: text.slice(begin - start, stop - start), kind, match });
      at = stop;
    }
    if (at < end) cut.push({ text: text.slice(at - start), kind });
    start = end;
  }
  return cut;
}
