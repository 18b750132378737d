import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { nextLookMs } from './pace.ts';
import { useHere } from './session.ts';

/** Refetches everything that a page shows of its environment, after something there has changed. */
export function useRefresh(): () => Promise<void> {
  const { path } = useHere();
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: [path] }), [client, path]);
}

/** Once a thing is finished, only a user's action changes it. */
const OVER_MS = 10_000;

/** The state of a thing. `seen` differs whenever it has changed. `dueAt`: when its next event is due. */
type Seen = { seen: unknown; isOver: boolean; dueAt?: string | undefined };

/**
 * Returns the polling interval, in ms, for the thing that a page shows, based on its latest state. A thing that waits
 * for days is polled rarely.
 */
export function useWatch(): (now: Seen) => number {
  const last = useRef<{ seen: unknown; at: number; ms: number; until: number }>(undefined);
  return useCallback(({ seen, isOver, dueAt }) => {
    if (isOver) return OVER_MS;
    const now = Date.now();
    // Return the same number until that poll is due: a different one on each render would restart the timer, which
    // would then never fire.
    const isChanged = last.current === undefined || last.current.seen !== seen;
    if (last.current === undefined || isChanged || now >= last.current.until) {
      const at = last.current === undefined || isChanged ? now : last.current.at;
      const ms = nextLookMs({ now, changedAt: at, dueAt: dueAt === undefined ? undefined : Date.parse(dueAt) });
      last.current = { seen, at, ms, until: now + ms };
    }
    return last.current.ms;
  }, []);
}
