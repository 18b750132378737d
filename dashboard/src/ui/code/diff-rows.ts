import { type DiffLine, lineDiff } from '../../lib/line-diff.ts';

export type DiffSide = { number: number; text: string };
/** A line of both texts. `before` and `after` differ, or one of them is missing; `isSame`: they are equal. */
export type DiffRow = { isSame: boolean; before: DiffSide | undefined; after: DiffSide | undefined };
/** Equal lines that are left out. `from`: index of the first one among all rows. */
export type DiffGap = { from: number; count: number };

/** Equal lines of context around a change. */
const AROUND = 3;

/** Returns the lines of two texts side by side. Replaced lines share a row, the first with the first. */
export function sideRows(before: string, after: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [old, now] = [0, 0];
  const lines = lineDiff(before, after);
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, 'removed');
    const added = runOf(lines, at + removed.length, 'added');
    const length = Math.max(removed.length, added.length);
    for (let place = 0; place < length; place += 1) {
      const [gone, come] = [removed[place], added[place]];
      rows.push({
        isSame: false,
        before: gone && { number: (old += 1), text: gone.text },
        after: come && { number: (now += 1), text: come.text },
      });
    }
    at += removed.length + added.length;
    const line = lines[at];
    if (length > 0 || line === undefined) continue;
    rows.push({
      isSame: true,
      before: { number: (old += 1), text: line.text },
      after: { number: (now += 1), text: line.text },
    });
    at += 1;
  }
  return rows;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(from, end);
}

/** Returns the rows for a single column: removed lines come above added ones. */
export function unifiedRows(rows: readonly DiffRow[]): DiffRow[] {
  const unified: DiffRow[] = [];
  let added: DiffRow[] = [];
  for (const row of rows) {
    if (row.isSame) {
      unified.push(...added, row);
      added = [];
      continue;
    }
    if (row.before !== undefined) unified.push({ ...row, after: undefined });
    if (row.after !== undefined) added.push({ ...row, before: undefined });
  }
  return [...unified, ...added];
}

/**
 * Returns the changed rows with their context. A gap stands for equal rows that are left out, unless it is in `open`.
 */
export function shortRows(rows: readonly DiffRow[], open: ReadonlySet<number>): (DiffRow | DiffGap)[] {
  const isShown = rows.map(() => false);
  for (const [at, { isSame }] of rows.entries())
    if (!isSame) isShown.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  const short: (DiffRow | DiffGap)[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && !isShown[end]) end += 1;
    // A single line takes no more room than its gap.
    if (end - at > 1 && !open.has(at)) short.push({ from: at, count: end - at });
    else short.push(...rows.slice(at, end));
    at = end;
    while (at < rows.length && isShown[at]) {
      const row = rows[at];
      if (row !== undefined) short.push(row);
      at += 1;
    }
  }
  return short;
}

/**
 * Returns what two lines have in common at their ends, and the part of each that differs. Undefined if they have too
 * little in common.
 */
export function changedPart(
  before: string,
  after: string,
): { head: number; before: number; after: number } | undefined {
  const most = Math.min(before.length, after.length);
  const indent = /^\s*/.exec(before)?.[0].length ?? 0;
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  if (head - Math.min(head, indent) + tail < most / 4) return undefined;
  // Keep the two halves of a surrogate pair together.
  if (/[\uD800-\uDBFF]/.test(before[head - 1] ?? '')) head -= 1;
  if (/[\uDC00-\uDFFF]/.test(before.at(-tail) ?? '') && tail > 0) tail -= 1;
  return { head, before: before.length - tail, after: after.length - tail };
}
