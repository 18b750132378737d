import { useState } from 'react';

type Given<T> = {
  /** Rows as they are now, in their order. Undefined before they are read. */
  rows: readonly T[] | undefined;
  idOf: (row: T) => string;
  /** Names what the rows are of: another list begins anew. */
  key: string;
};

/**
 * Rows of a table that stay where they are while somebody reads: they change in place, those that are gone stay until `renew`, and new
 * ones wait for it. `fresh` counts these; `isMoved`: rows would stand in another order.
 */
export function useSteady<T>({ rows, idOf, key }: Given<T>): {
  shown: readonly { row: T; isGone: boolean }[];
  fresh: number;
  isMoved: boolean;
  renew: () => void;
} {
  const [kept, setKept] = useState<{ key: string; rows: readonly T[] }>();
  const renew = (): void => setKept(rows && { key, rows });
  const held = kept?.key === key ? kept.rows : [];
  const latest = new Map(rows?.map((row) => [idOf(row), row]));
  // Nothing that is shown can move where nothing is shown, or nothing is left.
  if (rows !== undefined && (held.length === 0) !== (rows.length === 0)) renew();
  const ids = held.map(idOf);
  return {
    shown: held.map((row, place) => {
      const newer = latest.get(ids[place] ?? '');
      return { row: newer ?? row, isGone: rows !== undefined && newer === undefined };
    }),
    fresh: [...latest.keys()].filter((id) => !ids.includes(id)).length,
    isMoved: [...latest.keys()].join('\n') !== ids.join('\n'),
    renew,
  };
}
