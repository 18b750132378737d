import { useState } from 'react';
import { type KeptRows, keptOf, steadyRows } from '../lib/steady.ts';

type Given<T> = {
  /** All current rows in order. Undefined until they are loaded. */
  rows: readonly T[] | undefined;
  /** How many of them are shown. */
  first: number;
  idOf: (row: T) => string;
  /** Identifies what the rows belong to. A change starts over. */
  key: string;
};

type Steady<T> = {
  shown: readonly { row: T; isGone: boolean }[];
  fresh: number;
  isMoved: boolean;
  renew: () => void;
};

/**
 * Keeps the rows of a table in place while the user reads: they are updated in place, removed rows stay until `renew`,
 * and new ones wait for it. `fresh` counts the new ones; `isMoved`: other rows would be shown, or in another order.
 */
export function useSteady<T>({ rows, first, idOf, key }: Given<T>): Steady<T> {
  const [state, setState] = useState<{ key: string; kept: KeptRows<T> }>();
  const renew = (): void => setState(rows && { key, kept: keptOf(rows, idOf, first) });
  const kept = state?.key === key ? state.kept : keptOf<T>([], idOf, first);
  // Nothing visible can move if nothing is shown or nothing is left.
  if (rows !== undefined && (kept.rows.length === 0) !== (rows.length === 0)) renew();
  return { ...steadyRows(kept, rows ?? kept.rows, idOf, first), renew };
}
