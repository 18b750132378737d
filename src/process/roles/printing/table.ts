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
