import { useQueries, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { api, type CreateBulkReplay, type DeadLetter } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { type Column, fitting, templateOf } from '../../parts/data-list/columns.ts';
import { Details, NARROW, useEscape } from '../../parts/data-list/data-list.tsx';
import { useWidth } from '../../parts/data-list/use-width.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { usePaused } from '../../parts/pause.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { useSteady } from '../../parts/use-steady.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { GridRowContext } from '../../ui/grid-row.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { type Cause, filterOfCause, idOfCause, searchOfCause } from './cause.ts';
import { columnsOf, type Line, NarrowCause, NarrowLetter, replayText } from './cause-columns.tsx';

/** How many dead letters of a cause are shown in place. */
const SHOWN = 5;
const EVERY_MS = 10_000;

type Among = Omit<Parameters<typeof api.deadLetters.group>[0] & object, 'since' | 'until'> &
  Readonly<Record<'since' | 'until', string | undefined>>;

/** For the heading of the page. */
export type CauseCount = { letters: number; causes: number; isMore: boolean; fresh: number; renew?: () => void };

type Given = {
  /** The filters of the page. */
  among: Among;
  above: ReactNode;
  /** Shown instead of an empty table. */
  empty: ReactNode;
  panel: (id: string) => ReactNode;
  onCount: (count: CauseCount) => void;
  onReplayAll: (filter: CreateBulkReplay) => void;
  replay: (rows: readonly { id: string }[], onDone?: () => void) => void;
  acts: (rows: readonly DeadLetter[], onDone: () => void) => ReactNode;
};

/**
 * Open dead letters grouped by cause, to show at a glance what is broken. A cause expands to its newest dead letters.
 * Rows stay in place while the user reads; new causes and a new order wait until the user asks for them.
 */
export function CauseTable(given: Given) {
  const { among, onCount, onReplayAll, replay } = given;
  const { at, path, may } = useHere();
  const go = useGo();
  const [search, change] = useAddress();
  const isPaused = usePaused();
  const mayAct = may('developer');
  const [chosen, setChosen] = useState(0);
  const [toggled, setToggled] = useState<readonly string[]>();
  const [selected, setSelected] = useState<ReadonlyMap<string, DeadLetter>>(new Map());
  const [awaited, setAwaited] = useState<readonly string[]>([]);
  const frame = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const isNarrow = width > 0 && window.innerWidth < NARROW;
  const refetchInterval = isPaused ? (false as const) : EVERY_MS;
  const times = () => ({ since: sinceOf(among.since), until: sinceOf(among.until) });
  const found = useQuery({
    queryKey: [path, 'dead-letter-groups', among],
    queryFn: () => api.deadLetters.group({ ...among, ...times() }, at),
    refetchInterval,
    meta: { failure: 'own' },
  });
  const { isExact = true, examined = 0, groups } = found.data ?? {};
  const { shown, fresh, isMoved, renew } = useSteady({
    rows: groups,
    first: Infinity,
    idOf: idOfCause,
    key: JSON.stringify([path, among]),
  });
  // The first cause is open until the user opens or closes one.
  const first = shown[0] && idOfCause(shown[0].row);
  const open = toggled ?? (first === undefined ? [] : [first]);
  const opened = shown.filter(({ row }) => open.includes(idOfCause(row)));
  const letters = useQueries({
    queries: opened.map(({ row }) => ({
      queryKey: [path, 'dead-letters-of-cause', among, idOfCause(row)],
      queryFn: async () => {
        const { errorStatus, ...cause } = filterOfCause(row);
        const query = { ...among, ...times(), ...cause, status: 'open', limit: SHOWN } as const;
        return (await api.deadLetters.list({ ...query, errorStatus: errorStatus?.toString() }, at).page()).data;
      },
      refetchInterval,
      placeholderData: (before: readonly DeadLetter[] | undefined) => before,
    })),
  });
  const lettersOf = new Map(opened.map(({ row }, index) => [idOfCause(row), letters[index]?.data ?? []]));
  const lines = shown.flatMap(({ row: cause, isGone }): Line[] => {
    const key = idOfCause(cause);
    const isOpen = open.includes(key);
    const some = lettersOf.get(key) ?? [];
    return [
      { kind: 'cause', key, cause, isGone, isOpen },
      ...(isOpen ? some.map((letter) => ({ kind: 'letter' as const, key: letter.id, of: key, letter })) : []),
      ...(isOpen && some.length > 0 && (cause.count > some.length || isNarrow)
        ? [{ kind: 'more' as const, key: `${key} more`, cause }]
        : []),
    ];
  });
  const total = (groups ?? []).reduce((sum, { count }) => sum + count, 0);
  const causes = groups?.length;
  const latest = useRef(renew);
  latest.current = renew;
  useLayoutEffect(() => {
    if (causes !== undefined)
      onCount({
        letters: total,
        causes,
        isMore: !isExact,
        fresh,
        ...(isMoved && { renew: () => latest.current() }),
      });
  }, [onCount, total, causes, isExact, fresh, isMoved]);
  // Rows of a cause that was selected before they were loaded.
  const ready = awaited.filter((key) => (lettersOf.get(key) ?? []).length > 0);
  useEffect(() => {
    if (ready.length === 0) return;
    setAwaited(awaited.filter((key) => !ready.includes(key)));
    const more = ready.flatMap((key) => (lettersOf.get(key) ?? []).map((letter) => [letter.id, letter] as const));
    setSelected(new Map([...selected, ...more]));
  });
  const rows = [...selected.values()];
  const clear = (): void => setSelected(new Map());
  const toggleLetter = (letter: DeadLetter): void =>
    setSelected((before) =>
      before.has(letter.id)
        ? new Map([...before].filter(([id]) => id !== letter.id))
        : new Map([...before, [letter.id, letter]]),
    );
  const toggleOpen = (key: string, isOpen = !open.includes(key)): void =>
    setToggled(isOpen ? [...open.filter((each) => each !== key), key] : open.filter((each) => each !== key));
  const toggleCause = (key: string, isOn: boolean): void => {
    const some = lettersOf.get(key) ?? [];
    if (isOn && some.length === 0) {
      toggleOpen(key, true);
      setAwaited([...awaited, key]);
    } else if (isOn) setSelected(new Map([...selected, ...some.map((letter) => [letter.id, letter] as const)]));
    else setSelected(new Map([...selected].filter(([id]) => !some.some((letter) => letter.id === id))));
  };
  const askFor = (cause: Cause): void => {
    if (cause.count === 1) replay([{ id: cause.lastId }]);
    else onReplayAll({ ...among, ...filterOfCause(cause), ...times() });
  };

  const openId = search['open'];
  const close = useCallback((): void => {
    change({ open: '' });
    box.current?.focus({ preventScroll: true });
  }, [change]);
  const showAll = (cause: Cause): void => change({ ...searchOfCause(cause), view: 'list', open: '' });
  const choose = (index: number): void => {
    const line = lines[index];
    if (line === undefined) return;
    setChosen(index);
    if (line.kind === 'cause') toggleOpen(line.key);
    else if (line.kind === 'letter') change({ open: line.letter.id });
    else showAll(line.cause);
  };
  const move = (by: number): void => {
    const next = Math.min(lines.length - 1, Math.max(0, chosen + by));
    const line = lines[next];
    setChosen(next);
    box.current?.focus({ preventScroll: true });
    document.querySelector(`#cause-row-${next}`)?.scrollIntoView({ block: 'nearest' });
    if (openId !== undefined && line?.kind === 'letter') change({ open: line.letter.id }, { replace: true });
  };
  const current = lines[chosen];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(current?.kind === 'letter' && { o: () => go(`/dead-letters/${current.letter.id}`) }),
    ...(mayAct && current?.kind === 'letter' && { x: () => toggleLetter(current.letter) }),
  });
  const again = (): void => {
    if (rows.length > 0) replay(rows, clear);
    else if (current?.kind === 'cause') askFor(current.cause);
    else if (current?.kind === 'letter') replay([current.letter]);
  };
  useKeys(mayAct && (rows.length > 0 || openId === undefined) ? { r: again } : {}, { isFirst: true });
  useEscape(openId === undefined ? undefined : close);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 };
    const by = steps[event.key];
    if (by !== undefined) move(by);
    else if (event.key === 'Enter') choose(chosen);
    else if (event.key === 'ArrowRight' && current?.kind === 'cause') toggleOpen(current.key, true);
    else if (event.key === 'ArrowLeft' && current?.kind === 'cause') toggleOpen(current.key, false);
    else if (event.key === 'ArrowLeft' && current?.kind === 'letter') {
      setChosen(lines.findIndex(({ key }) => key === current.of));
      toggleOpen(current.of, false);
    } else return;
    event.preventDefault();
  };

  const columns = fitting(columnsOf(mayAct ? askFor : undefined), width - (mayAct ? 40 : 0));
  const template = `${mayAct ? '40px ' : ''}${templateOf(columns as readonly Column<never>[])}`;
  const allShown = lines.flatMap((line) => (line.kind === 'letter' ? [line.letter] : []));
  const isReading = groups === undefined && found.error === null;
  return (
    <div ref={frame} className="flex min-h-0 grow">
      <div className="relative flex min-w-0 flex-1 flex-col">
        {given.above}
        {found.error !== null && (
          <div className="px-6 pb-3 max-md:px-4">
            <FailureNote error={found.error} onRetry={() => void found.refetch()} />
          </div>
        )}
        <Spoken text={fresh > 0 ? `${fresh} new` : ''} />
        {isReading ? (
          <SkeletonRows rows={6} />
        ) : shown.length === 0 ? (
          found.error === null && given.empty
        ) : (
          <>
            <div
              ref={box}
              role="treegrid"
              aria-label="Dead letters by cause"
              aria-activedescendant={current === undefined ? undefined : `cause-row-${chosen}`}
              aria-multiselectable={mayAct || undefined}
              tabIndex={0}
              onKeyDown={onKeyDown}
              className="min-h-0 grow overflow-y-auto outline-offset-[-2px]"
            >
              <div
                role="row"
                className={clsx(
                  isNarrow
                    ? 'sr-only'
                    : 'sticky top-0 z-10 grid h-8 items-center border-y border-line bg-sunken px-3.5 text-12 text-text-3',
                )}
                style={{ gridTemplateColumns: template }}
              >
                {mayAct && (
                  <div role="columnheader" className="px-2.5">
                    <Checkbox
                      label="Select all shown dead letters"
                      isLabelHidden
                      isOn={rows.length > 0 && allShown.every(({ id }) => selected.has(id))}
                      isSome={rows.length > 0 && !allShown.every(({ id }) => selected.has(id))}
                      onChange={() =>
                        rows.length > 0
                          ? clear()
                          : setSelected(new Map(allShown.map((letter) => [letter.id, letter] as const)))
                      }
                    />
                  </div>
                )}
                {columns.map(({ key, head, headEnd, isNumber = false }) => (
                  <div key={key} role="columnheader" className={clsx('truncate px-2.5', isNumber && 'text-right')}>
                    {head === 'Actions' ? <span className="sr-only">{head}</span> : head}
                    {headEnd}
                  </div>
                ))}
              </div>
              {lines.map((line, index) => {
                const isChosen = index === chosen;
                const isOpenRow = line.kind === 'letter' && line.letter.id === openId;
                const isSelected = line.kind === 'letter' && selected.has(line.letter.id);
                const ofCause = line.kind === 'cause' ? (lettersOf.get(line.key) ?? []) : [];
                const ons = ofCause.filter(({ id }) => selected.has(id)).length;
                return (
                  <div
                    key={line.key}
                    id={`cause-row-${index}`}
                    role="row"
                    aria-level={line.kind === 'cause' ? 1 : 2}
                    {...(line.kind === 'cause' && { 'aria-expanded': line.isOpen })}
                    {...(line.kind === 'letter' && mayAct && { 'aria-selected': isSelected })}
                    aria-current={isOpenRow || undefined}
                    // Handle the press before the router does: its link opens the full page.
                    onClickCapture={(event) => {
                      const target = event.target instanceof Element ? event.target : null;
                      const link = target?.closest('a');
                      if (event.metaKey || event.ctrlKey || target?.closest('button, label, [role=checkbox]')) return;
                      if (link && !link.hasAttribute('data-row')) return;
                      event.preventDefault();
                      choose(index);
                    }}
                    className={clsx(
                      'grid items-center border-b border-line px-3.5 tabular-nums',
                      line.kind === 'cause' ? 'min-h-11' : 'min-h-row',
                      line.kind === 'cause' && 'cursor-pointer',
                      line.kind === 'cause' && line.isOpen && 'bg-sunken',
                      isOpenRow || isSelected ? 'bg-selected' : 'hover:bg-hover',
                      isOpenRow && 'shadow-[inset_2px_0_var(--accent-fill)]',
                      isChosen && !isOpenRow && 'shadow-[inset_2px_0_var(--line-strong)]',
                      line.kind === 'cause' && line.isGone && 'opacity-50',
                      isNarrow && 'py-1.5',
                    )}
                    style={{ gridTemplateColumns: isNarrow || line.kind === 'more' ? undefined : template }}
                  >
                    <GridRowContext value={isChosen}>
                      {line.kind === 'more' ? (
                        <div role="gridcell" className={clsx('flex items-center gap-4', isNarrow ? 'pl-6' : 'pl-19.5')}>
                          <HereLink
                            to="/dead-letters"
                            search={{ ...search, ...searchOfCause(line.cause), view: 'list' }}
                            isRow
                            className="text-accent hover:underline"
                          >
                            Show all {countText(line.cause.count)}
                          </HereLink>
                          {isNarrow && mayAct && (
                            <Button size="small" onClick={() => askFor(line.cause)}>
                              {replayText(line.cause)}
                            </Button>
                          )}
                        </div>
                      ) : isNarrow ? (
                        line.kind === 'cause' ? (
                          <NarrowCause of={line.cause} isOpen={line.isOpen} />
                        ) : (
                          <NarrowLetter of={line.letter} />
                        )
                      ) : (
                        <>
                          {mayAct && (
                            <div role="gridcell" className="px-2.5">
                              {line.kind === 'letter' ? (
                                <Checkbox
                                  label={`Select ${line.letter.eventType ?? line.letter.id}`}
                                  isLabelHidden
                                  isOn={isSelected}
                                  onChange={() => toggleLetter(line.letter)}
                                />
                              ) : (
                                <Checkbox
                                  label="Select the shown dead letters of this cause"
                                  isLabelHidden
                                  isOn={ons > 0 && ons === ofCause.length}
                                  isSome={ons > 0 && ons < ofCause.length}
                                  onChange={(isOn) => toggleCause(line.key, isOn)}
                                />
                              )}
                            </div>
                          )}
                          {columns.map(({ key, cell, isNumber = false }) => (
                            <div
                              key={key}
                              role="gridcell"
                              className={clsx('min-w-0 truncate px-2.5', isNumber && 'text-right')}
                            >
                              {cell(line)}
                            </div>
                          ))}
                        </>
                      )}
                    </GridRowContext>
                  </div>
                );
              })}
            </div>
            <footer className="flex shrink-0 items-center gap-3 border-t border-line px-6 py-2 text-12 text-text-3 max-md:px-4">
              {[['J K', 'move'], ['→', 'expand'], ...(mayAct ? [['R', 'replay']] : [])].map(([keys = '', what]) => (
                <span key={keys} className="flex items-center gap-1 max-md:hidden pointer-coarse:hidden">
                  {keys.split(' ').map((each) => (
                    <Kbd key={each}>{each}</Kbd>
                  ))}
                  {what}
                </span>
              ))}
              <span className="ml-auto">
                {isExact
                  ? 'Dead letters are kept as long as their message'
                  : `Among the newest ${counted(examined, 'dead letter')}`}
              </span>
            </footer>
          </>
        )}
        {rows.length > 0 && (
          <div
            role="toolbar"
            aria-label="Selected rows"
            className="absolute bottom-14 left-1/2 z-20 flex max-w-[calc(100%-24px)] -translate-x-1/2 flex-wrap items-center gap-2 rounded-8 bg-raised px-3 py-2 shadow-3"
          >
            <strong role="status" className="font-medium whitespace-nowrap">
              {rows.length} selected
            </strong>
            {given.acts(rows, clear)}
            <IconButton icon={X} size="small" label="Clear selection" onClick={clear} />
          </div>
        )}
      </div>
      {openId !== undefined && (
        <Details title="Dead letter" onClose={close} onMove={move} onVisit={() => go(`/dead-letters/${openId}`)}>
          {given.panel(openId)}
        </Details>
      )}
    </div>
  );
}
