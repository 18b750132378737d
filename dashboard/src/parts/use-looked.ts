import { useEffect, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';

/**
 * The newest id that a list had when its person looked at it before, in this browser. Undefined for the first time. Ids sort by their
 * time. `list`: its place, its kind, and the thing that its rows are of. Filters make no other list of it.
 */
export function useLooked(list: readonly (string | undefined)[], newest: string | undefined): string | undefined {
  const name = `looked.${list.filter((part) => part !== undefined).join('.')}` as const;
  const [before, setBefore] = useState(() => ({ name, id: kept(name) }));
  // The page of another thing may take the place of this one without being made anew.
  if (before.name !== name) setBefore({ name, id: kept(name) });
  useEffect(() => {
    // Under a filter the newest row may be older than what was seen without it.
    if (newest !== undefined && newest > (kept(name) ?? '')) keep(name, newest);
  }, [name, newest]);
  return before.name === name ? before.id : undefined;
}
