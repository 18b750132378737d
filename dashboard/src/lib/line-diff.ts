/** A line that is in both texts, or in only one. */
export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string };

// A table of this size takes about 20 ms. Longer parts are shown as one removal and one addition.
const MOST_PLACES = 4_000_000;

/** Returns the lines of both texts in order, with as few removed and added lines as possible. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return [
    ...linesOf('same', old.slice(0, head)),
    ...between(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...linesOf('same', old.slice(old.length - tail)),
  ];
}

const linesOf = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }));

/** Compares parts whose first and last lines differ. */
function between(old: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  if (old.length * now.length > MOST_PLACES) return [...linesOf('removed', old), ...linesOf('added', now)];
  // Length of the longest common subsequence of both remainders, from each pair of positions on.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    const text = old[row] ?? '';
    if (text === now[column]) {
      lines.push({ kind: 'same', text });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ kind: 'removed', text });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: now[column] ?? '' });
      column += 1;
    }
  }
  return [...lines, ...linesOf('removed', old.slice(row)), ...linesOf('added', now.slice(column))];
}

/** Lines of context around a change. */
const AROUND = 3;

/** Returns the changed lines with their context; a number stands for that many equal lines left out. */
export function shortened(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const isShown = lines.map(() => false);
  for (const [place, { kind }] of lines.entries())
    if (kind !== 'same') isShown.fill(true, Math.max(0, place - AROUND), place + AROUND + 1);
  const short: (DiffLine | number)[] = [];
  for (const [place, line] of lines.entries()) {
    const last = short.at(-1);
    if (isShown[place]) short.push(line);
    else if (typeof last === 'number') short[short.length - 1] = last + 1;
    else short.push(1);
  }
  return short;
}
