import { messageOf } from '../../kernel/errors.ts';
import { timesOf } from '../definitions/configs/schedule-times.ts';
import type { ScheduleTrigger } from '../definitions/configs/schedule.ts';

/** Times on one UTC day: every minute listed, in every hour listed. `month` is 1 to 12. */
export type UtcCalendar = { year: number; month: number; day: number; hours: number[]; minutes: number[] };

/** The next times of a schedule. `until`: the last of them, in ms since 1970; absent if the schedule ends with them. */
export type Upcoming = { calendars: UtcCalendar[]; until?: number };

const DAY_MS = 86_400_000;

/**
 * Maximum calendars per schedule, because Temporal reads all of them for each time. A day takes at most 24, one per
 * hour, so they cover at least four days: a schedule continues for more than two days without a live worker.
 */
const MOST_CALENDARS = 100;
/** Three days of a schedule that runs every minute have fewer times. More would only take time to compute. */
const MOST_TIMES = 5_000;
/** Rare times need not be computed further ahead if there are two. */
const LOOK_AHEAD_MS = 400 * DAY_MS;

/** Returns the next times of a schedule after `now`, in whole UTC days. */
export function upcomingOf(schedule: ScheduleTrigger, now: Date): Upcoming {
  const calendars: UtcCalendar[] = [];
  let day: number[] = [];
  let count = 0;
  let until: number | undefined;
  /** Adds the times of a complete day. Returns false if there are too many. */
  const takeDay = (): boolean => {
    const added = calendarsOf(day);
    if (calendars.length + added.length > MOST_CALENDARS) return false;
    calendars.push(...added);
    count += day.length;
    until = day.at(-1);
    day = [];
    return true;
  };
  const isEnough = (): boolean =>
    count >= MOST_TIMES || (count >= 2 && until !== undefined && until > now.getTime() + LOOK_AHEAD_MS);
  for (const time of timesOf(schedule, now)) {
    const [first] = day;
    if (first !== undefined && dayOf(first) !== dayOf(time) && (!takeDay() || isEnough()))
      return { calendars, ...(until !== undefined && { until }) };
    day.push(time);
  }
  return takeDay() ? { calendars } : { calendars, ...(until !== undefined && { until }) };
}

const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** Returns calendars with exactly these times of one day; hours with the same minutes share one. */
function calendarsOf(times: readonly number[]): UtcCalendar[] {
  const minutesOf = new Map<number, number[]>();
  for (const time of times) {
    const at = new Date(time);
    const minutes = minutesOf.get(at.getUTCHours()) ?? [];
    minutes.push(at.getUTCMinutes());
    minutesOf.set(at.getUTCHours(), minutes);
  }
  const found = new Map<string, UtcCalendar>();
  for (const [hour, minutes] of minutesOf) {
    const at = new Date(times[0] ?? 0);
    const same = found.get(minutes.join());
    if (same === undefined)
      found.set(minutes.join(), {
        year: at.getUTCFullYear(),
        month: at.getUTCMonth() + 1,
        day: at.getUTCDate(),
        hours: [hour],
        minutes,
      });
    else same.hours.push(hour);
  }
  return [...found.values()];
}

/** The problem shown for a workflow whose stored schedule cannot be computed. */
export const unreadable = (failure: unknown): string => `The stored schedule cannot be read: ${messageOf(failure)}`;
