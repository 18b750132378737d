import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Page } from '../api/client.ts';
import { useKeys } from '../lib/keys.ts';
import { rowHeightNow } from '../lib/rows.ts';
import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import type { ChangeKind } from './changes.tsx';
import { ColumnChoice, useColumns } from './column-choice.tsx';
import { Empty } from './empty.tsx';
import { type Exported, ExportButton } from './export-button.tsx';
import { Failure } from './failure.tsx';
import { GridRowContext } from '../ui/grid-row.ts';
import { usePaused } from './pause.tsx';
import { useSelection } from './use-selection.ts';
import { useLooked } from './use-looked.ts';
import { SidePanel } from './side-panel.tsx';
import { Spoken } from './spoken.tsx';
import { useLiveList } from './use-live-list.ts';
import { useWindow } from './use-window.ts';
import { Waiting } from './waiting.tsx';

export type Column<T> = {
  head: string;
  /** As CSS has it: `96px`, `minmax(0, 2fr)`. */
  width: string;
  cell: (row: T) => ReactNode;
  isNumber?: boolean;
};

type Given<T> = {
  /** Name of the rows, for screen readers. */
  name: string;
  listKey: readonly unknown[];
  /** The thing whose page shows the list: each has rows of its own, and so news of its own. */
  ofId?: string | undefined;
  /** Rows stand in another order than newest first: no line can part the new ones from those that were seen. */
  isByOtherOrder?: boolean;
  fetch: (cursor: string | undefined) => Promise<Page<T>>;
  idOf: (row: T) => string;
  columns: readonly Column<T>[];
  /** Shown in place of a list without rows. */
  empty: ReactNode;
  /** Stands beside the list when a row is opened. */
  panel: (id: string) => ReactNode;
  /** Opens the page of a row. Absent: rows have none, and all of one stands in the panel. */
  onVisit?: (id: string) => void;
  leastWidth?: number;
  /** Kinds of things that its rows tell of. Absent: nobody tells of their changes. */
  kinds?: readonly ChangeKind[];
  /** The list as a file: every list leaves as one. */
  exported: Exported;
  /** The actions on rows that are selected. Absent: none can be. */
  acts?: (rows: readonly T[], onDone: () => void) => ReactNode;
  /** The key `r`. Absent: it is that of the row that is open. */
  again?: Again<T>;
};

/** The act of `r` on the selected rows, else on the chosen one, unless a row is open. */
type Again<T> = {
  go: (rows: readonly T[], onDone: () => void) => void;
  /** Whether it can be done to the row without a question; else the row is opened. */
  isPlain: (row: T) => boolean;
};

/** As `--head` in tokens.css. */
const HEAD_HEIGHT = 36;
/** The next page is asked for when so few rows are left below. */
const READ_AHEAD = 20;
const NO_KINDS: readonly ChangeKind[] = [];

/**
 * A list of which only the rows in view are in the page. The row that is open stands in the address. Keys: j k ↑ ↓ move, Enter opens,
 * o opens the page of its own, x selects where something can be done with several rows, r does the work of these once more.
 */
