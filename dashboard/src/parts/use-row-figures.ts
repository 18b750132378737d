import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useHere } from '../lib/session.ts';

// Figures change slowly, and lists look every three seconds.
const FIGURES_FOR_MS = 60_000;

/**
 * Figures of the rows of a list, one request for each page that was read. They are asked for beside the list: it waits for none, and
 * fails with none.
 */
export function useRowFigures<F>(name: string, ask: (ids: readonly string[]) => Promise<readonly F[]>) {
  const { path } = useHere();
  // Ids of each page that was read, by its cursor.
  const [read, setRead] = useState<Readonly<Record<string, readonly string[]>>>({});
  const found = useQueries({
    queries: Object.values(read).map((ids) => ({
      queryKey: [path, name, ids],
      queryFn: () => ask(ids),
      staleTime: FIGURES_FOR_MS,
      refetchInterval: FIGURES_FOR_MS,
    })),
  });
  return {
    /** Figures of a row, once they are there. */
    find(isOfRow: (figures: F) => boolean): F | undefined {
      for (const { data } of found) {
        const figures = data?.find(isOfRow);
        if (figures !== undefined) return figures;
      }
      return undefined;
    },
    /** Tells which rows a page has. */
    haveRead(cursor: string | undefined, ids: readonly string[]): void {
      setRead((before) => {
        const place = cursor ?? '';
        const isSame = before[place]?.join(' ') === ids.join(' ');
        return isSame || ids.length === 0 ? before : { ...before, [place]: ids };
      });
    },
  };
}
