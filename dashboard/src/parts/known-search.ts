import { useEffect, useState } from 'react';
import { type ListFilter, severalOf } from '../lib/list-filter.ts';
import { useAddress } from '../lib/search.ts';

/** Parts of the address of any list, beside its filters. `q` is the question of the search. */
const KEPT: readonly string[] = ['open', 'tab', 'q'];

/** Whether the list can do something with the value of a filter. */
const isKnown = (filter: ListFilter, value: string): boolean => {
  const { options, accepts } = filter;
  if (accepts !== undefined) return accepts(value);
  return options === undefined || options.some(([each]) => each === value) || severalOf(filter, value) !== undefined;
};

type Others = {
  /** Parts that the panel of a row writes: without a row that is open they mean nothing. */
  ofPanel: readonly string[];
  /** Parts that other tabs of the page write: they are there when their reader comes back. */
  ofTabs: readonly string[];
};

/**
 * Takes out of the address what its list does not know: a link that was written by hand, or is older than the page, would seem to filter.
 * Gives the filters whose values were taken, as a text, until the filters are changed.
 */
export function useKnownSearch(filters: readonly ListFilter[], { ofPanel, ofTabs }: Others): string | undefined {
  const [search, change] = useAddress();
  const [taken, setTaken] = useState<{ texts: string; beside: string }>();
  const filterOf = (name: string): ListFilter | undefined => filters.find((each) => each.name === name);
  const unknown = Object.entries(search).filter(([name, value]) => {
    const filter = filterOf(name);
    if (filter !== undefined) return !isKnown(filter, value);
    return !KEPT.includes(name) && !ofTabs.includes(name) && (search['open'] === undefined || !ofPanel.includes(name));
  });
  // Texts, so that the same finding is no other one when the page is drawn anew.
  const names = JSON.stringify(unknown.map(([name]) => name));
  // A value of another filter goes there, unless that one has a value already.
  const moved = Object.fromEntries(
    unknown.flatMap(([name, value]) => {
      const other = filterOf(name)?.instead?.(value);
      return other === undefined || search[other.name] !== undefined ? [] : [[name, other] as const];
    }),
  );
  const others = JSON.stringify(Object.fromEntries(Object.values(moved).map(({ name, value }) => [name, value])));
  const texts = unknown
    .flatMap(([name, value]) => (value === '' || name in moved ? [] : [[filterOf(name)?.label, value] as const]))
    .flatMap(([label, value]) => (label === undefined ? [] : [`${label} ${value}`]))
    .join(', ');
  const left = Object.entries(search).filter(([name]) => filterOf(name) !== undefined && !names.includes(`"${name}"`));
  const beside = JSON.stringify(left.toSorted(([a], [b]) => a.localeCompare(b)));
  useEffect(() => {
    // `as`: written above.
    const found = JSON.parse(names) as string[];
    if (found.length === 0) return;
    setTaken({ texts, beside });
    const gone = Object.fromEntries(found.map((name) => [name, '']));
    change({ ...gone, ...(JSON.parse(others) as Record<string, string>) }, { replace: true });
  }, [names, others, texts, beside, change]);
  return taken?.beside === beside && taken.texts !== '' ? taken.texts : undefined;
}
