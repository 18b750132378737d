import { type ReactNode, useState } from 'react';
import { keep, kept } from '../../lib/kept.ts';

export type Column<T> = {
  /** Its name in the browser's memory of hidden columns. */
  key: string;
  head: string;
  /** In a head that says more than a word, such as the order of the rows. */
  headEnd?: ReactNode;
  cell: (row: T) => ReactNode;
  /** CSS pixels that it needs at least. */
  width: number;
  /** Its share of the space that is left; 0 for a column that stays as it is. */
  grow?: number;
  isNumber?: boolean;
  /** Columns with a higher number give way first where the list is narrow. 0 stays. */
  rank?: number;
  /** Not shown until somebody asks for it. */
  isOff?: boolean;
};

/** What a row says in two lines on a narrow screen. */
export type NarrowRow = {
  mark: ReactNode;
  what: ReactNode;
  when: ReactNode;
  where: ReactNode;
  result?: ReactNode;
};

/** Space on both sides of a cell, and of the whole row. */
const [CELL_PAD, ROW_PAD] = [20, 28];

/** The columns that have room in a width, in their order. */
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

/** The columns as `grid-template-columns` has them. */
export const templateOf = (columns: readonly Column<never>[]): string =>
  columns
    .map(({ width, grow = 1 }) => (grow === 0 ? `${width + CELL_PAD}px` : `minmax(${width + CELL_PAD}px, ${grow}fr)`))
    .join(' ');

/** The columns of a list that its person wants to see, kept by this browser for this list. */
export function useColumnChoice<T>(list: string, all: readonly Column<T>[]) {
  const name = `hidden.${list}` as const;
  const [changed, setChanged] = useState<readonly string[]>(() => (kept(name) ?? '').split('\n'));
  const isShown = ({ key, isOff = false }: Column<T>): boolean => changed.includes(key) === isOff;
  const shown = all.filter(isShown);
  return {
    // A list without columns says nothing: then all are shown.
    shown: shown.length === 0 ? all : shown,
    isShown,
    toggle(key: string): void {
      const next = changed.includes(key) ? changed.filter((each) => each !== key) : [...changed, key];
      keep(name, next.join('\n'));
      setChanged(next);
    },
  };
}
