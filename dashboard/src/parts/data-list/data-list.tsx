import { useVirtualizer } from '@tanstack/react-virtual';
import clsx from 'clsx';
import { ChevronDown, ChevronUp, Maximize2, X } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Page as ApiPage } from '../../api/client.ts';
import { keep, kept } from '../../lib/kept.ts';
import { isCovered, useKeys } from '../../lib/keys.ts';
import { useAddress } from '../../lib/search.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { Checkbox, RowCheckbox } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Panel } from '../../ui/split.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Empty } from '../../ui/empty.tsx';
import type { ChangeKind } from '../changes.tsx';
import { FailureNote } from '../failure-note.tsx';
import { usePaused } from '../pause.tsx';
import { GridRowContext } from '../../ui/grid-row.ts';
import { Spoken } from '../spoken.tsx';
import { useLiveList } from '../use-live-list.ts';
import { useLooked } from '../use-looked.ts';
import { useSelection } from '../use-selection.ts';
import { type Column, fitting, type NarrowRow, templateOf } from './columns.ts';
import { useWidth } from './use-width.ts';

type Given<T> = {
  /** Name of the rows for screen readers: `Deliveries`. */
  name: string;
  listKey: readonly unknown[];
  /** The thing whose page shows the list. Each thing has its own rows, and so its own new rows. */
  ofId?: string | undefined;
  fetch: (cursor: string | undefined) => Promise<ApiPage<T>>;
  idOf: (row: T) => string;
  /** Kinds of things that the rows show. If absent, changes of the rows are not reported and the list polls. */
  kinds?: readonly ChangeKind[];
  columns: readonly Column<T>[];
  narrow: (row: T) => NarrowRow;
  /** Rows are not ordered newest first, so no line can separate the new ones from those already seen. */
  isByOtherOrder?: boolean;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  /** The panel next to the list when a row is open. If absent, a click opens the page of the row. */
  panel?: (id: string) => ReactNode;
  /** Opens the page of a row. If absent, rows have no page, and the panel shows everything. */
  onVisit?: (id: string) => void;
  /** Title of the panel when it is a sheet over the page. */
  panelTitle?: string;
  /** The buttons for selected rows. If absent, rows cannot be selected. */
  acts?: (rows: readonly T[], onDone: () => void) => ReactNode;
  /** The action of the key `r`. If absent, the one of the open row. */
  again?: Again<T>;
  /** Shown above the rows: the filter line and a chart. */
  above?: ReactNode;
  /** Receives the present rows, for the heading of the page. */
  onCount?: (count: ListCount) => void;
  hints?: readonly (readonly [key: string, what: string])[];
};

type Again<T> = {
  go: (rows: readonly T[], onDone: () => void) => void;
  /** Whether the action can run on the row without a question; otherwise the row is opened. */
  isPlain: (row: T) => boolean;
};

/** `isMore`: there are more than were loaded. */
export type ListCount = { rows: number; isMore: boolean; fresh: number; showNew: () => void };

export const NARROW = 768;
const SHEET = 1_024;
const NARROW_ROW = 58;
/** The next page is requested when this few rows are left below. */
const READ_AHEAD = 20;
const NO_KINDS: readonly ChangeKind[] = [];
const CHECK_WIDTH = 40;

const rowHeight = (): number =>
  Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 36;

/**
 * A virtualised list: only rows in view are in the DOM. The open row is kept in the address. Keys: j k ↑ ↓ move, Enter
 * opens, o opens the row's page, x selects, r runs the repeat action.
 */
