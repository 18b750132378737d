import { millisecondsOf, type TimeWindow } from '../../kernel/values/instant.ts';
import { GRAINS } from './merge-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const STEPS_MS = [1, 5, 15, 60, 360, 1_440].map((minutes) => minutes * MINUTE_MS);
// A chart does not show more points than this. Only days can be more, because statistics are kept for 400 of them.
const MOST_POINTS = 120;
const DEFAULT_MS = DAY_MS;

/** Whole steps that cover the requested time. `minutes`: the resolution of the counts that are added up. */
export type Span = { since: Date; until: Date; stepMs: number; minutes: number };

/**
 * Returns the steps of a window, aligned to UTC: the shortest that give at most `mostPoints`, but not shorter than the
 * resolution still kept. Without `until` the window ends now; without `since` it is one day. The span is limited to the
 * time for which statistics are kept.
 */
export function spanOf({ since, until }: TimeWindow, now: Date, mostPoints = MOST_POINTS): Span {
  const oldest = now.getTime() - GRAINS.hour.keptDays * DAY_MS;
  const end = Math.max(oldest, Math.min(until === undefined ? now.getTime() : millisecondsOf(until), now.getTime()));
  const begin = Math.max(oldest, Math.min(since === undefined ? end - DEFAULT_MS : millisecondsOf(since), end));
  const hasMinutes = begin >= now.getTime() - GRAINS.minute.keptDays * DAY_MS;
  const least = hasMinutes ? MINUTE_MS : GRAINS.hour.minutes * MINUTE_MS;
  const possible = STEPS_MS.filter((step) => step >= least);
  const stepMs = possible.find((step) => end - begin <= step * mostPoints) ?? Math.max(...possible);
  return {
    since: new Date(Math.floor(begin / stepMs) * stepMs),
    until: new Date(Math.ceil(end / stepMs) * stepMs),
    stepMs,
    minutes: stepMs % (GRAINS.hour.minutes * MINUTE_MS) === 0 ? GRAINS.hour.minutes : GRAINS.minute.minutes,
  };
}
