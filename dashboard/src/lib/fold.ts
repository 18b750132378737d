import { useSyncExternalStore } from 'react';
import { keep, kept } from './kept.ts';

/** Parts of a page above a list that can be folded away, and the width of a window, px, from which they are open by themselves. */
const OPEN_FROM = { fields: 700, charts: 1_024 } as const;
export type Foldable = keyof typeof OPEN_FROM;

// A window that is made narrower folds nothing under its reader.
const states = new Map<Foldable, boolean>();
const listeners = new Set<() => void>();

function isOpen(name: Foldable): boolean {
  const before = states.get(name);
  if (before !== undefined) return before;
  const word = kept(`fold.${name}`);
  const first = word === undefined ? innerWidth >= OPEN_FROM[name] : word === 'open';
  states.set(name, first);
  return first;
}

const subscribe = (onChange: () => void): (() => void) => {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
};

/** Whether that part is open, on every page alike, and what opens and folds it. This browser keeps what its person has chosen. */
export function useFold(name: Foldable): readonly [isOpen: boolean, toggle: () => void] {
  return [
    useSyncExternalStore(subscribe, () => isOpen(name)),
    () => {
      const next = !isOpen(name);
      states.set(name, next);
      keep(`fold.${name}`, next ? 'open' : 'folded');
      for (const listener of listeners) listener();
    },
  ];
}
