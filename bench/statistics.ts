/** Value below which `part` (0 to 1) of the sorted values lie; NaN without values. */
export function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? Number.NaN;
}

/** Smallest, middle and largest of a few runs. */
export type Spread = { min: number; median: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  return { min: sorted[0] ?? Number.NaN, median: percentile(sorted, 0.5), max: sorted.at(-1) ?? Number.NaN };
}

/** For people: whole from 100, one digit from 10, two below. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: Number.isInteger(value) ? 0 : digits });
}

export const showSpread = ({ min, median, max }: Spread): string =>
  min === max || show(min) === show(max) ? show(median) : `${show(median)} (${show(min)}–${show(max)})`;

/** Columns as wide as their widest cell; the first two to the left, numbers to the right. Empty without rows. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[], left = 2): string {
  if (rows.length === 0) return '';
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