export function LiveList<T>(given: Given<T>) {
  const { name, idOf, empty, panel, onVisit, acts, again } = given;
  const choice = useColumns(String(given.listKey[1]), given.columns);
  const columns = choice.shown;
  const t = useTexts();
  const [search, change] = useAddress();
  const isPaused = usePaused();
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const [inView, setInView] = useState(0);
  const [rowHeight] = useState(rowHeightNow);
  const list = useLiveList({
    key: given.listKey,
    fetch: given.fetch,
    idOf,
    isPaused,
    inView,
    kinds: given.kinds ?? NO_KINDS,
  });
  const { rows } = list;
  const [newest] = given.isByOtherOrder === true ? [] : rows;
  const [place, kind] = given.listKey.map(String);
  const looked = useLooked([place, kind, given.ofId], newest && idOf(newest));
  const seen = useWindow(box, rows.length, rowHeight, HEAD_HEIGHT);
  useEffect(() => setInView(seen.first), [seen.first]);
  const selection = useSelection(rows, idOf);
  const { hasMore, isSearching, isReadingMore, readMore } = list;
  useEffect(() => {
    // A search through everything is the reader's to go on with.
    if (hasMore && !isSearching && !isReadingMore && seen.end > rows.length - READ_AHEAD) readMore();
  }, [hasMore, isSearching, isReadingMore, seen.end, rows.length, readMore]);
  const open = search['open'];
  const move = (by: number): void => {
    const next = Math.min(rows.length - 1, Math.max(0, chosen + by));
    setChosen(next);
    seen.show(next);
    box.current?.focus({ preventScroll: true });
    const row = rows[next];
    // The open row follows the chosen one, so that a list can be read through.
    if (open !== undefined && row !== undefined) change({ open: idOf(row) }, { replace: true });
  };
  const openChosen = (): void => {
    const row = rows[chosen];
    if (row !== undefined) change({ open: idOf(row) });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(acts !== undefined && { x: () => selection.toggle(chosen, { isRange: false }) }),
    ...(onVisit !== undefined && {
      o: () => {
        const row = rows[chosen];
        if (row !== undefined) onVisit(idOf(row));
      },
    }),
  });
  const goAgain = (): void => {
    const row = rows[chosen];
    if (selection.rows.length > 0) again?.go(selection.rows, selection.clear);
    else if (row !== undefined && again?.isPlain(row) === true) again.go([row], () => undefined);
    else openChosen();
  };
  const isOfList = again !== undefined && (selection.rows.length > 0 || open === undefined);
  useKeys(isOfList ? { r: goAgain } : {}, { isFirst: true });
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    // Keys at a link or a button of a row are its own.
    if (event.target !== event.currentTarget) return;
    const by = steps[event.key];
    if (by !== undefined) move(by);
    else if (event.key === 'Enter') openChosen();
    else return;
    event.preventDefault();
  };
  /** The oldest of the rows that came since the list was last looked at. */
  const isLastNew = (index: number): boolean => {
    const [row, next] = [rows[index], rows[index + 1]];
    if (given.isByOtherOrder === true || looked === undefined || row === undefined || next === undefined) return false;
    return idOf(row) > looked && idOf(next) <= looked;
  };
  if (list.isFirst && list.error === null) return <Waiting />;
  const further = (
    <button type="button" className="button" disabled={isReadingMore} onClick={readMore}>
      {t.list.lookFurther}
    </button>
  );
  if (rows.length === 0 && list.error === null && list.fresh === 0)
    return isSearching ? (
      <Empty title={t.list.noneSoFar}>
        <p>{t.list.noneSoFarWhy}</p>
        {further}
      </Empty>
    ) : (
      empty
    );
  const isChosenDrawn = chosen >= seen.first && chosen < Math.min(seen.end, rows.length);
  const template = [...(acts === undefined ? [] : ['24px']), ...columns.map(({ width }) => width)].join(' ');
  return (
    <div className="stack">
      <Failure error={list.error} onRetry={list.retry} />
      <div className="buttons">
        {list.fresh > 0 && (
          <button type="button" className="button main" onClick={list.showNew}>
            {t.list.fresh(list.fresh)}
          </button>
        )}
        <Spoken text={list.fresh > 0 ? t.list.fresh(list.fresh) : ''} />
        <ColumnChoice all={given.columns} shown={columns} onToggle={choice.toggle} />
        <ExportButton of={given.exported} />
        {acts !== undefined && selection.rows.length > 0 && (
          <>
            <strong role="status">{t.list.selected(selection.rows.length)}</strong>
            {acts(selection.rows, selection.clear)}
            <button type="button" className="button plain" onClick={selection.clear}>
              {t.list.unselect}
            </button>
          </>
        )}
        <span className="muted">{hasMore ? t.list.atLeast(rows.length) : t.list.all(rows.length)}</span>
        {isSearching && further}
      </div>
      <div
        ref={box}
        className="grid"
        role="grid"
        aria-label={name}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-multiselectable={acts !== undefined || undefined}
        // A row that was scrolled away is none that a reader of the screen could be led to.
        aria-activedescendant={isChosenDrawn ? `row-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ '--columns': template, '--least-width': `${given.leastWidth ?? 720}px` } as object}
      >
        <div className="head" role="row" aria-rowindex={1}>
          {acts !== undefined && <div role="columnheader" className="cell" aria-label={t.list.selection} />}
          {columns.map(({ head, isNumber }) => (
            <div key={head} role="columnheader" className={isNumber === true ? 'cell number' : 'cell'}>
              {head}
            </div>
          ))}
        </div>
        <div className="lines" role="presentation" style={{ height: rows.length * rowHeight }}>
          {rows.slice(seen.first, seen.end).map((row, at) => {
            const index = seen.first + at;
            const id = idOf(row);
            return (
              // The grid itself takes the keys.
              <div
                key={id}
                id={`row-${index}`}
                className={list.gone.has(id) ? 'line gone' : 'line'}
                data-since={isLastNew(index) ? t.list.sinceLooked : undefined}
                data-chosen={index === chosen || undefined}
                role="row"
                aria-rowindex={index + 2}
                aria-current={open === id || undefined}
                {...(acts !== undefined && { 'aria-selected': selection.has(id) })}
                style={{ transform: `translateY(${index * rowHeight}px)` }}
                onClick={(event) => {
                  // A click on a link, or with a key that opens a tab, is the browser's.
                  if (event.defaultPrevented || event.metaKey || event.ctrlKey) return;
                  if (event.target instanceof Element && event.target.closest('a, button, label') !== null) return;
                  setChosen(index);
                  if (event.shiftKey && acts !== undefined) selection.extend(index, chosen);
                  else change({ open: id });
                }}
                // The browser would mark the text between both clicks.
                onMouseDown={(event) => event.shiftKey && acts !== undefined && event.preventDefault()}
                onAuxClick={(event) => {
                  const [target, link] = [event.target, event.currentTarget.querySelector('a')];
                  // The middle of three buttons. At a link the browser opens the tab itself.
                  if (event.button !== 1 || link === null) return;
                  if (target instanceof Element && target.closest('a, button, label') !== null) return;
                  window.open(link.href, '_blank', 'noopener');
                }}
              >
                {acts !== undefined && (
                  <div role="gridcell" className="cell">
                    <label className="select">
                      <input
                        type="checkbox"
                        // The grid itself takes the keys: x selects.
                        tabIndex={-1}
                        aria-label={t.list.select}
                        checked={selection.has(id)}
                        onClick={(event) => selection.toggle(index, { isRange: event.shiftKey })}
                        readOnly
                      />
                    </label>
                  </div>
                )}
                <GridRowContext value={index === chosen}>
                  {columns.map(({ head, cell, isNumber }) => (
                    <div key={head} role="gridcell" className={isNumber === true ? 'cell number' : 'cell'}>
                      {cell(row)}
                    </div>
                  ))}
                </GridRowContext>
              </div>
            );
          })}
        </div>
      </div>
      {open !== undefined && (
        <SidePanel
          onClose={() => {
            change({ open: '' });
            box.current?.focus({ preventScroll: true });
          }}
          {...(onVisit !== undefined && { onVisit: () => onVisit(open) })}
        >
          {panel(open)}
        </SidePanel>
      )}
    </div>
  );
}
