import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

/**
 * A question over the page, by the browser's own dialog: it keeps the focus inside, ends by Escape where there is `onClose`, and gives the
 * focus back to what had it. The dialog shows for as long as it is rendered.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose?: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Before anything is painted: the next key may come at once, and goes to what has the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    if (shown?.open === false) shown.showModal();
    shown?.querySelector<HTMLElement>('[data-focus]')?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={name}
      onKeyDown={(event) => {
        // Refused as late as in `onCancel`, the second Escape would end it.
        if (event.key === 'Escape' && onClose === undefined) event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  );
}
