import { useState } from 'react';

type Selection<T> = {
  /** Selected rows that are still shown, in their order. */
  rows: readonly T[];
  has(id: string): boolean;
  /** Selects a row or not. With `isRange` all rows from the last one on, as that one is. */
  toggle(index: number, options: { isRange: boolean }): void;
  /** Selects all rows from the last one that was touched on, or from `anchor` while none is selected. */
  extend(index: number, anchor: number): void;
  /** Selects all rows that are shown. */
  all(): void;
  clear(): void;
};

/** Rows of a list that something is to be done with. A row that is shown no more is selected no more. */
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
