/** The time from the first of these steps of a chart to the end of the last; undefined for steps that are not there. */
export function spanOfSteps(
  times: readonly string[],
  stepSeconds: number,
  first: number,
  last: number,
): { since: string; until: string } | undefined {
  const [from, to] = [times[first], times[last]];
  if (from === undefined || to === undefined) return undefined;
  return { since: from, until: new Date(Date.parse(to) + stepSeconds * 1_000).toISOString() };
}
