import { createContext, useContext } from 'react';

export type Zone = 'utc' | 'local';
export const ZoneContext = createContext<Zone>('utc');

const two = (number: number): string => String(number).padStart(2, '0');

/** The parts of a time, in a zone. The local zone is named by its distance from UTC, which is the same everywhere. */
function partsOf(at: Date, zone: Zone): { date: string; time: string; name: string } {
  const shift = zone === 'utc' ? 0 : -at.getTimezoneOffset();
  const iso = new Date(at.getTime() + shift * 60_000).toISOString();
  const size = Math.abs(shift);
  const name = shift === 0 ? 'UTC' : `UTC${shift > 0 ? '+' : '−'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return { date: iso.slice(0, 10), time: iso.slice(11, 23), name };
}

/** A time as a field has it, in the zone of the reader: `2026-01-31T12:00:00`. */
export const timeText = (at: string, zone: Zone): string => {
  const time = new Date(at);
  const shift = zone === 'utc' ? 0 : -time.getTimezoneOffset();
  return new Date(time.getTime() + shift * 60_000).toISOString().slice(0, 19);
};

/** The same back. Undefined while no whole time stands in the field. */
export const timeOfText = (text: string, zone: Zone): string | undefined => {
  const at = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The name of the reader's zone as it is at a time, or now: summer and winter have others. */
export function useZoneName(at?: string): string {
  const zone = useContext(ZoneContext);
  return partsOf(at === undefined ? new Date() : new Date(at), zone).name;
}

/** Clocks are put forward and back by one of these, in minutes. */
const CLOCK_CHANGES = [30, 60, 120];

/** Whether the text of a field is that of two times, or of none, as clocks are put back or forward then. The browser takes one `at`. */
export const isAtClockChange = (text: string, at: string, zone: Zone): boolean =>
  !timeText(at, zone).startsWith(text) ||
  CLOCK_CHANGES.some((minutes) => {
    const later = new Date(new Date(at).getTime() + minutes * 60_000).toISOString();
    return timeText(later, zone) === timeText(at, zone);
  });
