import { Tabs as Base } from '@base-ui/react/tabs';
import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import clsx from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CountTag } from './badge.tsx';
import { Icon } from './icon.tsx';

export type Tab = {
  value: string;
  label: string;
  count?: ReactNode;
  /** The count is a number of failures. */
  isBad?: boolean;
};

/** The parts of a page, at most five. `children` renders the content of the selected tab. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
  end,
  children,
  className,
  layout = 'page',
}: {
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** Placed at the right end of the tab list. */
  end?: ReactNode;
  children: ReactNode;
  className?: string;
  /**
   * `full`: spans the whole page, and its content scrolls on its own. `panel`: in a side panel, with content that
   * scrolls.
   */
  layout?: 'page' | 'full' | 'panel';
}) {
  const isFull = layout === 'full';
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(String(next))}
      className={clsx(layout !== 'page' && 'flex min-h-0 grow flex-col', className)}
    >
      <div
        className={clsx(
          'flex flex-wrap items-center border-b border-line',
          isFull && 'min-h-11 shrink-0 pr-5 pl-6 max-md:px-4',
          layout === 'panel' && 'mx-4',
        )}
      >
        <Base.List aria-label={label} className="-ml-2 flex min-w-0 flex-wrap gap-x-1">
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className={clsx(
                'relative flex shrink-0 items-center gap-1.5 px-2 text-text-2 outline-offset-[-3px] after:absolute after:inset-x-2 after:-bottom-px after:h-0.5 after:rounded-full hover:text-text data-active:font-medium data-active:text-text data-active:after:bg-text',
                isFull ? 'h-11' : 'h-9',
              )}
            >
              {tab.label}
              {tab.count !== undefined && <CountTag isBad={tab.isBad === true}>{tab.count}</CountTag>}
            </Base.Tab>
          ))}
        </Base.List>
        {end !== undefined && (
          <div className={clsx('ml-auto flex items-center gap-2 pl-3', isFull && 'max-[480px]:mb-2')}>{end}</div>
        )}
      </div>
      <Base.Panel
        value={value}
        tabIndex={-1}
        className={clsx(
          'outline-none',
          isFull && 'flex min-h-0 grow flex-col',
          layout === 'panel' && 'min-h-0 grow overflow-y-auto p-4',
        )}
      >
        {children}
      </Base.Panel>
    </Base.Root>
  );
}

/** A choice between two or three views of the same thing. */
export function Segmented({
  options,
  value,
  onChange,
  label,
  layout = 'inline',
  className,
}: {
  options: readonly {
    value: string;
    label: string;
    icon?: LucideIcon | undefined;
    /** Classes of the selected one, instead of the usual ones. */
    chosenClassName?: string;
  }[];
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** Full width, or one below the other. */
  layout?: 'inline' | 'wide' | 'stacked';
  className?: string;
}) {
  return (
    <ToggleGroup
      value={[value]}
      onValueChange={([next]) => next !== undefined && onChange(next)}
      aria-label={label}
      className={clsx(
        'gap-0.5 rounded-6 bg-hover p-0.5',
        layout === 'inline' ? 'inline-flex' : layout === 'wide' ? 'flex' : 'flex flex-col',
        className,
      )}
    >
      {options.map((option) => (
        <Toggle
          key={option.value}
          value={option.value}
          className={clsx(
            'flex h-6 grow items-center justify-center gap-1.25 rounded-4 text-12 font-medium whitespace-nowrap pointer-coarse:h-9',
            layout === 'stacked' ? 'px-0' : 'px-2',
            option.value !== value
              ? 'text-text-2 hover:text-text'
              : (option.chosenClassName ?? 'bg-raised text-text shadow-1 ring-1 ring-line-strong'),
          )}
        >
          {option.icon !== undefined && <Icon of={option.icon} isSmall />}
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
