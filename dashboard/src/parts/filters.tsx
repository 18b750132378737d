import { useId, useRef, useState } from 'react';
import { useFold } from '../lib/fold.ts';
import { useKeys } from '../lib/keys.ts';
import { BETWEEN, choiceText, type ListFilter, searchOf } from '../lib/list-filter.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { FoldButton } from './fold.tsx';
import { FoundChoice } from './found-choice.tsx';
import { useKnownSearch } from './known-search.ts';
import { QueryField } from './query-field.tsx';
import { lastDay, TimeRange } from './time-range.tsx';
import { hasMore, useNamedFilters } from './use-found.ts';

export const SINCE = ['15m', '1h', '24h', '7d', '30d'] as const;

type Given = {
  filters: readonly ListFilter[];
  /** False beside a field that searches. */
  hasQuery?: boolean;
  /** Whether charts stand below, which can be folded away. */
  hasCharts?: boolean;
  /** Parts of the address that belong to the panel of a row. */
  ofPanel?: readonly string[];
  /** Parts of the address that belong to another tab of the page. */
  ofTabs?: readonly string[];
};

const NONE: readonly string[] = [];

/** The filters of a list: a query, a chip for each that is set, and a field for each. All of them say what the address says. */
export function Filters({ filters: given, hasQuery = true, hasCharts = false, ofPanel = NONE, ofTabs = NONE }: Given) {
  const t = useTexts();
  const [search, change] = useAddress();
  const taken = useKnownSearch(given, { ofPanel, ofTabs });
  const filters = useNamedFilters(given, search);
  const box = useRef<HTMLDivElement>(null);
  const [isUnfolded] = useFold('fields');
  // Without a query the fields are all there is.
  const hasFields = isUnfolded || !hasQuery;
  const failing = filters.find(({ failure }) => failure !== undefined);
  const isFailing = failing !== undefined && search[failing.name] === failing.failure;
  const switchFailing = (): void => failing && change({ [failing.name]: isFailing ? '' : (failing.failure ?? '') });
  useKeys({
    f: () => box.current?.querySelector<HTMLElement>('input, select')?.focus(),
    ...(failing !== undefined && { e: switchFailing }),
  });
  const hasAny = filters.some(({ name }) => search[name] !== undefined);
  // A time that goes on is another one for whoever gets the address.
  const isRelative =
    search['until'] === undefined &&
    filters.some(({ name }) => name === 'since') &&
    /^\d+[mhd]$/.test(search['since'] ?? '');
  return (
    <div ref={box} className="filters" role="search" aria-label={t.list.filters}>
      {hasQuery && (
        <>
          <QueryField filters={filters} />
          <Chips filters={filters} />
        </>
      )}
      {filters.map((filter) =>
        filter.isPart === true ? null : filter.isChip === true ? (
          search[filter.name] !== undefined && (
            <button
              key={filter.name}
              type="button"
              className="button choice"
              aria-pressed="true"
              aria-label={t.list.without(filter.label, search[filter.name] ?? '')}
              onClick={() => change({ [filter.name]: '' })}
            >
              {filter.label}: <span className="mono">{search[filter.name]}</span> ×
            </button>
          )
        ) : !hasFields ? null : filter.find !== undefined && hasMore(filter) ? (
          <FoundChoice
            key={filter.name}
            kind={filter.find}
            label={filter.label}
            known={filter.options ?? []}
            value={search[filter.name] ?? ''}
            onChange={(value) => change({ [filter.name]: value })}
          />
        ) : filter.options === undefined ? (
          <TextFilter
            key={filter.name}
            {...filter}
            value={search[filter.name] ?? ''}
            onChange={(value) => change(searchOf(filter, value))}
          />
        ) : (
          <label key={filter.name}>
            {filter.label}
            <select
              className="input"
              value={filter.shown ?? search[filter.name] ?? ''}
              onChange={({ target: { value } }) =>
                change(value === BETWEEN ? lastDay() : { [filter.name]: value, ...(filter.shown && { until: '' }) })
              }
            >
              <option value="">{filter.unset ?? t.list.any}</option>
              {optionsOf(filter, search[filter.name]).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ),
      )}
      {failing !== undefined && (
        <button type="button" className="button choice" aria-pressed={isFailing} onClick={switchFailing}>
          {t.list.failuresOnly}
        </button>
      )}
      {hasFields && filters.some(({ shown }) => shown === BETWEEN) && <TimeRange />}
      {isRelative && (
        <button
          type="button"
          className="button plain"
          title={t.list.freezeWhy}
          onClick={() => change({ since: sinceOf(search['since']) ?? '' })}
        >
          {t.list.freeze}
        </button>
      )}
      {hasAny && (
        <button
          type="button"
          className="button plain"
          onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, ''])))}
        >
          {t.list.clear}
        </button>
      )}
      {hasQuery && <FoldButton of="fields" />}
      {hasCharts && <FoldButton of="charts" />}
      {taken !== undefined && (
        <p className="note" role="status">
          {t.list.taken(taken)}
        </p>
      )}
    </div>
  );
}

/** One for each filter that is set, which takes it away. Filters without a field have theirs beside the fields. */
function Chips({ filters }: { filters: readonly ListFilter[] }) {
  const t = useTexts();
  const [search, change] = useAddress();
  const set = filters.filter(({ name, isChip }) => isChip !== true && search[name] !== undefined);
  if (set.length === 0) return null;
  return (
    <div className="filters chips" role="group" aria-label={t.list.query.chips}>
      {set.map((filter) => {
        const { name, label: ofField, shown: choice } = filter;
        const label = name === 'since' && choice === BETWEEN ? t.list.from : ofField;
        const shown = choiceText(filter, search[name] ?? '');
        return (
          <button
            key={name}
            type="button"
            className="button choice"
            title={t.list.without(label, shown)}
            onClick={() => change({ [name]: '' })}
          >
            {label}: {shown} ×
          </button>
        );
      })}
    </div>
  );
}

/** A value of the address that is none of the choices, such as an older channel or several, is one: else the list would seem unfiltered. */
const optionsOf = (filter: ListFilter, value: string | undefined): NonNullable<ListFilter['options']> => {
  const { options = [] } = filter;
  return value === undefined || options.some(([each]) => each === value)
    ? options
    : [...options, [value, choiceText(filter, value)]];
};

/** Takes effect when its writer is done: every letter would be another list. */
function TextFilter({
  label,
  value,
  onChange,
  width = 180,
}: ListFilter & { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  if (given !== value) {
    setGiven(value);
    setText(value);
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <label htmlFor={id}>
        {label}
        <input
          id={id}
          className="input text-filter"
          style={{ '--width': `${width}px` } as object}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => text.trim() !== value && onChange(text.trim())}
        />
      </label>
    </form>
  );
}
