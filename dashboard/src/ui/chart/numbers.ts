/** Formats a percentage: `97%`, `9.2%`, `<0.1%`. It is 0% or 100% only if that is exact. */
export function roundShareText(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0%';
  if (part === whole) return '100%';
  const share = (part / whole) * 100;
  if (share < 0.1) return '<0.1%';
  if (share >= 99.5) return `${Math.min(99.9, Math.floor(share * 10) / 10)}%`;
  return `${share < 9.95 ? share.toFixed(1) : Math.round(share)}%`;
}
