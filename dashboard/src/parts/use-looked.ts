import { useEffect, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';

/**
 * Returns the newest id that a list had when the user last looked at it in this browser, or undefined the first time.
 * Ids sort by time. `list`: its environment, its kind, and the thing that its rows belong to. Filters do not make it
 * another list.
 */
export function useLooked(list: readonly (string | undefined)[], newest: string | undefined): string | undefined {
  const name = `looked.${list.filter((part) => part !== undefined).join('.')}` as const;
  const [before, setBefore] = useState(() => ({ name, id: kept(name) }));
  // The page of another thing may replace this one without being mounted again.
  if (before.name !== name) setBefore({ name, id: kept(name) });
  useEffect(() => {
    // Under a filter the newest row may be older than the one seen without it.
    if (newest !== undefined && newest > (kept(name) ?? '')) keep(name, newest);
  }, [name, newest]);
  return before.name === name ? before.id : undefined;
}
