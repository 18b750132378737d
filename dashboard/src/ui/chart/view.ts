import { useState } from 'react';
import { type ChartSeries, inDrawingOrder } from './series.ts';
import { barSeconds, rebin, stepsWithData, zoomOf } from './steps.ts';
import { shiftOf } from './times.ts';
import type { Zone } from '../../lib/zone-times.ts';

/** The input of a chart or its table. */
export type ChartData = {
  /** When each step began, oldest first. */
  times: readonly string[];
  stepSeconds: number;
  series: readonly ChartSeries[];
  /** Stacked counts, or measures with a line each. */
  kind: 'bars' | 'lines';
  zone?: Zone;
  /** The current time, for "now" and "yesterday". */
  now?: number;
};

type Range = { from: number; to: number };

/** What is shown: steps joined into bars, and the part of the range that has data. Times are in milliseconds. */
export type ChartView = Range & {
  times: readonly number[];
  stepSeconds: number;
  /** The bottom of a stack first. */
  series: readonly ChartSeries[];
  /** Bars with data. */
  filled: readonly number[];
  /** The whole range. */
  whole: Range;
  /** The part with data, if they fill less than a third of the range. */
  zoom: Range | undefined;
};

/**
 * Returns the view, and the same object as before while nothing in it has changed, so that equal data are not drawn
 * again.
 */
export function useView(data: ChartData, isWhole: boolean): ChartView {
  const next = viewOf(data, isWhole);
  const [kept, setKept] = useState(next);
  if (kept === next || isSame(kept, next)) return kept;
  setKept(next);
  return next;
}

/** `isWhole`: show the whole range, however little of it has data. */
export function viewOf({ times, stepSeconds, series, kind, zone = 'utc' }: ChartData, isWhole: boolean): ChartView {
  const of = kind === 'bars' ? 'counts' : 'measures';
  const ms = stepSeconds * 1_000;
  const starts = times.map((at) => Date.parse(at));
  const rangeOf = (first: number, last: number): Range => ({ from: starts[first] ?? 0, to: (starts[last] ?? 0) + ms });
  const whole = rangeOf(0, starts.length - 1);
  const part = zoomOf(stepsWithData(series, starts.length, of));
  const zoom = part === undefined ? undefined : rangeOf(part.first, part.last);
  const { first, last } = part === undefined || isWhole ? { first: 0, last: starts.length - 1 } : part;
  const range = isWhole || zoom === undefined ? whole : zoom;
  const cut = {
    times: starts.slice(first, last + 1),
    stepSeconds,
    series: inDrawingOrder(series).map((each) => ({ ...each, values: each.values.slice(first, last + 1) })),
  };
  const bars = rebin(cut, {
    seconds: barSeconds((range.to - range.from) / 1_000, stepSeconds),
    merge: kind === 'bars' ? 'sum' : 'highest',
    shiftMs: shiftOf(range.from, zone),
  });
  const filled = stepsWithData(bars.series, bars.times.length, of).flatMap((has, at) => (has ? [at] : []));
  const from = bars.times[0] ?? range.from;
  const to = Math.max(range.to, (bars.times.at(-1) ?? 0) + bars.stepSeconds * 1_000);
  return { ...bars, from, to, filled, whole, zoom };
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [of, other] = [Object.entries(a), new Map(Object.entries(b))];
  return of.length === other.size && of.every(([key, value]) => other.has(key) && isSame(value, other.get(key)));
}
