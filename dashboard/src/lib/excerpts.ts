/** Characters of a long text to show before and after the part that changed. */
const AROUND = 40;

/**
 * Returns two texts without what they have in common, except for some context around the change. A text without a
 * counterpart stays whole.
 */
export function excerpts(
  before: string | undefined,
  after: string | undefined,
): { before: string | undefined; after: string | undefined } {
  if (before === undefined || after === undefined) return { before, after };
  const [old, now] = [Array.from(before), Array.from(after)];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const [begun, left] = [Math.max(0, head - AROUND), Math.max(0, tail - AROUND)];
  const cut = (all: string[]): string =>
    `${begun > 0 ? '…' : ''}${all.slice(begun, all.length - left).join('')}${left > 0 ? '…' : ''}`;
  return { before: cut(old), after: cut(now) };
}
