import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { ListFilter, NamePair } from '../lib/list-filter.ts';
import { type Completion, completionsOf, readQuery, valueBeingWritten, writeQuery } from '../lib/query-text.ts';
import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { hasMore, useFoundNames, useNameQuestion, useSettled } from './use-found.ts';

/** More completions are no choice: another letter leaves fewer. */
const SHOWN = 12;

/** The filters, one of them with things that were found beside its options. */
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
 * All filters of a list as one text, `status:failed type:order.*`. The text says what the address says. Enter, a completion
 * with a value or leaving the field makes it take effect. With a fault in it nothing changes. Keys: ↓ and ↑ choose a completion, Esc
 * closes them. Things that are not among those that were read are searched for, also for a whole name that is sent.
 */
export function QueryField({ filters }: { filters: readonly ListFilter[] }) {
  const t = useTexts();
  const id = useId();
  const [search, change] = useAddress();
  const client = useQueryClient();
  const ask = useNameQuestion();
  const written = writeQuery(filters, search);
  const address = JSON.stringify(filters.map(({ name }) => search[name] ?? ''));
  const [given, setGiven] = useState({ written, address });
  const [text, setText] = useState(written);
  const [isOpen, setIsOpen] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  // By what it inserts: others come while it is chosen.
  const [chosen, setChosen] = useState<string>();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const active = useRef<HTMLLIElement>(null);
  useEffect(() => active.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  // The text that was sent last, whose names may still be searched for. Another letter or another address makes it none.
  const sent = useRef<symbol>(undefined);
  useEffect(() => {
    sent.current = undefined;
  }, [address]);
  const show = (next: string): void => {
    setText(next);
    setChosen(undefined);
    setProblems([]);
  };
  if (given.written !== written || given.address !== address) {
    setGiven({ written, address });
    // A name that is known only now changes no text that somebody is writing. Its writer goes on behind the blank.
    if (given.address !== address || text.trim() === given.written)
      show(hasFocus && written !== '' ? `${written} ` : written);
  }
  const being = isOpen ? valueBeingWritten(filters, text) : undefined;
  const kind = being !== undefined && hasMore(being.filter) ? being.filter.find : undefined;
  const [settledKind, ...settled] = useSettled(kind === undefined ? '' : `${kind} ${being?.wanted.trim()}`).split(' ');
  const found = useFoundNames(kind ?? 'channel', settled.join(' '), {
    known: being?.filter.options ?? [],
    isAsked: kind !== undefined && settledKind === kind,
  });
  const more = kind === undefined ? [] : found;
  const completions = isOpen ? completionsOf(filters, text, more).slice(0, SHOWN) : [];
  const index = completions.findIndex(({ insert }) => insert === chosen);
  const tell = ({ search: asked, problems: faults }: ReturnType<typeof readQuery>): void => {
    setProblems(faults.map((fault) => t.list.query[fault.kind](fault.part)));
    if (faults.length === 0 && Object.entries(asked).some(([name, value]) => (search[name] ?? '') !== value))
      change(asked);
  };
  /** Names that the service knows alone are searched for first: with all the other faults there is nothing to search for. */
  const send = (query: string): void => {
    setIsOpen(false);
    setChosen(undefined);
    const turn = Symbol(query);
    sent.current = turn;
    const read = readQuery(withMore(filters, being?.filter, more), query);
    const unknown = read.problems.flatMap((fault) =>
      fault.kind === 'value' && fault.text !== '' && fault.filter.find !== undefined && hasMore(fault.filter)
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
      () => sent.current === turn && setProblems([t.list.query.unasked]),
    );
  };
  const take = ({ start, insert, isWhole }: Completion): void => {
    const next = text.slice(0, start) + insert;
    show(next);
    setIsOpen(!isWhole);
    if (isWhole) send(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const completion = completions[index];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setIsOpen(true);
      const next = index + (event.key === 'ArrowDown' ? 1 : -1);
      setChosen(completions[Math.min(completions.length - 1, Math.max(-1, next))]?.insert);
    } else if (event.key === 'Enter') {
      if (completion === undefined) send(text);
      else take(completion);
    } else if (event.key === 'Escape' && completions.length > 0) {
      setIsOpen(false);
      setChosen(undefined);
      // The key closes nothing else.
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  const isExpanded = completions.length > 0;
  return (
    <div className="query">
      <input
        className="input mono"
        role="combobox"
        aria-label={t.list.query.label}
        aria-autocomplete="list"
        aria-expanded={isExpanded}
        aria-controls={isExpanded ? `${id}-all` : undefined}
        aria-activedescendant={isExpanded && index >= 0 ? `${id}-${index}` : undefined}
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-problems`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder={filters
          .slice(0, 3)
          .map(({ name }) => `${name}:…`)
          .join(' ')}
        value={text}
        onFocus={() => {
          setHasFocus(true);
          if (text === written && text !== '') setText(`${text} `);
          setIsOpen(true);
        }}
        onBlur={() => {
          setHasFocus(false);
          setText(text.trim());
          if (text.trim() !== written) send(text);
          else setIsOpen(false);
        }}
        onChange={(event) => {
          sent.current = undefined;
          show(event.target.value);
          setIsOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {isExpanded && (
        <ul id={`${id}-all`} role="listbox" aria-label={t.list.query.completions} className="completions">
          {completions.map((completion, place) => (
            // The field above has the keys.
            <li
              key={completion.insert}
              id={`${id}-${place}`}
              ref={place === index ? active : undefined}
              role="option"
              aria-selected={place === index}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(completion)}
            >
              <span className="mono">{completion.insert}</span> <span className="muted">{completion.hint}</span>
            </li>
          ))}
        </ul>
      )}
      <div id={`${id}-problems`} role="status">
        {problems.map((problem) => (
          <p key={problem} className="note">
            {problem}
          </p>
        ))}
      </div>
    </div>
  );
}
