const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const FORM = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration as authors write it: `500ms`, `30s`, `5m`, `2h`, `1.5d`, or a number of ms. Undefined for anything else. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined;
  const [, amount, unit] = typeof value === 'string' ? (FORM.exec(value) ?? []) : [];
  // `as`: the pattern names the units.
  return amount === undefined ? undefined : Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]);
}

/** The same as a person would write it, in its largest whole unit. */
export function showDuration(milliseconds: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}
