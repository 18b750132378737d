/** Ends each line (RFC 4180 §2). */
export const CSV_LINE_END = '\r\n';

// A spreadsheet takes a cell that begins with one of these for a formula, their wide forms too. A sender of messages must not make one.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180) without its end. A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers do
 * not. Absent values are empty cells.
 */
export const csvLine = (cells: readonly (string | number | undefined)[]): string => cells.map(cellOf).join(',');

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
