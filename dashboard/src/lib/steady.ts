/** The rows of a table as their reader has them, in that order. */
export type KeptRows<T> = {
  rows: readonly T[];
  /** All that there were then, shown or not. */
  ids: ReadonlySet<string>;
};

/** The `first` of the rows as they are now. */
export const keptOf = <T>(rows: readonly T[], idOf: (row: T) => string, first: number): KeptRows<T> => ({
  rows: rows.slice(0, first),
  ids: new Set(rows.map(idOf)),
});

/**
 * Kept rows with what they hold now. One that fell behind the `first` is there all the same, and one that rose among them is no new one.
 * `rows`: all of them, in their order. `isMoved`: others would be shown, or in another order.
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
