import { useLayoutEffect, useRef } from 'react';
import { kept } from './kept.ts';

type Keys = Readonly<Record<string, () => void>>;

/** Keys that go on stepping while they are held down. Any other one would do its work again and again. */
const STEPS: readonly string[] = ['j', 'k', '[', ']'];

/** Whether something lies over the page that has the keys: a dialog, a menu, or a list of choices. */
export const isCovered = (): boolean =>
  document.querySelector('dialog[open], [role="dialog"][data-open], [role="menu"], [role="listbox"][data-open]') !==
  null;

/** Whether single keys do something. They can be switched off (WCAG 2.1.4). */
const areKeysOn = (): boolean => kept('keys') !== 'off';

/**
 * Does something at a key, or at two keys in a row such as `g d`, while nobody is writing and no dialog is open. `isFirst`: before others
 * that listen for the same key, whichever of them came first.
 */
export function useKeys(keys: Keys, { isFirst = false } = {}): void {
  const current = useRef(keys);
  current.current = keys;
  // With what is painted, so that no key comes before its listener.
  useLayoutEffect(() => {
    let before = '';
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !areKeysOn()) return;
      if (event.repeat && !STEPS.includes(event.key)) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null)
        return;
      if (isCovered()) return;
      const pair = `${before} ${event.key}`;
      const found = current.current[pair] ?? (before === 'g' ? undefined : current.current[event.key]);
      before = event.key;
      if (found === undefined) return;
      before = '';
      event.preventDefault();
      found();
    };
    document.addEventListener('keydown', onKey, isFirst);
    return () => document.removeEventListener('keydown', onKey, isFirst);
  }, [isFirst]);
}
