/** Rows of texts, the header first, as lines with aligned columns. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const [header = []] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One sentence for a person; its causes for whoever looks further. */
export function sentenceOf(failure: unknown): string {
  const causes: string[] = [];
  for (let at: unknown = failure; at instanceof Error; at = at.cause) causes.push(at.message);
  return causes.join('\n  because: ') || String(failure);
}

// Control characters (C0, DEL, C1), the two separators that end lines, and characters that change the direction of writing. A name
// with one of them could move the cursor, colour the screen or show another text.
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * The text with every such character written as JSON writes it, `\u001b`: inside a JSON text it stays the same value. `keepLines`
 * leaves the line breaks of a text of several lines.
 */
export const visible = (text: string, { keepLines = false }: { keepLines?: boolean } = {}): string =>
  text.replace(HARMFUL, (character) =>
    keepLines && character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
