/** The rows of a table as the user saw them, in that order. */
export type KeptRows<T> = {
  rows: readonly T[];
  /** All rows at that time, shown or not. */
  ids: ReadonlySet<string>;
};

/** Returns the `first` rows as they are now. */
export const keptOf = <T>(rows: readonly T[], idOf: (row: T) => string, first: number): KeptRows<T> => ({
  rows: rows.slice(0, first),
  ids: new Set(rows.map(idOf)),
});

/**
 * Returns the kept rows with their current values. A row that has dropped out of the `first` stays, and one that has
 * risen among them is not added. `rows`: all rows in order. `isMoved`: other rows would be shown now, or in another
 * order.
 */
export function steadyRows<T>(kept: KeptRows<T>, rows: readonly T[], idOf: (row: T) => string, first: number) {
  const latest = new Map(rows.map((row) => [idOf(row), row]));
  const ids = kept.rows.map(idOf);
  const top = [...latest.keys()].slice(0, first);
  return {
    shown: kept.rows.map((row, place) => {
      const newer = latest.get(ids[place] ?? '');
      return { row: newer ?? row, isGone: newer === undefined };
    }),
    fresh: top.filter((id) => !kept.ids.has(id)).length,
    isMoved: top.join('\n') !== ids.join('\n'),
  };
}
