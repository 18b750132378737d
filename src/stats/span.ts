import { millisecondsOf, type TimeWindow } from '../kernel/instant.ts';
import { GRAINS } from './merge-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const STEPS_MS = [1, 5, 15, 60, 360, 1_440].map((minutes) => minutes * MINUTE_MS);
// A chart of more points than this shows no more. Only days may be more: the longest span has 366.
const MOST_POINTS = 120;
const DEFAULT_MS = DAY_MS;
/** The longest span that is asked for at once. */
export const LONGEST_DAYS = 366;

/** Whole steps that cover what was asked for. `minutes`: which figures are added up. */
export type Span = { since: Date; until: Date; stepMs: number; minutes: number };

/**
 * The steps of a window, aligned to UTC: as short as gives `mostPoints` at most, and no shorter than the figures that are still kept.
 * Without `until` it ends now, without `since` it has a day. Undefined where it is longer than 366 days.
 */
export function spanOf({ since, until }: TimeWindow, now: Date, mostPoints = MOST_POINTS): Span | undefined {
  const end = until === undefined ? now.getTime() : millisecondsOf(until);
  const begin = Math.min(since === undefined ? end - DEFAULT_MS : millisecondsOf(since), end);
  if (end - begin > LONGEST_DAYS * DAY_MS) return undefined;
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
