import { useRef, useState } from 'react';
import { isApiError, isPageLeft } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useActs } from './acts.tsx';

type Row = { id: string };
type Question = { title: string; why: string; go: string; typed?: string | undefined };

/** An action on each of several rows. */
type Doing<T> = {
  what: (row: T) => PromiseLike<unknown>;
  /** Message shown when all rows are done. */
  told: (rows: readonly T[]) => string;
  /** Message shown for the 8 seconds in which the action can be undone. If absent, the action runs at once. */
  later?: (rows: readonly T[]) => string;
  /** The question to ask before acting on these rows. Undefined or absent if none is needed. */
  question?: (rows: readonly T[]) => Question | undefined;
};

type EachRow<T> = {
  /** Runs the action once any question has been answered. Rows already in progress are skipped. */
  go: (rows: readonly T[], onDone?: () => void) => void;
  isBusy: boolean;
  /** The question that waits for an answer, for `Confirm`. */
  asked: (Question & { onGo: () => void; onClose: () => void; isDanger?: boolean }) | undefined;
};

/**
 * Runs an action on several rows, one after the other. Rows whose status has changed meanwhile are counted and
 * reported.
 */
export function useEachRow<T extends Row>({ what, told, later, question }: Doing<T>): EachRow<T> {
  const { act, actLater, tell } = useActs();
  const refresh = useRefresh();
  // A key press may come twice before React renders again.
  const underWay = useRef(new Set<string>());
  const [isBusy, setIsBusy] = useState(false);
  const [asked, setAsked] = useState<{ rows: readonly T[]; onDone: () => void }>();
  const doAll = (rows: readonly T[], onDone: () => void): void => {
    let skipped = 0;
    const all = async (): Promise<void> => {
      // Try again if the session had to be verified first.
      skipped = 0;
      try {
        // A page that is being closed gets no response, so the next request must not wait for one.
        if (isPageLeft()) await Promise.all(rows.map(what));
        else
          for (const row of rows)
            try {
              await what(row);
            } catch (error) {
              if (!isApiError(error, 'CONFLICT') && !isApiError(error, 'NOT_FOUND')) throw error;
              skipped += 1;
            }
      } finally {
        await refresh();
      }
      if (skipped > 0) tell(`${skipped} of ${rows.length} were skipped because their status has changed`, 'bad');
    };
    const options = { told: () => (skipped > 0 ? undefined : told(rows)) };
    if (later !== undefined) {
      onDone();
      actLater(later(rows), all, { ...options, onUndone: () => undefined });
      return;
    }
    const ids = rows.map(({ id }) => id);
    for (const id of ids) underWay.current.add(id);
    setIsBusy(true);
    void act(all, options).then((isDone) => {
      for (const id of ids) underWay.current.delete(id);
      setIsBusy(underWay.current.size > 0);
      if (isDone) onDone();
    });
  };
  const asking = asked && question?.(asked.rows);
  return {
    go: (all, onDone = () => undefined) => {
      const rows = all.filter(({ id }) => !underWay.current.has(id));
      if (rows.length === 0) return;
      if (question?.(rows) === undefined) doAll(rows, onDone);
      else setAsked({ rows, onDone });
    },
    isBusy,
    asked: asked &&
      asking && { ...asking, onGo: () => doAll(asked.rows, asked.onDone), onClose: () => setAsked(undefined) },
  };
}
