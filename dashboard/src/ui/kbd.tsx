import clsx from 'clsx';
import type { ReactNode } from 'react';

/** A keyboard key. Hidden on touch devices. */
export function Kbd({ children, isOnFill = false }: { children: ReactNode; isOnFill?: boolean }) {
  return (
    <kbd
      aria-hidden="true"
      className={clsx(
        'inline-block min-w-4.5 rounded-4 border px-1 text-center font-sans text-11 leading-4 pointer-coarse:hidden',
        isOnFill ? 'border-transparent bg-on-fill/18' : 'border-line-strong bg-surface text-text-3',
      )}
    >
      {children}
    </kbd>
  );
}
