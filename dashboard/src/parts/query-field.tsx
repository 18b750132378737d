import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { ListFilter } from '../lib/list-filter.ts';
import { type Completion, completionsOf, readQuery, writeQuery } from '../lib/query-text.ts';
import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';

/** More completions are no choice: another letter leaves fewer. */
const SHOWN = 12;

/**
 * All filters of a list as one text, `status:failed type:order.*`. The text says what the address says. Enter, a completion
 * with a value or leaving the field makes it take effect. With a fault in it nothing changes. Keys: ↓ and ↑ choose a completion, Esc
 * closes them.
 */
export function QueryField({ filters }: { filters: readonly ListFilter[] }) {
  const t = useTexts();
  const id = useId();
  const [search, change] = useAddress();
  const written = writeQuery(filters, search);
  const [given, setGiven] = useState(written);
  const [text, setText] = useState(written);
  const [isOpen, setIsOpen] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const active = useRef<HTMLLIElement>(null);
  useEffect(() => active.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const show = (next: string): void => {
    setText(next);
    setChosen(-1);
    setProblems([]);
  };
  if (given !== written) {
    setGiven(written);
    // Its writer goes on behind the blank.
    show(hasFocus && written !== '' ? `${written} ` : written);
  }
  const completions = isOpen ? completionsOf(filters, text).slice(0, SHOWN) : [];
  const send = (query: string): void => {
    const { search: asked, problems: found } = readQuery(filters, query);
    setProblems(found.map(({ kind, part }) => t.list.query[kind](part)));
    setIsOpen(false);
    setChosen(-1);
    if (found.length === 0 && Object.entries(asked).some(([name, value]) => (search[name] ?? '') !== value))
      change(asked);
  };
  const take = ({ start, insert, isWhole }: Completion): void => {
    const next = text.slice(0, start) + insert;
    show(next);
    setIsOpen(!isWhole);
    if (isWhole) send(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const completion = completions[chosen];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setIsOpen(true);
      const next = chosen + (event.key === 'ArrowDown' ? 1 : -1);
      setChosen(Math.min(completions.length - 1, Math.max(-1, next)));
    } else if (event.key === 'Enter') {
      if (completion === undefined) send(text);
      else take(completion);
    } else if (event.key === 'Escape' && completions.length > 0) {
      setIsOpen(false);
      setChosen(-1);
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
        aria-activedescendant={isExpanded && chosen >= 0 ? `${id}-${chosen}` : undefined}
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
          show(event.target.value);
          setIsOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {isExpanded && (
        <ul id={`${id}-all`} role="listbox" aria-label={t.list.query.completions} className="completions">
          {completions.map((completion, index) => (
            // The field above has the keys.
            <li
              key={completion.insert}
              id={`${id}-${index}`}
              ref={index === chosen ? active : undefined}
              role="option"
              aria-selected={index === chosen}
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
