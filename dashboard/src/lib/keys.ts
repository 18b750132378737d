import { useLayoutEffect, useRef } from 'react';
import { kept } from './kept.ts';

type Keys = Readonly<Record<string, () => void>>;

/** Keys that may repeat while they are held down. Any other key would run its action again and again. */
const STEPS: readonly string[] = ['j', 'k', '[', ']'];

/** Whether a dialog, a menu or a list of choices covers the page and takes the keys. */
export const isCovered = (): boolean =>
  document.querySelector('dialog[open], [role="dialog"][data-open], [role="menu"], [role="listbox"][data-open]') !==
  null;

/** Whether single-key shortcuts are on. They can be switched off (WCAG 2.1.4). */
const areKeysOn = (): boolean => kept('keys') !== 'off';

/**
 * Runs an action on a key, or on two keys in a row such as `g d`, unless the user is typing or a dialog is open.
 * `isFirst`: runs before other listeners for the same key, whichever was added first.
 */
export function useKeys(keys: Keys, { isFirst = false } = {}): void {
  const current = useRef(keys);
  current.current = keys;
  // A layout effect, so that no key arrives between the paint and the listener.
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
