import { Tabs as Base } from '@base-ui/react/tabs';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import type { Tab } from './tabs.tsx';

/** Tabs of a list page, placed in the page's bar if there is room. `children` positions the tab list and the panels. */
export function BarTabs({
  tabs,
  value,
  onChange,
  label,
  isBelow,
  children,
}: {
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** The tab list is below the bar. */
  isBelow: boolean;
  children: (line: ReactNode) => ReactNode;
}) {
  const line = (
    <Base.List
      aria-label={label}
      className={clsx(
        'flex shrink-0 gap-1',
        isBelow ? 'h-10 overflow-x-auto border-b border-line px-4 [scrollbar-width:none]' : 'ml-3 h-bar',
      )}
    >
      {tabs.map((tab) => (
        <Base.Tab
          key={tab.value}
          value={tab.value}
          className="relative flex h-full shrink-0 items-center px-2 whitespace-nowrap text-text-2 outline-offset-[-3px] after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 after:rounded-full hover:text-text data-active:font-medium data-active:text-text data-active:after:bg-text"
        >
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
  );
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(String(next))} className="contents">
      {children(line)}
    </Base.Root>
  );
}

/** The selected panel. It scrolls on its own. */
export const BarTabPanel = ({ value, children }: { value: string; children: ReactNode }) => (
  <Base.Panel value={value} tabIndex={-1} className="flex min-h-0 grow flex-col outline-none">
    {children}
  </Base.Panel>
);
