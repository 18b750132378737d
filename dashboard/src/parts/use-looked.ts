import { useEffect, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';

/**
 * The newest id that a list had when its person looked at it before, in this browser. Undefined for the first time. Ids sort by their
 * time. Filters make no other list of it.
 */
export function useLooked([place, list]: readonly unknown[], newest: string | undefined): string | undefined {
  const name = `looked.${String(place)}.${String(list)}` as const;
  const [before] = useState(() => kept(name));
  useEffect(() => {
    // Under a filter the newest row may be older than what was seen without it.
    if (newest !== undefined && newest > (kept(name) ?? '')) keep(name, newest);
  }, [name, newest]);
  return before;
}
