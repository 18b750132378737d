import { Columns3 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { View } from '../../api/client.ts';
import { useKeys } from '../../lib/keys.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { useAddress } from '../../lib/search.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useKnownSearch } from '../known-search.ts';
import { useNamedFilters } from '../use-found.ts';
import type { Column, useColumnChoice } from './columns.ts';
import { FilterField } from './filter-field.tsx';
import { type OwnView, SavedViews } from './saved-views.tsx';
import { TimeRange } from './time-range.tsx';

type Given = {
  filters: readonly ListFilter[];
  views?: { page: View['page']; own: readonly OwnView[]; all?: string };
  columns?: { all: readonly Column<never>[]; choice: ReturnType<typeof useColumnChoice> };
  /** Whether the rows have a time; the filters then include `since` and `until`. */
  hasTime?: boolean;
  /** Whether the rows are of messages, whose payloads can be searched. */
  hasPayloads?: boolean;
  /** Search parameters that belong to the panel of a row, or to another tab of the page. */
  ofPanel?: readonly string[];
  ofTabs?: readonly string[];
  children?: ReactNode;
};

const NONE: readonly string[] = [];

/**
 * The line above a list: a saved view, the filters, a time range, and the columns. All of it is kept in the address.
 */
export function FilterLine({
  filters: given,
  views,
  columns,
  hasTime = false,
  hasPayloads = false,
  ofPanel = NONE,
  ofTabs = NONE,
  children,
}: Given) {
  const [search, change] = useAddress();
  const taken = useKnownSearch(given, { ofPanel, ofTabs });
  const filters = useNamedFilters(given, search);
  const box = useRef<HTMLDivElement>(null);
  const failing = filters.find(({ failure }) => failure !== undefined);
  const isFailing = failing !== undefined && search[failing.name] === failing.failure;
  useKeys({
    f: () => box.current?.querySelector('input')?.focus(),
    ...(failing !== undefined && {
      e: () => change({ [failing.name]: isFailing ? '' : (failing.failure ?? '') }),
    }),
  });
  return (
    <div ref={box} role="search" aria-label="Filters" className="shrink-0 px-6 py-3 max-md:px-4">
      <div className="flex flex-wrap items-start gap-2">
        {views !== undefined && <SavedViews {...views} filters={filters.map(({ name }) => name)} />}
        <FilterField filters={filters} hasPayloads={hasPayloads} />
        {hasTime && <TimeRange />}
        {columns !== undefined && (
          <Menu
            trigger={<IconButton icon={Columns3} label="Columns" look="default" className="h-8.5 max-md:hidden" />}
            groups={[
              {
                title: 'Columns',
                items: columns.all.map((column) => ({
                  label: column.head,
                  isChecked: columns.choice.isShown(column as Column<unknown>),
                  isOneOfMany: true,
                  onSelect: () => columns.choice.toggle(column.key),
                })),
              },
            ]}
          />
        )}
        {children}
      </div>
      {taken !== undefined && (
        <p role="status" className="mt-2 text-12 text-text-2">
          Ignored invalid filters: {taken}
        </p>
      )}
    </div>
  );
}
