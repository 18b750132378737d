/** Whether the newest tries have all failed: the last step with a try has none that arrived. */
export function failsNow(points: readonly { delivered: number; failedAttempts: number }[]): boolean {
  const last = points.findLast(({ delivered, failedAttempts }) => delivered + failedAttempts > 0);
  return last !== undefined && last.delivered === 0;
}
