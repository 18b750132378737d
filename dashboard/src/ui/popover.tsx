import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

/** A popup at a button: settings of a view, or more about a word. */
export function Popover({
  trigger,
  title,
  children,
  align = 'end',
  isOpen,
  onOpenChange,
}: {
  trigger: ReactElement;
  title: string;
  /** For a page that controls it. If absent, it opens and closes on its own. */
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
}) {
  return (
    <Base.Root {...(isOpen !== undefined && { open: isOpen })} {...(onOpenChange !== undefined && { onOpenChange })}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className="max-h-(--available-height) w-80 max-w-[calc(100vw-16px)] animate-appear overflow-y-auto rounded-8 bg-raised p-3 shadow-2 outline-none">
            <Base.Title className="mb-2.5 text-13 font-bold">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
