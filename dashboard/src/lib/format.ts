/** Texts of numbers, times and spans as all pages show them. Every function is pure: the present time and the zone are given. */
import { partsOf, type Zone } from './zone-times.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `11,902`; from a million on `1.2 M`. */
export const countText = (value: number): string =>
  value < 1_000_000 ? value.toLocaleString('en-US') : `${(Math.floor(value / 100_000) / 10).toLocaleString('en-US')} M`;

/** A part of a whole in percent with one digit. Never 100 or 0 unless it is exactly that. Undefined of nothing. */
export function shareOf(part: number, whole: number): number | undefined {
  if (whole === 0) return undefined;
  if (part === 0 || part === whole) return part === 0 ? 0 : 100;
  return Math.min(99.9, Math.max(0.1, Math.round((part / whole) * 1_000) / 10));
}

/** `97.1%`, `<0.1%`, and a dash where there is nothing to divide. */
export function shareText(part: number, whole: number): string {
  const share = shareOf(part, whole);
  if (share === undefined) return '—';
  return part > 0 && part / whole < 0.001 ? '<0.1%' : `${share}%`;
}

/** `126 B`, `3.8 KB`, `1.2 MB`: decimal units. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 999_950 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toFixed(1).replace(/\.0$/, '')} ${unit}`;
}

/** `5 ms`, `1.2 s`, `2 min 7 s`, `3 h 12 min`, `2 d 4 h`: the two largest units at most. */
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

/** The largest unit of a span alone: `12 s`, `4 min`, `2 h`, `3 d`. */
export function roughText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** A moment in the past as rows have it: `12 s ago`; from a day on `27 Nov 14:03`, with the year where it is another one. */
export function agoText(at: string, now: number, zone: Zone): string {
  const ms = now - Date.parse(at);
  if (ms < DAY) return ms < SECOND ? 'just now' : `${roughText(ms)} ago`;
  return dateText(at, now, zone);
}

/** A moment to come: `in 41 s`; from a day on its date. */
export function inText(at: string, now: number, zone: Zone): string {
  const ms = Date.parse(at) - now;
  if (ms >= DAY) return dateText(at, now, zone);
  return ms < SECOND ? 'now' : `in ${roughText(ms)}`;
}

/** `27 Nov 14:03`, with the year where it is not the present one. */
export function dateText(at: string, now: number, zone: Zone): string {
  const { date, time } = partsOf(new Date(at), zone);
  const [year, month, day] = date.split('-');
  const isThisYear = date.slice(0, 4) === partsOf(new Date(now), zone).date.slice(0, 4);
  return `${Number(day)} ${MONTHS[Number(month) - 1]}${isThisYear ? '' : ` ${year}`} ${time.slice(0, 5)}`;
}

/** `14:02:24`, of an attempt on a page that names the zone once. */
export const clockText = (at: string, zone: Zone): string => partsOf(new Date(at), zone).time.slice(0, 8);

/** `2026-11-28 14:03:12.481 UTC`. */
export function exactText(at: string, zone: Zone): string {
  const { date, time, name } = partsOf(new Date(at), zone);
  return `${date} ${time} ${name}`;
}
