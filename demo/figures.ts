/** One line of the final table. `wanted` is the right value; undefined for a value that is only shown. */
export type Figure = { name: string; value: number; wanted?: number };

/** The value below which `share` (0–1) of the values lie; NaN without values. The nearest rank, so it is always a seen value. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const isRight = ({ value, wanted }: Figure): boolean => wanted === undefined || value === wanted;

/** Returns the table as lines, numbers right-aligned, with a remark on each value that is wrong. */
export function toTable(figures: readonly Figure[]): string[] {
  const nameWidth = Math.max(...figures.map(({ name }) => name.length));
  const valueWidth = Math.max(...figures.map(({ value }) => String(value).length));
  return figures.map((figure) => {
    const line = `  ${figure.name.padEnd(nameWidth)}  ${String(figure.value).padStart(valueWidth)}`;
    return isRight(figure) ? line : `${line}  must be ${figure.wanted}`;
  });
}
