import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { nextLookMs } from './pace.ts';
import { useHere } from './session.ts';

/** Reads anew whatever a page shows of its place, after something there was changed. */
export function useRefresh(): () => Promise<void> {
  const { path } = useHere();
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: [path] }), [client, path]);
}

/** Something that is over changes by a person's act alone. */
const OVER_MS = 10_000;

/** Where a thing stands: `seen` differs whenever it has changed. `dueAt`: when something is to happen to it. */
type Seen = { seen: unknown; isOver: boolean; dueAt?: string | undefined };

/**
 * The ms until a page looks again at the thing that it shows, from what it has seen last. A thing that waits for days is looked at seldom.
 */
export function useWatch(): (now: Seen) => number {
  const last = useRef<{ seen: unknown; at: number; ms: number; until: number }>(undefined);
  return useCallback(({ seen, isOver, dueAt }) => {
    if (isOver) return OVER_MS;
    const now = Date.now();
    // The same until that look is due: another number at each drawing would begin the wait anew, and none would ever end.
    const isChanged = last.current === undefined || last.current.seen !== seen;
    if (last.current === undefined || isChanged || now >= last.current.until) {
      const at = last.current === undefined || isChanged ? now : last.current.at;
      const ms = nextLookMs({ now, changedAt: at, dueAt: dueAt === undefined ? undefined : Date.parse(dueAt) });
      last.current = { seen, at, ms, until: now + ms };
    }
    return last.current.ms;
  }, []);
}
