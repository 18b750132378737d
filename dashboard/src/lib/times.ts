import { createContext, useContext } from 'react';
import { partsOf, type Zone } from './zone-times.ts';

export const ZoneContext = createContext<Zone>('utc');

/** Returns the name of the user's time zone at a given time, or now. Summer and winter time have different names. */
export function useZoneName(at?: string): string {
  const zone = useContext(ZoneContext);
  return partsOf(at === undefined ? new Date() : new Date(at), zone).name;
}
