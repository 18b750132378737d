import { useState } from 'react';
import { isApiError } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';

/** The act on each of several rows. */
type Each<T> = {
  what: (row: T) => PromiseLike<unknown>;
  /** Told once all of it is done. */
  told: string;
  /** Told for the 8 seconds in which it can be taken back. Absent: it is done at once. */
  later?: string;
};

type Given<T> = Each<T> & { label: string; rows: readonly T[]; onDone: () => void };

/** Does something with each of several rows, one after the other. Rows whose state has changed meanwhile are counted and told. */
export function useEach<T>({ what, told, later }: Each<T>) {
  const t = useTexts();
  const { act, actLater, tell } = useActs();
  const refresh = useRefresh();
  const [isAtWork, setIsAtWork] = useState(false);
  const go = (rows: readonly T[], onDone: () => void): void => {
    // Failures of this time alone: a key may ask again before the rows are read anew.
    let failed = 0;
    const all = async (): Promise<void> => {
      failed = 0;
      try {
        for (const row of rows)
          try {
            await what(row);
          } catch (error) {
            if (!isApiError(error, 'CONFLICT') && !isApiError(error, 'NOT_FOUND')) throw error;
            failed += 1;
          }
      } finally {
        await refresh();
      }
      if (failed > 0) tell(t.list.notAll(failed, rows.length), 'bad');
    };
    const options = { told: () => (failed > 0 ? undefined : told) };
    if (later !== undefined) {
      onDone();
      actLater(later, all, { ...options, onUndone: () => undefined });
      return;
    }
    setIsAtWork(true);
    void act(all, options).then((isDone) => {
      setIsAtWork(false);
      if (isDone) onDone();
    });
  };
  return { go, isAtWork };
}

/** A button for it, beside rows that are selected. */
export function EachButton<T>({ label, rows, onDone, ...each }: Given<T>) {
  const { go, isAtWork } = useEach(each);
  return (
    <button type="button" className="button" disabled={isAtWork} onClick={() => go(rows, onDone)}>
      {label}
    </button>
  );
}
