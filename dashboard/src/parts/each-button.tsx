import { type ReactNode, useRef, useState } from 'react';
import { isApiError, isPageLeft } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Ask } from './ask.tsx';

type Row = { id: string };

/** The act on each of several rows. */
type Doing<T> = {
  label: string;
  what: (row: T) => PromiseLike<unknown>;
  /** Told once all of it is done. */
  told: string;
  /** Told for the 8 seconds in which it can be taken back. Absent: it is done at once. */
  later?: string;
  /** The question before it is done to these rows. Undefined, or absent: none. `typed`: a name that must be typed first. */
  question?: (rows: readonly T[]) => { title: string; why: string; typed: string | undefined } | undefined;
};

type Each<T> = {
  label: string;
  /** Does it, once what must be asked first has been answered. Rows that it is being done to are left out. */
  go: (rows: readonly T[], onDone: () => void) => void;
  isAtWork: boolean;
  /** Stands on the page, for the question. */
  asking: ReactNode;
};

/** Does something with each of several rows, one after the other. Rows whose state has changed meanwhile are counted and told. */
export function useEach<T extends Row>({ label, what, told, later, question }: Doing<T>): Each<T> {
  const t = useTexts();
  const { act, actLater, tell } = useActs();
  const refresh = useRefresh();
  // A key may come twice before anything is drawn anew.
  const underWay = useRef(new Set<string>());
  const [isAtWork, setIsAtWork] = useState(false);
  const [asked, setAsked] = useState<{ rows: readonly T[]; onDone: () => void }>();
  const doAll = (rows: readonly T[], onDone: () => void): void => {
    let failed = 0;
    const all = async (): Promise<void> => {
      // Once more, where the session had to be proven first.
      failed = 0;
      try {
        // A page that is being closed gets no answer on which the next request could wait.
        if (isPageLeft()) await Promise.all(rows.map(what));
        else
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
    const ids = rows.map(({ id }) => id);
    for (const id of ids) underWay.current.add(id);
    setIsAtWork(true);
    void act(all, options).then((isDone) => {
      for (const id of ids) underWay.current.delete(id);
      setIsAtWork(underWay.current.size > 0);
      if (isDone) onDone();
    });
  };
  const asking = asked && question?.(asked.rows);
  return {
    label,
    go: (all, onDone) => {
      const rows = all.filter(({ id }) => !underWay.current.has(id));
      if (rows.length === 0) return;
      if (question?.(rows) === undefined) doAll(rows, onDone);
      else setAsked({ rows, onDone });
    },
    isAtWork,
    asking: asked !== undefined && asking !== undefined && (
      <Ask
        title={asking.title}
        go={label}
        stay={t.ask.leave}
        isDanger
        typed={asking.typed}
        onClose={() => setAsked(undefined)}
        onGo={() => doAll(asked.rows, asked.onDone)}
      >
        <p>{asking.why}</p>
      </Ask>
    ),
  };
}

/** A button for it, beside rows that are selected. Without a row that it can be done to it is grey. */
export function EachButton<T extends Row>({
  of,
  rows,
  onDone,
}: {
  of: Each<T>;
  rows: readonly T[];
  onDone: () => void;
}) {
  return (
    <button
      type="button"
      className="button"
      disabled={of.isAtWork || rows.length === 0}
      onClick={() => of.go(rows, onDone)}
    >
      {of.label}
    </button>
  );
}
