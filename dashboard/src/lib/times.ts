import { createContext, useContext } from 'react';
import { partsOf, type Zone } from './zone-times.ts';

export const ZoneContext = createContext<Zone>('utc');

/** The name of the reader's zone as it is at a time, or now: summer and winter have others. */
export function useZoneName(at?: string): string {
  const zone = useContext(ZoneContext);
  return partsOf(at === undefined ? new Date() : new Date(at), zone).name;
}

/** Formats times in the zone of the reader, always with its name; with the date where that is not today. */
export function useTimes(): {
  short(at: string): string;
  full(at: string): string;
  minute(at: string): string;
  relative(at: string): string;
} {
  const zone = useContext(ZoneContext);
  return {
    short(at) {
      const { date, time, name } = partsOf(new Date(at), zone);
      return date === partsOf(new Date(), zone).date ? `${time} ${name}` : `${date} ${time.slice(0, 8)} ${name}`;
    },
    full(at) {
      const { date, time, name } = partsOf(new Date(at), zone);
      return `${date} ${time} ${name}`;
    },
    minute(at) {
      const { date, time, name } = partsOf(new Date(at), zone);
      return `${date === partsOf(new Date(), zone).date ? '' : `${date} `}${time.slice(0, 5)} ${name}`;
    },
    relative: (at) => relativeText(new Date(at).getTime() - Date.now()),
  };
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function relativeText(ms: number): string {
  const [unit, size] = UNITS.find((each) => Math.abs(ms) >= each[1]) ?? UNITS[3];
  return new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' }).format(Math.trunc(ms / size), unit);
}
