import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQueryClient } from '@tanstack/react-query';
import clsx from 'clsx';
import { ListFilter as ListFilterIcon, Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { choiceText, type ListFilter, type NamePair, severalOf } from '../../lib/list-filter.ts';
import {
  type Completion,
  completionsOf,
  readQuery,
  soughtIn,
  valueBeingWritten,
  writeQuery,
} from '../../lib/query-text.ts';
import { useAddress } from '../../lib/search.ts';
import { Icon } from '../../ui/icon.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu } from '../../ui/menu.tsx';
import { problemText } from './filter-problems.ts';
import { HereLink, useGo } from '../link.tsx';
import { useThingName } from '../thing-name.tsx';
import { hasMore, useFoundNames, useNameQuestion, useSettled } from '../use-found.ts';

/** What the list below the field offers: completions of the text, or a payload search for its words. */
type FilterOffer = Completion | { sought: string };

const OFFER = 'flex min-h-7.5 items-center gap-2 rounded-4 px-2 outline-none select-none data-highlighted:bg-hover';

/** More completions are too many to choose from; typing another letter leaves fewer. */
const SHOWN = 12;
/** The time range has its own control. */
const isOfTime = ({ name }: ListFilter): boolean => name === 'since' || name === 'until';

/** Whether there may be things that were not loaded; the first ones may still be loading. */
const mayHaveMore = (filter: ListFilter): boolean => hasMore(filter) || (filter.options ?? []).length === 0;

/** Returns the filters, one of them with search results in addition to its options. */
const withMore = (
  filters: readonly ListFilter[],
  of: ListFilter | undefined,
  found: readonly NamePair[],
): readonly ListFilter[] =>
  filters.map((filter) => {
    const options = filter.options ?? [];
    if (filter.name !== of?.name || found.length === 0) return filter;
    return { ...filter, options: [...options, ...found.filter(([id]) => !options.some(([each]) => each === id))] };
  });

/**
 * The filters of a list: a chip for each filter that is set, and a field that accepts others as text, `status:failed
 * type:order.*`. The text takes effect on Enter, or with a completion that has a value; if it has a problem, the list
 * does not change. Backspace in the empty field removes the last chip, and ← turns it into text. Names that are not
 * loaded yet are searched for. `hasPayloads`: the rows are of messages, and other words are searched for in their
 * payloads.
 */
export function FilterField({ filters, hasPayloads }: { filters: readonly ListFilter[]; hasPayloads: boolean }) {
  const id = useId();
  const [search, change] = useAddress();
  const go = useGo();
  const client = useQueryClient();
  const ask = useNameQuestion();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  // Words without a filter name, which may be payload values.
  const [sought, setSought] = useState('');
  const set = filters.filter((filter) => search[filter.name] !== undefined && !isOfTime(filter));
  const address = JSON.stringify(filters.map(({ name }) => search[name] ?? ''));
  // The text that was submitted last, whose names may still be searched for. Another letter or another address discards
  // it.
  const sent = useRef<symbol>(undefined);
  useEffect(() => {
    sent.current = undefined;
  }, [address]);
  const being = isOpen ? valueBeingWritten(filters, text) : undefined;
  const kind = being !== undefined && hasMore(being.filter) ? being.filter.find : undefined;
  const [settledKind, ...settled] = useSettled(kind === undefined ? '' : `${kind} ${being?.wanted.trim()}`).split(' ');
  const found = useFoundNames(kind ?? 'channel', settled.join(' '), {
    known: being?.filter.options ?? [],
    isAsked: kind !== undefined && settledKind === kind,
  });
  const more = kind === undefined ? [] : found;
  const open = filters.filter((filter) => search[filter.name] === undefined || text.startsWith(`${filter.name}:`));
  // Filters with their own control, or set only by a link, are offered once the user starts to type their name.
  const offered = text === '' ? open.filter((filter) => !isOfTime(filter) && filter.isChip !== true) : open;
  const completions = isOpen ? completionsOf(offered, text, more).slice(0, SHOWN) : [];

  const free = isOpen && hasPayloads ? soughtIn(readQuery(filters, text).problems) : '';
  const offers: readonly FilterOffer[] = free === '' ? completions : [...completions, { sought: free }];
  const isShown = isOpen && offers.length > 0;
  const show = (next: string): void => {
    setText(next);
    setProblems([]);
    setSought('');
    sent.current = undefined;
  };
  const tell = ({ search: asked, problems: faults }: ReturnType<typeof readQuery>): void => {
    setProblems([...new Set(faults.map((fault) => problemText(fault, filters)))]);
    setSought(soughtIn(faults));
    if (faults.length > 0) return;
    setText('');
    // Only the edited text changes; the chips stay.
    const written = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
    if (Object.entries(written).some(([name, value]) => (search[name] ?? '') !== value)) change(written);
  };
  /** Names that only the service knows are searched for first. Other problems leave nothing to search for. */
  const send = (written: string): void => {
    if (written.trim() === '') return;
    const query = asName(filters, written);
    const turn = Symbol(query);
    sent.current = turn;
    const read = readQuery(withMore(filters, being?.filter, more), query);
    const unknown = read.problems.flatMap((fault) =>
      fault.kind === 'value' && fault.text !== '' && fault.filter.find !== undefined && mayHaveMore(fault.filter)
        ? [{ filter: fault.filter, question: ask(fault.filter.find, fault.text.trim()) }]
        : [],
    );
    if (unknown.length === 0 || unknown.length < read.problems.length) {
      tell(read);
      return;
    }
    Promise.all(unknown.map(({ question }) => client.fetchQuery(question))).then(
      (all) => {
        if (sent.current !== turn) return;
        const withAll = unknown.reduce((before, { filter }, at) => withMore(before, filter, all[at] ?? []), filters);
        tell(readQuery(withAll, query));
      },
      () => sent.current === turn && setProblems(["Couldn't load suggestions. Try again."]),
    );
  };
  const take = ({ start, insert, isWhole }: Completion): void => {
    const next = text.slice(0, start) + insert;
    show(next);
    setIsOpen(!isWhole);
    if (isWhole) send(next);
  };
  /** Turns a chip back into text for editing. */
  const edit = (filter: ListFilter): void => {
    show(writeQuery([filter], search));
    change({ [filter.name]: '' });
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const last = set.at(-1);
    const isAtStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0;
    if (event.key === 'Escape') {
      // Keep the key from closing anything else.
      if (isShown) event.stopPropagation();
      setIsOpen(false);
    } else if (event.key === 'Enter' && !(isShown && highlighted.current)) {
      // If no filter accepts the words, only a payload search is offered.
      if (free !== '' && completions.length === 0) go('/search', { q: free });
      else send(text);
      event.preventDefault();
    } else if (event.key === 'Backspace' && text === '' && last !== undefined) change({ [last.name]: '' });
    else if (event.key === 'ArrowLeft' && isAtStart && text === '' && last !== undefined) {
      edit(last);
      event.preventDefault();
    } else if (event.key === 'Tab' && isOpen && completions[0] !== undefined && text !== '' && !event.shiftKey) {
      take(completions[0]);
      event.preventDefault();
    }
  };
  const highlighted = useRef(false);
  return (
    <div className="relative min-w-60 flex-1 max-md:order-last max-md:basis-full">
      <Autocomplete.Root
        items={offers}
        filter={null}
        mode="none"
        // Rendered in the page and not as a popup, because a popup hides everything else from screen readers.
        inline
        open={isShown}
        value={text}
        onValueChange={(next, { reason }) => {
          // React only to typing. A selected item has its own handler, and the component clears the field itself, on
          // Escape and some frames after closing, when the next filter may be half typed.
          if (reason !== 'input-change') return;
          show(next);
          setIsOpen(true);
        }}
        itemToStringValue={(offer: FilterOffer) => ('sought' in offer ? text : offer.insert)}
        onItemHighlighted={(item) => (highlighted.current = item !== undefined)}
      >
        <div
          className={clsx(
            // One line next to a panel too, so that the list below does not move.
            'flex min-h-8.5 items-center gap-1.5 rounded-6 border max-md:flex-wrap md:overflow-x-auto md:[scrollbar-width:none] bg-surface py-1 pr-1.25 pl-2.25 focus-within:border-focus focus-within:ring-1 focus-within:ring-focus',
            problems.length > 0 ? 'border-failed' : 'border-line-input',
          )}
          // A press next to the text focuses the field.
          onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
        >
          <Icon of={ListFilterIcon} className="text-text-3" />
          <ul aria-label="Active filters" className="contents">
            {set.map((filter) => (
              <Chip key={filter.name} filter={filter} value={search[filter.name] ?? ''} onEdit={() => edit(filter)} />
            ))}
          </ul>
          <Autocomplete.Input
            ref={input}
            aria-label="Filter"
            aria-expanded={isShown}
            aria-invalid={problems.length > 0 || undefined}
            aria-describedby={`${id}-problems`}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            placeholder={set.length === 0 ? `Filter by ${placeholderOf(filters)}…` : 'Filter…'}
            onKeyDown={onKeyDown}
            onFocus={() => setIsOpen(true)}
            onClick={() => setIsOpen(true)}
            onBlur={() => {
              setIsOpen(false);
              if (text.trim() !== '' && !text.trim().endsWith(':')) send(text.trim());
            }}
            className={clsx(
              'h-6 w-16 min-w-16 grow bg-transparent outline-none',
              text !== '' && 'mono',
              problems.length > 0 && 'underline decoration-failed decoration-wavy underline-offset-2',
            )}
          />
          {set.length > 1 && (
            <button
              type="button"
              className="h-6 rounded-4 px-1.5 text-12 text-text-2 hover:bg-hover hover:text-text"
              onClick={() => change(Object.fromEntries(set.map(({ name }) => [name, ''])))}
            >
              Clear
            </button>
          )}
          <Kbd>F</Kbd>
        </div>
        {isShown && (
          <div
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            className="absolute top-full left-0 z-30 mt-1.5 max-h-95 w-72 max-w-full animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2"
          >
            {completions.length > 0 && (
              <p aria-hidden="true" className="px-2 pt-1.5 pb-0.75 text-11 font-medium text-text-3">
                {being === undefined ? 'Filter by' : being.filter.label}
              </p>
            )}
            <Autocomplete.List aria-label="Suggestions">
              {(offer: FilterOffer) =>
                'sought' in offer ? (
                  <Autocomplete.Item
                    key="sought"
                    value={offer}
                    onClick={() => go('/search', { q: offer.sought })}
                    className={OFFER}
                  >
                    <Icon of={Search} isSmall className="text-text-3" />
                    <span className="truncate">Search payloads for “{offer.sought}”</span>
                  </Autocomplete.Item>
                ) : (
                  <Autocomplete.Item key={offer.insert} value={offer} onClick={() => take(offer)} className={OFFER}>
                    <span className="grow truncate">{offer.hint}</span>
                    <span className="mono max-w-40 truncate text-text-3">
                      {offer.isWhole ? offer.insert.slice(offer.insert.indexOf(':') + 1) : offer.insert}
                    </span>
                  </Autocomplete.Item>
                )
              }
            </Autocomplete.List>
          </div>
        )}
      </Autocomplete.Root>
      <div id={`${id}-problems`} role="status">
        {problems.map((problem) => (
          <p key={problem} className="mt-1 text-12 text-failed">
            <span>{problem}</span>
            {sought !== '' && (
              <>
                {'. '}
                <HereLink to="/search" search={{ q: sought }} className="text-accent underline">
                  Search payloads for “{sought}”
                </HereLink>
              </>
            )}
          </p>
        ))}
      </div>
    </div>
  );
}

/** In lists with names, a text without a filter name is part of a name. */
function asName(filters: readonly ListFilter[], text: string): string {
  const ofNames = filters.find(({ name }) => name === 'name');
  const isBare = ofNames !== undefined && readQuery(filters, text).problems.every(({ kind }) => kind === 'word');
  return isBare && !text.includes(':') ? writeQuery([ofNames], { name: text.trim() }) : text;
}

const placeholderOf = (filters: readonly ListFilter[]): string =>
  filters
    .filter((filter) => !isOfTime(filter) && filter.isChip !== true)
    .slice(0, 3)
    .map(({ label }) => label.toLowerCase())
    .join(', ');

/** Kinds of things whose names are known by id. */
const isNamed = (kind: ListFilter['find']): kind is 'channel' | 'subscription' | 'workflow' =>
  kind === 'channel' || kind === 'subscription' || kind === 'workflow';

/** A filter that is set: its name, its value, which a press edits, and a button that removes it. */
function Chip({ filter, value, onEdit }: { filter: ListFilter; value: string; onEdit: () => void }) {
  const [, change] = useAddress();
  const choice = choiceText(filter, value);
  // The accessible name contains the visible text (WCAG 2.5.3).
  const kind = choice === value && isNamed(filter.find) ? filter.find : undefined;
  const name = useThingName({ kind: kind ?? 'channel', id: kind === undefined ? '' : value });
  const shown = kind === undefined ? choice : name;
  const chosen = severalOf(filter, value)?.map(([each]) => each) ?? [value];
  const several = filter.several ?? [];
  const options = filter.options ?? [];
  const isMenu = several.length > 0 || (options.length > 0 && options.length <= SHOWN && filter.accepts === undefined);
  const part = 'flex h-full items-center px-1.75 hover:bg-hover';
  const valueButton = (
    <button
      type="button"
      className={clsx(part, 'max-w-60 font-medium')}
      onClick={isMenu ? undefined : onEdit}
      aria-label={`Change filter: ${filter.label} is ${shown}`}
    >
      <span className="truncate">{shown}</span>
    </button>
  );
  const toggle = (each: string): void => {
    const next = chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each];
    change({
      [filter.name]: several
        .filter(([known]) => next.includes(known))
        .map(([known]) => known)
        .join(','),
    });
  };
  return (
    <li className="inline-flex h-6.5 max-w-full shrink-0 items-center overflow-hidden rounded-4 border border-line-strong bg-surface text-12">
      <span className="flex h-full items-center px-1.75 text-text-2">{filter.label}</span>
      <span className="flex h-full items-center border-l border-line px-1.75 text-text-3">is</span>
      <span className="flex h-full min-w-0 border-l border-line">
        {isMenu ? (
          <Menu
            align="start"
            trigger={valueButton}
            groups={[
              {
                title: filter.label,
                items: (several.length > 0 ? several : options).map(([each, label]) => ({
                  label,
                  isChecked: chosen.includes(each),
                  isOneOfMany: several.length > 0,
                  onSelect: () => (several.length > 0 ? toggle(each) : change({ [filter.name]: each })),
                })),
              },
            ]}
          />
        ) : (
          valueButton
        )}
      </span>
      <button
        type="button"
        className="flex h-full w-6 shrink-0 items-center justify-center border-l border-line text-text-3 hover:bg-hover hover:text-text"
        aria-label={`Remove filter: ${filter.label} is ${shown}`}
        onClick={() => change({ [filter.name]: '' })}
      >
        <X size={12} strokeWidth={2.25} aria-hidden="true" />
      </button>
    </li>
  );
}
