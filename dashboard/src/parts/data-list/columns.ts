import { type ReactNode, useState } from 'react';
import { keep, kept } from '../../lib/kept.ts';

export type Column<T> = {
  /** Its key in the browser's list of hidden columns. */
  key: string;
  head: string;
  /** Shown as a header that says more than a word, such as the order of the rows. */
  headEnd?: ReactNode;
  cell: (row: T) => ReactNode;
  /** Minimum width in CSS pixels. */
  width: number;
  /** Its share of the remaining space; 0 for a fixed column. */
  grow?: number;
  isNumber?: boolean;
  /** Columns with a higher number are dropped first if the list is narrow. 0 always stays. */
  rank?: number;
  /** Hidden until the user selects it. */
  isOff?: boolean;
};

/** The two lines that represent a row on a narrow screen. */
export type NarrowRow = {
  mark: ReactNode;
  what: ReactNode;
  when: ReactNode;
  where: ReactNode;
  result?: ReactNode;
};

/** Space on both sides of a cell, and of the whole row. */
const [CELL_PAD, ROW_PAD] = [20, 28];

/** Returns the columns that fit into a width, in order. */
export function fitting<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  let need = ROW_PAD + columns.reduce((sum, column) => sum + column.width + CELL_PAD, 0);
  const gone = new Set<string>();
  for (const column of columns.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0))) {
    if (need <= width || (column.rank ?? 0) === 0) break;
    need -= column.width + CELL_PAD;
    gone.add(column.key);
  }
  return columns.filter(({ key }) => !gone.has(key));
}

/** Returns the columns as a value of `grid-template-columns`. */
export const templateOf = (columns: readonly Column<never>[]): string =>
  columns
    .map(({ width, grow = 1 }) => (grow === 0 ? `${width + CELL_PAD}px` : `minmax(${width + CELL_PAD}px, ${grow}fr)`))
    .join(' ');

/** Returns the columns of a list that the user wants to see. This browser stores the choice for each list. */
export function useColumnChoice<T>(list: string, all: readonly Column<T>[]) {
  const name = `hidden.${list}` as const;
  const [changed, setChanged] = useState<readonly string[]>(() => (kept(name) ?? '').split('\n'));
  const isShown = ({ key, isOff = false }: Column<T>): boolean => changed.includes(key) === isOff;
  const shown = all.filter(isShown);
  return {
    // A list without columns is useless, so then show all.
    shown: shown.length === 0 ? all : shown,
    isShown,
    toggle(key: string): void {
      const next = changed.includes(key) ? changed.filter((each) => each !== key) : [...changed, key];
      keep(name, next.join('\n'));
      setChanged(next);
    },
  };
}
