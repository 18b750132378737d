/** A line of two texts: in both of them, or in one. */
export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string };

// A table of so many places takes some 20 ms. Longer parts are shown as one that went and one that came.
const MOST_PLACES = 4_000_000;

/** The lines of both texts in their order, with what went and what came: as few of these as can be. */
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

/** Parts that differ in their first and last lines. */
function between(old: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  if (old.length * now.length > MOST_PLACES) return [...linesOf('removed', old), ...linesOf('added', now)];
  // Lines that the rests of both parts have in common, from each place on.
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

/** Lines around a change that are shown with it. */
const AROUND = 3;

/** The lines that changed with those around them; a number stands for so many equal lines that are left out. */
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
