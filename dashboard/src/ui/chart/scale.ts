/**
 * Returns the smallest of 1, 2, 2.5 and 5 × 10ⁿ that is not below the value. Counts do not use 2.5 or anything below 1.
 */
export function niceMax(value: number, of: 'counts' | 'measures'): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 2.5, 5, 10].map((step) => step * power).find((most) => most >= value * (1 - 1e-9));
  const most = found ?? value;
  return of === 'counts' ? Math.max(1, most === 2.5 ? 5 : most) : most;
}

/**
 * Returns the heights of stacked values, from the bottom, as the edges between them. A value other than 0 is at least
 * `least` high, because one failure next to a thousand deliveries must be visible. What that adds to a full stack is
 * taken from its highest part.
 */
export function stackEdges(
  values: readonly (number | undefined)[],
  { perUnit, least, most }: { perUnit: number; least: number; most: number },
): number[] {
  const heights = values.map((value = 0) => (value > 0 ? Math.max(least, value * perUnit) : 0));
  const over = heights.reduce((sum, height) => sum + height, 0) - most;
  if (over > 0) {
    const highest = heights.indexOf(Math.max(...heights));
    heights[highest] = Math.max(least, (heights[highest] ?? 0) - over);
  }
  let edge = 0;
  return [0, ...heights.map((height) => (edge += height))].map((each) => Math.round(each));
}

/**
 * Returns the left edge and width, in pixels, of the bar for a step that begins at `start`. The gap between bars, a
 * fifth of a step, is constant and their widths differ by a pixel, because uneven gaps are more noticeable.
 */
export function barEdges(start: number, step: number): [left: number, width: number] {
  const space = step < 3 ? 0 : Math.max(1, Math.round(step * 0.2));
  const left = Math.round(start) + Math.floor(space / 2);
  return [left, Math.max(1, Math.round(start + step) - Math.ceil(space / 2) - left)];
}
