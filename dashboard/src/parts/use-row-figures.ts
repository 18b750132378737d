import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useHere } from '../lib/session.ts';

// The figures change slowly, but lists poll every three seconds.
const FIGURES_FOR_MS = 60_000;

/**
 * Returns the figures for the rows of a list, with one request per loaded page. They load separately: the list does not
 * wait for them or fail with them.
 */
export function useRowFigures<F>(name: string, ask: (ids: readonly string[]) => Promise<readonly F[]>) {
  const { path } = useHere();
  // Ids of each loaded page, by its cursor.
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
    /** Returns the figures for a row, once they are loaded. */
    find(isOfRow: (figures: F) => boolean): F | undefined {
      for (const { data } of found) {
        const figures = data?.find(isOfRow);
        if (figures !== undefined) return figures;
      }
      return undefined;
    },
    /** Reports which rows a page has. */
    haveRead(cursor: string | undefined, ids: readonly string[]): void {
      setRead((before) => {
        const place = cursor ?? '';
        const isSame = before[place]?.join(' ') === ids.join(' ');
        return isSame || ids.length === 0 ? before : { ...before, [place]: ids };
      });
    },
  };
}
