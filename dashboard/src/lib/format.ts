/**
 * Formats numbers, times and spans in the way that all pages show them. Every function is pure: callers pass the
 * present time and the time zone.
 */
import { partsOf, type Zone } from './zone-times.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a number as `11,902`, and from a million on as `1.2 M`. */
export const countText = (value: number): string =>
  value < 1_000_000 ? value.toLocaleString('en-US') : `${(Math.floor(value / 100_000) / 10).toLocaleString('en-US')} M`;

/**
 * Returns a part of a whole in percent with one decimal. It is 100 or 0 only if it is exactly that. Returns undefined
 * if the whole is 0.
 */
export function shareOf(part: number, whole: number): number | undefined {
  if (whole === 0) return undefined;
  if (part === 0 || part === whole) return part === 0 ? 0 : 100;
  return Math.min(99.9, Math.max(0.1, Math.round((part / whole) * 1_000) / 10));
}

/** Returns `97.1%`, `<0.1%`, or a dash if there is nothing to divide. */
export function shareText(part: number, whole: number): string {
  const share = shareOf(part, whole);
  if (share === undefined) return '—';
  return part > 0 && part / whole < 0.001 ? '<0.1%' : `${share}%`;
}

/** Formats a size in decimal units: `126 B`, `3.8 KB`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 999_950 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toFixed(1).replace(/\.0$/, '')} ${unit}`;
}

/** Formats a span with its two largest units at most: `5 ms`, `1.2 s`, `2 min 7 s`, `3 h 12 min`, `2 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / SECOND).toFixed(1))} s`;
  const seconds = Math.round(ms / SECOND);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Formats a span with its largest unit only: `12 s`, `4 min`, `2 h`, `3 d`. */
export function roughText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/**
 * Formats a past time as rows show it: `12 s ago`; after a day `27 Nov 14:03`, with the year if it is not the present
 * one.
 */
export function agoText(at: string, now: number, zone: Zone): string {
  const ms = now - Date.parse(at);
  if (ms < DAY) return ms < SECOND ? 'just now' : `${roughText(ms)} ago`;
  return dateText(at, now, zone);
}

/** Formats a future time: `in 41 s`; its date if it is more than a day away. */
export function inText(at: string, now: number, zone: Zone): string {
  const ms = Date.parse(at) - now;
  if (ms >= DAY) return dateText(at, now, zone);
  return ms < SECOND ? 'now' : `in ${roughText(ms)}`;
}

/** Formats a date as `27 Nov 14:03`, with the year if it is not the present one. */
export function dateText(at: string, now: number, zone: Zone): string {
  const { date, time } = partsOf(new Date(at), zone);
  const [year, month, day] = date.split('-');
  const isThisYear = date.slice(0, 4) === partsOf(new Date(now), zone).date.slice(0, 4);
  return `${Number(day)} ${MONTHS[Number(month) - 1]}${isThisYear ? '' : ` ${year}`} ${time.slice(0, 5)}`;
}

/** Formats the time of an attempt as `14:02:24`, on a page that names the time zone once. */
export const clockText = (at: string, zone: Zone): string => partsOf(new Date(at), zone).time.slice(0, 8);

/** Formats a time as `2026-11-28 14:03:12.481 UTC`. */
export function exactText(at: string, zone: Zone): string {
  const { date, time, name } = partsOf(new Date(at), zone);
  return `${date} ${time} ${name}`;
}
