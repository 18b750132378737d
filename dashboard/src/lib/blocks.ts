/** Characters of a block: one screen of text or so, laid out in less than a millisecond. */
const BLOCK = 4_096;

/** A text in blocks of whole lines; a line that is longer than a block is divided. Together they are the text again. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  while (from < text.length) {
    const most = Math.min(text.length, from + BLOCK);
    const end = text.lastIndexOf('\n', most - 1) + 1;
    const isWhole = most === text.length;
    let to = isWhole || end <= from ? most : end;
    // The two halves of a sign beyond the first 65,536 stay together.
    if (!isWhole && to === most && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1;
    blocks.push(text.slice(from, to));
    from = to;
  }
  return blocks;
}
