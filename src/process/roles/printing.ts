/** Formats rows of text, the header first, as lines with aligned columns. */
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

/** One sentence for a person, followed by its causes. */
export function sentenceOf(failure: unknown): string {
  const causes: string[] = [];
  for (let at: unknown = failure; at instanceof Error; at = at.cause) causes.push(at.message);
  return causes.join('\n  because: ') || String(failure);
}

// Control characters (C0, DEL, C1), the two separators that end lines, and characters that change the text direction. A name with one
// of them could move the cursor, colour the screen or look like another text.
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Returns the text with every such character escaped as in JSON, `\u001b`, so that JSON text keeps its value. `keepLines` keeps the
 * line breaks of a multi-line text.
 */
export const visible = (text: string, { keepLines = false }: { keepLines?: boolean } = {}): string =>
  text.replace(HARMFUL, (character) =>
    keepLines && character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
