import type { Zone } from '../../lib/zone-times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns how far a zone is ahead of UTC at a time. */
export const shiftOf = (at: number, zone: Zone): number =>
  zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE;

/** Returns a date whose UTC parts are those of the local time in the zone. */
const shown = (at: number, zone: Zone): Date => new Date(at + shiftOf(at, zone));

const clockText = (at: number, zone: Zone, hasSeconds = false): string =>
  shown(at, zone)
    .toISOString()
    .slice(11, hasSeconds ? 19 : 16);

function dateText(at: number, zone: Zone, now: number): string {
  const [date, today] = [shown(at, zone), shown(now, zone)];
  const year = date.getUTCFullYear() === today.getUTCFullYear() ? '' : ` ${date.getUTCFullYear()}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${year}`;
}

const dayOf = (at: number, zone: Zone): number => Math.floor((at + shiftOf(at, zone)) / DAY);

/** Formats a time with its day, unless that is today: `14:00`, `14:00 yesterday`, `27 Nov 14:00`. */
function timeText(at: number, zone: Zone, now: number, hasSeconds = false): string {
  const clock = clockText(at, zone, hasSeconds);
  const before = dayOf(now, zone) - dayOf(at, zone);
  return before === 0 ? clock : before === 1 ? `${clock} yesterday` : `${dateText(at, zone, now)} ${clock}`;
}

/** Formats a span: `11:45–12:00`, `18:00–18:15 yesterday`, `27 Nov 11:45–12:00`, `27 Nov`, `20–27 Nov`. */
export function spanText(from: number, to: number, zone: Zone, now: number): string {
  const hasSeconds = from % MINUTE !== 0 || to % MINUTE !== 0;
  const [isDays, last] = [isMidnight(from, zone) && isMidnight(to, zone) && to > from, to - 1];
  if (isDays && dayOf(last, zone) === dayOf(from, zone)) return dateText(from, zone, now);
  if (isDays) return `${dateText(from, zone, now)} – ${dateText(last, zone, now)}`;
  // The end of a day belongs to that day: 23:45–00:00 does not span two days.
  if (dayOf(last, zone) !== dayOf(from, zone))
    return `${timeText(from, zone, now, hasSeconds)} – ${timeText(to, zone, now, hasSeconds)}`;
  const end = clockText(to, zone, hasSeconds);
  const [clock, begin] = [clockText(from, zone, hasSeconds), timeText(from, zone, now, hasSeconds)];
  return begin.replace(clock, `${clock}–${end}`);
}

const isMidnight = (at: number, zone: Zone): boolean => (at + shiftOf(at, zone)) % DAY === 0;

/** Formats a length of time in one unit: `15 min`, `24 hours`, `7 days`, and `minute` for one. */
export function lengthText(seconds: number): string {
  const [size, one, many] =
    seconds % 86_400 === 0 && seconds > 86_400
      ? [86_400, 'day', 'days']
      : seconds % 3_600 === 0
        ? [3_600, 'hour', 'hours']
        : seconds % 60 === 0
          ? [60, 'minute', 'min']
          : [1, 'second', 's'];
  const count = seconds / size;
  return count === 1 ? one : `${Number(count.toFixed(1))} ${many}`;
}

/** Returns what one bar counts: `per 15 min`, `per hour`, `per day`. */
export const perText = (seconds: number): string =>
  seconds === 86_400 ? 'per day' : `per ${lengthText(seconds).replace('hours', 'h')}`;

const INTERVALS = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14, 28].map((each) => each * DAY),
];
/** Width of a letter on an axis, and the gap between two labels, in pixels. */
const [LETTER, SPACE] = [6, 16];

/** A label of the time axis. `x` is in pixels; the side is the edge of the label that is at `x`. */
export type TimeLabel = { text: string; x: number; side: 'start' | 'middle' | 'end' };

type Range = { from: number; to: number; isEndNow: boolean };
type Frame = { width: number; zone: Zone; now: number };

/**
 * Returns the labels of a time axis: four to six round times, as far as there is room, and "now" last if the range ends
 * now.
 */
export function timeLabels(range: Range, frame: Frame): TimeLabel[] {
  const most = frame.width < 360 ? 4 : frame.width < 640 ? 5 : 6;
  let best: TimeLabel[] = [];
  for (const interval of INTERVALS) {
    if ((range.to - range.from) / interval > most + 2) continue;
    const ticks = ticksOf(range, interval, frame.zone);
    // The first label contains the day and is the longest; if it does not fit, start with the next one.
    for (let skip = 0; skip <= 2; skip += 1) {
      const labels = labelsOf(ticks.slice(skip), interval, range, frame);
      if (labels === undefined || labels.length > most) continue;
      if (labels.length >= 4 && skip === 0) return labels;
      if (labels.length > best.length) best = labels;
    }
  }
  return best;
}

/** Returns the multiples of the interval by the zone's local time, as timestamps. */
function ticksOf({ from, to }: Range, interval: number, zone: Zone): number[] {
  const shift = shiftOf(from, zone);
  const ticks: number[] = [];
  for (let each = Math.ceil((from + shift) / interval) * interval; each - shift <= to; each += interval)
    // If clocks change within the range, the ticks after that move.
    ticks.push(each - shiftOf(each - shift, zone));
  return ticks;
}

/** Returns labels for ticks, without those in the way of "now". Undefined if the others do not fit. */
function labelsOf(
  ticks: readonly number[],
  interval: number,
  { from, to, isEndNow }: Range,
  { width, zone, now }: Frame,
): TimeLabel[] | undefined {
  const isLong = to - from > 1.5 * DAY;
  const labels: TimeLabel[] = [];
  let edge = -SPACE;
  for (const [place, at] of ticks.entries()) {
    const isDate = interval >= DAY || (isLong && isMidnight(at, zone));
    const hasSeconds = interval < MINUTE;
    const text = isDate
      ? dateText(at, zone, now)
      : place === 0
        ? timeText(at, zone, now, hasSeconds)
        : clockText(at, zone, hasSeconds);
    const [size, x] = [text.length * LETTER, ((at - from) / (to - from)) * width];
    const left = Math.max(0, Math.min(width - size, x - size / 2));
    if (isEndNow && left + size > width - 3 * LETTER - SPACE) break;
    if (left < edge + SPACE) return undefined;
    edge = left + size;
    const side = left === 0 ? 'start' : left === width - size ? 'end' : 'middle';
    labels.push({ text, side, x: side === 'start' ? 0 : side === 'end' ? width : x });
  }
  return isEndNow ? [...labels, { text: 'now', x: width, side: 'end' }] : labels;
}
