import { useState } from 'react';

type Selection<T> = {
  /** Selected rows that are still visible, in order. */
  rows: readonly T[];
  has(id: string): boolean;
  /** Selects or deselects a row. With `isRange`, gives all rows from the last one to it the state of the last one. */
  toggle(index: number, options: { isRange: boolean }): void;
  /** Selects all rows from the last one touched on, or from `anchor` if none is selected. */
  extend(index: number, anchor: number): void;
  /** Selects all visible rows. */
  all(): void;
  clear(): void;
};

/** Keeps the selected rows of a list. A row that is no longer visible is no longer selected. */
export function useSelection<T>(shown: readonly T[], idOf: (row: T) => string): Selection<T> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState(0);
  return {
    rows: ids.size === 0 ? [] : shown.filter((row) => ids.has(idOf(row))),
    has: (id) => ids.has(id),
    toggle(index, { isRange }) {
      const [from, to] = isRange ? [Math.min(last, index), Math.max(last, index)] : [index, index];
      const touched = shown.slice(from, to + 1).map(idOf);
      const first = shown[isRange ? last : index];
      const isOn = first !== undefined && ids.has(idOf(first)) === isRange;
      const others = [...ids].filter((id) => !touched.includes(id));
      setIds(new Set(isOn ? [...others, ...touched] : others));
      setLast(index);
    },
    extend(index, anchor) {
      const start = ids.size === 0 ? anchor : last;
      const touched = shown.slice(Math.min(start, index), Math.max(start, index) + 1).map(idOf);
      setIds(new Set([...ids, ...touched]));
      setLast(index);
    },
    all: () => setIds(new Set(shown.map(idOf))),
    clear: () => setIds(new Set()),
  };
}
