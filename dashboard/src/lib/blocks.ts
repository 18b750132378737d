/** Characters per block: about one screen of text, laid out in less than a millisecond. */
const BLOCK = 4_096;

/**
 * Splits a text into blocks of whole lines; a line longer than a block is divided. Joined together they give the text
 * again.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  while (from < text.length) {
    const most = Math.min(text.length, from + BLOCK);
    const end = text.lastIndexOf('\n', most - 1) + 1;
    const isWhole = most === text.length;
    let to = isWhole || end <= from ? most : end;
    // Keep the two halves of a surrogate pair together.
    if (!isWhole && to === most && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1;
    blocks.push(text.slice(from, to));
    from = to;
  }
  return blocks;
}
