import { useState } from 'react';
import { type KeptRows, keptOf, steadyRows } from '../lib/steady.ts';

type Given<T> = {
  /** All rows as they are now, in their order. Undefined before they are read. */
  rows: readonly T[] | undefined;
  /** So many of them are shown. */
  first: number;
  idOf: (row: T) => string;
  /** Names what the rows are of: another list begins anew. */
  key: string;
};

type Steady<T> = {
  shown: readonly { row: T; isGone: boolean }[];
  fresh: number;
  isMoved: boolean;
  renew: () => void;
};

/**
 * Rows of a table that stay where they are while somebody reads: they change in place, those that are gone stay until `renew`, and new
 * ones wait for it. `fresh` counts these; `isMoved`: other rows would be shown, or in another order.
 */
export function useSteady<T>({ rows, first, idOf, key }: Given<T>): Steady<T> {
  const [state, setState] = useState<{ key: string; kept: KeptRows<T> }>();
  const renew = (): void => setState(rows && { key, kept: keptOf(rows, idOf, first) });
  const kept = state?.key === key ? state.kept : keptOf<T>([], idOf, first);
  // Nothing that is shown can move where nothing is shown, or nothing is left.
  if (rows !== undefined && (kept.rows.length === 0) !== (rows.length === 0)) renew();
  return { ...steadyRows(kept, rows ?? kept.rows, idOf, first), renew };
}
