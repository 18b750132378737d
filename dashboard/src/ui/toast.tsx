import { Toast as Base } from '@base-ui/react/toast';
import { CircleCheck, CircleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

type Data = {
  kind: 'good' | 'bad';
  /** Buttons after the text, such as Undo or View. */
  actions?: ReactNode;
};

const manager = Base.createToastManager<Data>();

/** Shows what has happened, in the past tense. A failure stays until it is closed. Returns an id for closing it. */
export const toast = (
  text: string,
  { kind = 'good', actions, forMs = 6_000 }: Partial<Data> & { forMs?: number } = {},
): string =>
  manager.add({
    title: text,
    timeout: kind === 'bad' ? 0 : forMs,
    priority: kind === 'bad' ? 'high' : 'low',
    data: { kind, ...(actions !== undefined && { actions }) },
  });

export const closeToast = (id: string): void => manager.close(id);

/** The area for toasts: at the bottom right, above the buttons of a drawer. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 in-[body:has([data-drawer])]:bottom-17 z-60 flex w-[calc(100vw-32px)] flex-col gap-2 sm:w-auto md:w-90">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function List() {
  const { toasts } = Base.useToastManager<Data>();
  return toasts.map((each) => (
    <Base.Root
      key={each.id}
      toast={each}
      swipeDirection="right"
      // Base UI hides an urgent toast from screen readers, but its buttons stay tab stops.
      aria-hidden={false}
      className="rounded-8 bg-raised shadow-2 transition-opacity duration-(--enter) data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Base.Content className="flex min-h-10 items-center gap-2.25 py-1 pr-1 pl-3">
        {each.data?.kind === 'bad' ? (
          <Icon of={CircleAlert} className="text-failed" />
        ) : (
          <Icon of={CircleCheck} className="text-delivered" />
        )}
        <Base.Title className="min-w-0 grow py-1 font-normal [overflow-wrap:anywhere]" render={<p />} />
        {each.data?.actions}
        <Base.Close aria-hidden={false} render={<IconButton icon={X} label="Close" size="small" />} />
      </Base.Content>
    </Base.Root>
  ));
}
