import { createContext, useContext } from 'react';
import { partsOf, type Zone } from './zone-times.ts';

export const ZoneContext = createContext<Zone>('utc');

/** The name of the reader's zone as it is at a time, or now: summer and winter have others. */
export function useZoneName(at?: string): string {
  const zone = useContext(ZoneContext);
  return partsOf(at === undefined ? new Date() : new Date(at), zone).name;
}