export function DataList<T>(given: Given<T>) {
  const { name, idOf, empty, panel, onVisit, acts, again, onCount } = given;
  const [search, change] = useAddress();
  const isPaused = usePaused();
  const [chosen, setChosen] = useState(0);
  const [inView, setInView] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const isNarrow = width > 0 && window.innerWidth < NARROW;
  const [height] = useState(rowHeight);
  const size = isNarrow ? NARROW_ROW : height;
  const list = useLiveList({
    key: given.listKey,
    fetch: given.fetch,
    idOf,
    isPaused,
    inView,
    kinds: given.kinds ?? NO_KINDS,
  });
  const { rows, hasMore, isSearching, isReadingMore, readMore, fresh, showNew } = list;
  const [newest] = given.isByOtherOrder === true ? [] : rows;
  const [place, kind] = given.listKey.map(String);
  const looked = useLooked([place, kind, given.ofId], newest && idOf(newest));
  const selection = useSelection(rows, idOf);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => size,
    overscan: 2,
    scrollPaddingStart: 32,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const end = (items.at(-1)?.index ?? -1) + 1;
  useEffect(() => virtual.measure(), [virtual, size]);
  useEffect(() => setInView(first), [first]);
  useEffect(() => {
    // A search through everything continues only when the user asks for it.
    if (hasMore && !isSearching && !isReadingMore && end > rows.length - READ_AHEAD) readMore();
  }, [hasMore, isSearching, isReadingMore, end, rows.length, readMore]);
  const latest = useRef(showNew);
  latest.current = showNew;
  useLayoutEffect(
    () => onCount?.({ rows: rows.length, isMore: hasMore, fresh, showNew: () => latest.current() }),
    [onCount, rows.length, hasMore, fresh],
  );

  const open = panel === undefined ? undefined : search['open'];
  const openRow = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    if (panel === undefined) onVisit?.(idOf(row));
    else change({ open: idOf(row) });
  };
  const close = useCallback((): void => {
    change({ open: '' });
    box.current?.focus({ preventScroll: true });
  }, [change]);
  const move = (by: number): void => {
    const next = Math.min(rows.length - 1, Math.max(0, chosen + by));
    setChosen(next);
    virtual.scrollToIndex(next, { align: 'auto' });
    box.current?.focus({ preventScroll: true });
    const row = rows[next];
    // The open row follows the current one, so that the user can read through a list.
    if (open !== undefined && row !== undefined) change({ open: idOf(row) }, { replace: true });
  };
  const visit = (id: string | undefined): void => {
    if (id !== undefined) onVisit?.(id);
  };
  const chosenRow = rows[chosen];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(acts !== undefined && { x: () => selection.toggle(chosen, { isRange: false }) }),
    ...(onVisit !== undefined && { o: () => visit(chosenRow && idOf(chosenRow)) }),
  });
  const goAgain = (): void => {
    if (selection.rows.length > 0) again?.go(selection.rows, selection.clear);
    else if (chosenRow !== undefined && again?.isPlain(chosenRow) === true) again.go([chosenRow], () => undefined);
    else openRow(chosen);
  };
  const isOfList = again !== undefined && (selection.rows.length > 0 || open === undefined);
  useKeys(isOfList ? { r: goAgain } : {}, { isFirst: true });
  useEscape(open === undefined ? undefined : close);
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    // Leave keys on a link or a button of a row to that element.
    if (event.target !== event.currentTarget) return;
    const by = steps[event.key];
    if (by !== undefined) move(by);
    else if (event.key === 'Enter') openRow(chosen);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent, index: number): void => {
    const target = event.target instanceof Element ? event.target : null;
    const link = target?.closest('a');
    // Leave clicks with a modifier key, and clicks on a button, to the browser.
    if (event.metaKey || event.ctrlKey || target?.closest('button, label, [role=checkbox]')) return;
    if (link && !link.hasAttribute('data-row')) return;
    event.preventDefault();
    setChosen(index);
    if (event.shiftKey && acts !== undefined) selection.extend(index, chosen);
    else openRow(index);
  };
  /** Returns the oldest of the rows that arrived since the user last looked at the list. */
  const isLastNew = (index: number): boolean => {
    const [row, next] = [rows[index], rows[index + 1]];
    if (given.isByOtherOrder === true || looked === undefined || row === undefined || next === undefined) return false;
    return idOf(row) > looked && idOf(next) <= looked;
  };

  const isReading = list.isFirst && list.error === null;
  const isEmpty = !isReading && rows.length === 0 && list.error === null && fresh === 0;
  const columns = fitting(given.columns, width - (acts === undefined ? 0 : CHECK_WIDTH));
  const template = `${acts === undefined ? '' : `${CHECK_WIDTH}px `}${templateOf(columns as readonly Column<never>[])}`;
  const isChosenDrawn = chosen >= first && chosen < end;
  const body = isReading ? (
    <SkeletonRows rows={12} />
  ) : isEmpty ? (
    isSearching ? (
      <Empty
        title="No matches yet"
        actions={
          <Button isBusy={isReadingMore} onClick={readMore}>
            Search older records
          </Button>
        }
      >
        <p>Searched the most recent records only</p>
      </Empty>
    ) : (
      empty
    )
  ) : (
    <div
      ref={box}
      role="grid"
      aria-label={name}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-multiselectable={acts !== undefined || undefined}
      // A row that was scrolled out of view is not in the DOM, so screen readers cannot be pointed to it.
      aria-activedescendant={isChosenDrawn ? `row-${chosen}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="min-h-0 grow overflow-y-auto outline-offset-[-2px]"
    >
      <div
        role="row"
        aria-rowindex={1}
        className={clsx(
          isNarrow
            ? 'sr-only'
            : 'sticky top-0 z-10 grid h-8 items-center border-y border-line bg-sunken px-3.5 text-12 text-text-3',
        )}
        style={{ gridTemplateColumns: template }}
      >
        {acts !== undefined && (
          <div role="columnheader" className="px-2.5">
            <Checkbox
              label="Select all rows"
              isLabelHidden
              isOn={selection.rows.length === rows.length && rows.length > 0}
              isSome={selection.rows.length > 0 && selection.rows.length < rows.length}
              onChange={() => (selection.rows.length > 0 ? selection.clear() : selection.all())}
            />
          </div>
        )}
        {columns.map(({ key, head, headEnd, isNumber }) => (
          <div key={key} role="columnheader" className={clsx('truncate px-2.5', isNumber === true && 'text-right')}>
            {head}
            {headEnd}
          </div>
        ))}
      </div>
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const id = idOf(row);
          const isOpen = open === id;
          const isSelected = selection.has(id);
          return (
            <div
              key={key}
              id={`row-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-current={isOpen || undefined}
              {...(acts !== undefined && { 'aria-selected': isSelected })}
              data-chosen={index === chosen || undefined}
              data-since={isLastNew(index) ? 'New since your last visit' : undefined}
              className={clsx(
                'absolute inset-x-0 grid items-center border-b px-3.5 tabular-nums',
                isLastNew(index) ? clsx('border-accent', SINCE) : 'border-line',
                isOpen || isSelected ? 'bg-selected' : 'hover:bg-hover',
                (isOpen || index === chosen) && 'shadow-[inset_2px_0_var(--accent-fill)]',
                index === chosen && !isOpen && 'shadow-[inset_2px_0_var(--line-strong)]',
                list.gone.has(id) && 'opacity-50',
              )}
              style={{
                gridTemplateColumns: isNarrow ? undefined : template,
                height: size,
                transform: `translateY(${start}px)`,
              }}
              // Runs before the link of the row, which would open the row's page.
              onClickCapture={(event) => onClick(event, index)}
              // The browser would select the text between both clicks.
              onMouseDown={(event) => event.shiftKey && acts !== undefined && event.preventDefault()}
              onAuxClick={(event) => {
                const link = event.currentTarget.querySelector('a');
                const isOnLink = event.target instanceof Element && event.target.closest('a') !== null;
                // Middle button. On a link the browser opens the tab itself.
                if (event.button === 1 && link !== null && !isOnLink) window.open(link.href, '_blank', 'noopener');
              }}
            >
              <GridRowContext value={index === chosen}>
                {isNarrow ? (
                  <Narrow of={given.narrow(row)} />
                ) : (
                  <>
                    {acts !== undefined && (
                      <div role="gridcell" className="px-2.5">
                        <RowCheckbox
                          label={`Select row ${index + 1}`}
                          isOn={isSelected}
                          onChange={() => selection.toggle(index, { isRange: false })}
                        />
                      </div>
                    )}
                    {columns.map(({ key: column, cell, isNumber }) => (
                      <div
                        key={column}
                        role="gridcell"
                        className={clsx('min-w-0 truncate px-2.5', isNumber === true && 'text-right')}
                      >
                        {cell(row)}
                      </div>
                    ))}
                  </>
                )}
              </GridRowContext>
            </div>
          );
        })}
      </div>
    </div>
  );
  return (
    <div ref={frame} className="flex min-h-0 grow">
      <div className="relative flex min-w-0 flex-1 flex-col">
        {given.above}
        {list.error !== null && (
          <div className="px-6 pb-3 max-md:px-4">
            <FailureNote error={list.error} onRetry={list.retry} />
          </div>
        )}
        <Spoken text={fresh > 0 ? `${fresh} new` : ''} />
        {body}
        {!isReading && !isEmpty && (
          <footer className="flex shrink-0 items-center gap-3 border-t border-line px-6 py-2 text-12 text-text-3 max-md:px-4">
            {(given.hints ?? HINTS).map(([key, what]) => (
              <span key={key} className="flex items-center gap-1 max-md:hidden pointer-coarse:hidden">
                {key.split(' ').map((each) => (
                  <Kbd key={each}>{each}</Kbd>
                ))}
                {what}
              </span>
            ))}
            {isSearching && (
              <Button size="small" isBusy={isReadingMore} onClick={readMore}>
                Search older records
              </Button>
            )}
            <span className="ml-auto tabular-nums">
              {rows.length === 0 ? '0' : `${Math.min(first + 1, rows.length)}–${Math.min(end, rows.length)}`} of{' '}
              {rows.length.toLocaleString('en-US')}
              {hasMore && '+'}
            </span>
          </footer>
        )}
        {acts !== undefined && selection.rows.length > 0 && (
          <div
            role="toolbar"
            aria-label="Selected rows"
            className="absolute bottom-14 left-1/2 z-20 flex max-w-[calc(100%-24px)] -translate-x-1/2 flex-wrap items-center gap-2 rounded-8 bg-raised px-3 py-2 shadow-3"
          >
            <strong role="status" className="font-medium whitespace-nowrap">
              {selection.rows.length} selected
            </strong>
            {acts(selection.rows, selection.clear)}
            <IconButton icon={X} size="small" label="Clear selection" onClick={selection.clear} />
          </div>
        )}
      </div>
      {open !== undefined && panel !== undefined && (
        <Details
          title={given.panelTitle ?? 'Details'}
          onClose={close}
          onMove={move}
          {...(onVisit !== undefined && { onVisit: () => onVisit(open) })}
        >
          {panel(open)}
        </Details>
      )}
    </div>
  );
}

