import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

type Payload = { text: ReactNode; keys?: string | undefined };

/** One shared popup for all tooltips of a page, because a list of 40 rows has hundreds of elements with a tooltip. */
const handle = Tooltip.createHandle<Payload>();

/** Holds the shared tooltip popup. Rendered once, around the whole page. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Tooltip.Provider delay={300}>
      {children}
      <Tooltip.Root handle={handle}>
        {({ payload }) => (
          <Tooltip.Portal>
            <Tooltip.Positioner sideOffset={6} collisionPadding={8} className="z-60">
              <Tooltip.Popup className="flex max-w-80 items-center gap-2 rounded-4 bg-tip px-2 py-1 text-12 text-on-tip shadow-2">
                {payload?.text}
                {payload?.keys !== undefined && <span className="text-on-tip-2">{payload.keys}</span>}
              </Tooltip.Popup>
            </Tooltip.Positioner>
          </Tooltip.Portal>
        )}
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}

/** Explains an element on hover and focus. It does not replace an accessible name. */
export function Tip({ text, keys, children }: { text: ReactNode; keys?: string | undefined; children: ReactElement }) {
  return <Tooltip.Trigger handle={handle} payload={{ text, keys }} delay={300} render={children} />;
}
