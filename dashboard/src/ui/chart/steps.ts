/** Values of one series, one per step. Undefined if nothing was measured. */
export type StepValues = readonly (number | undefined)[];

/** Possible lengths of a bar in seconds, from one second to one day. */
const LENGTHS = [1, 10, 60, 300, 900, 3_600, 21_600, 86_400];
const MOST_BARS = 96;

/**
 * Returns how many seconds a bar covers: the shortest length that needs at most 96 bars for the range. Bars are made of whole steps, so
 * the length is a multiple of `given`, or `given` itself if no length is.
 */
export function barSeconds(rangeSeconds: number, given = 1): number {
  if (rangeSeconds / given <= MOST_BARS && LENGTHS.includes(given)) return given;
  const whole = LENGTHS.filter((length) => length >= given && length % given === 0);
  return whole.find((length) => rangeSeconds / length <= MOST_BARS) ?? whole.at(-1) ?? given;
}

/**
 * Joins steps into bars of `seconds`. Counts are summed; of a percentile the highest is taken, because percentiles
 * cannot be averaged. Bars begin at multiples of their length, so they stay the same as time passes; `shiftMs` is the
 * offset of the user's zone from UTC, which makes days begin at midnight there.
 */
export function rebin<S extends { values: StepValues }>(
  steps: { times: readonly number[]; stepSeconds: number; series: readonly S[] },
  { seconds, merge, shiftMs = 0 }: { seconds: number; merge: 'sum' | 'highest'; shiftMs?: number },
): { times: readonly number[]; stepSeconds: number; series: readonly S[] } {
  if (seconds === steps.stepSeconds) return steps;
  const ms = seconds * 1_000;
  const starts = steps.times.map((at) => Math.floor((at + shiftMs) / ms) * ms - shiftMs);
  const times = [...new Set(starts)];
  const placeOf = new Map(times.map((at, place) => [at, place]));
  const series = steps.series.map((each) => {
    const values = Array<number | undefined>(times.length).fill(undefined);
    each.values.forEach((value, at) => {
      const place = placeOf.get(starts[at] ?? Number.NaN);
      if (value === undefined || place === undefined) return;
      const before = values[place];
      values[place] = before === undefined ? value : merge === 'sum' ? before + value : Math.max(before, value);
    });
    return { ...each, values };
  });
  return { times, stepSeconds: seconds, series };
}

/** Minimum bars of a zoomed chart: fewer would be as wide as buttons. */
const LEAST_STEPS = 24;

/**
 * Returns the first and last step to show if the data fill less than a third of the range, and undefined otherwise. The
 * part has at least 24 steps, around the data, and at most half of the range: a smaller change is not worth explaining.
 */
export function zoomOf(hasData: readonly boolean[]): { first: number; last: number } | undefined {
  const [first, last] = [hasData.indexOf(true), hasData.lastIndexOf(true)];
  const filled = last - first + 1;
  if (first === -1 || filled * 3 >= hasData.length) return undefined;
  const length = Math.max(filled, LEAST_STEPS);
  if (length * 2 > hasData.length) return undefined;
  const before = Math.floor((length - filled) / 2);
  const start = Math.max(0, Math.min(first - before, hasData.length - length));
  return { first: start, last: start + length - 1 };
}

/** Whether each step has a value other than 0 (`counts`), or any value (`measures`). */
export function stepsWithData(series: readonly { values: StepValues }[], count: number, of: 'counts' | 'measures') {
  return Array.from({ length: count }, (_, at) =>
    series.some(({ values }) => (of === 'counts' ? (values[at] ?? 0) !== 0 : values[at] !== undefined)),
  );
}

/** Returns the step that contains a moment. Undefined before the first and after the last step. */
export function stepAt(times: readonly number[], stepSeconds: number, at: number): number | undefined {
  const place = times.findLastIndex((start) => start <= at);
  return place === -1 || at >= (times[place] ?? 0) + stepSeconds * 1_000 ? undefined : place;
}