/** The label on the line below the last new row, which separates it from the rows already seen. */
const SINCE =
  'z-1 after:absolute after:-bottom-2 after:left-1/2 after:-translate-x-1/2 after:rounded-full after:bg-accent-soft after:px-2 after:text-11 after:leading-4 after:font-medium after:text-accent after:content-[attr(data-since)]';

const HINTS = [
  ['J K', 'move'],
  ['↵', 'open'],
] as const;

function Narrow({ of: { mark, what, when, where, result } }: { of: NarrowRow }) {
  return (
    <div role="gridcell" className="grid min-w-0 grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-2">
      <span className="row-span-2 self-start pt-0.5">{mark}</span>
      <span className="truncate font-medium">{what}</span>
      <span className="text-right text-12 text-text-3">{when}</span>
      <span className="truncate text-text-2">{where}</span>
      <span className="text-right">{result}</span>
    </div>
  );
}

/** The open row: next to the list, or as a sheet over it if the window is too narrow for both. */
export function Details({
  title,
  onClose,
  onVisit,
  onMove,
  children,
}: {
  title: string;
  onClose: () => void;
  onVisit?: () => void;
  onMove: (by: number) => void;
  children: ReactNode;
}) {
  const [width, setWidth] = useState(() => Number(kept('panel')) || undefined);
  const isSheet = useIsNarrower(SHEET);
  const buttons = (
    <>
      <IconButton icon={ChevronUp} label="Previous row" keys="K" onClick={() => onMove(-1)} />
      <IconButton icon={ChevronDown} label="Next row" keys="J" onClick={() => onMove(1)} />
      {onVisit !== undefined && <IconButton icon={Maximize2} label="Open full page" keys="O" onClick={onVisit} />}
    </>
  );
  if (isSheet)
    return (
      <Drawer title={title} onClose={onClose} beside={buttons}>
        {children}
      </Drawer>
    );
  return (
    <Panel
      label={title}
      width={width}
      onWidth={(next) => {
        keep('panel', next === undefined ? '' : String(next));
        setWidth(next);
      }}
      head={
        <>
          <span className="grow" />
          {buttons}
          <IconButton icon={X} label="Close" keys="Esc" onClick={onClose} />
        </>
      }
    >
      {children}
    </Panel>
  );
}

/** Escape closes the open row, unless something on top of it handles the key. */
export function useEscape(then: (() => void) | undefined): void {
  useLayoutEffect(() => {
    if (then === undefined) return undefined;
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isWriting = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]');
      if (event.key === 'Escape' && !event.defaultPrevented && !isCovered() && !isWriting) then();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [then]);
}
