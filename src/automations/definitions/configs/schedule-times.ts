import { type Cron, hasDate, parseCron } from './cron.ts';
import type { Trigger } from './planned.ts';
import { instantsOf, type TimeZone, timeZoneOf } from './time-zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
// Temporal's calendars end with the year 2100.
const LAST = Date.UTC(2101, 0, 1);

type Times = Pick<Trigger & { type: 'schedule' }, 'crons' | 'everyMs' | 'timezone' | 'startAt' | 'endAt'>;

/**
 * Yields the times of a schedule after `after`, ascending, in ms since 1970. This is the only place that computes them,
 * both for the API and for Temporal. Throws for stored expressions or time zones that are not valid today.
 *
 * A wall-clock time that is skipped in spring occurs once, an hour later. One that is repeated in autumn occurs once,
 * the first time. An expression that names every hour of the day is an exception: it means elapsed hours, so it occurs
 * both times.
 */
export function* timesOf({ crons, everyMs, timezone, startAt, endAt }: Times, after: Date): Generator<number> {
  const from = Math.max(after.getTime(), startAt === undefined ? 0 : Date.parse(startAt) - 1);
  const until = endAt === undefined ? LAST - 1 : Math.min(LAST - 1, Date.parse(endAt));
  for (const time of everyMs === undefined
    ? cronTimes(crons.map(parseCron), timeZoneOf(timezone), from)
    : intervals(everyMs, from)) {
    if (time > until) return;
    yield time;
  }
}

/** Intervals are counted from 1970. */
function* intervals(everyMs: number, from: number): Generator<number> {
  for (let time = (Math.floor(from / everyMs) + 1) * everyMs; ; time += everyMs) yield time;
}

function* cronTimes(crons: readonly Cron[], zone: TimeZone, from: number): Generator<number> {
  let last = from;
  const today = Math.floor((from + zone.offsetAt(from)) / DAY_MS) * DAY_MS;
  // A time skipped around midnight yesterday may occur today.
  for (let date = today - DAY_MS; date <= LAST; date += DAY_MS)
    for (const time of timesOfDate(crons, zone, date))
      if (time > last) {
        yield time;
        last = time;
      }
}

const MINUTES = 1_440;

/**
 * Returns the instants on a date (given by its midnight, as if clocks showed UTC), ascending and without duplicates.
 * Minutes named by several expressions are processed once, so that a day costs the same however many expressions there
 * are.
 */
function timesOfDate(crons: readonly Cron[], zone: TimeZone, date: number): number[] {
  const at = new Date(date);
  const day = { month: at.getUTCMonth() + 1, day: at.getUTCDate(), dayOfWeek: at.getUTCDay() };
  const here = crons.filter((cron) => hasDate(cron, day));
  if (here.length === 0) return [];
  // 1: occurs once if clocks repeat it. 2: occurs twice.
  const comes = new Uint8Array(MINUTES);
  for (const { hours, minutes } of here) {
    const often = hours.length === 24 ? 2 : 1;
    for (const hour of hours)
      for (const minute of minutes) comes[hour * 60 + minute] = Math.max(comes[hour * 60 + minute] ?? 0, often);
  }
  const offsets = zone.offsetsOf(date);
  const times = new Set<number>();
  for (const [minute, often] of comes.entries())
    if (often > 0)
      for (const instant of instantsOf(date + minute * MINUTE_MS, offsets).slice(0, often)) times.add(instant);
  return [...times].toSorted((a, b) => a - b);
}
