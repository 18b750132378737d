import { useEffect, useState } from 'react';
import { type ListFilter, severalOf } from '../lib/list-filter.ts';
import { useAddress } from '../lib/search.ts';

/** Search parameters of any list, in addition to its filters. `q` is the search text. */
const KEPT: readonly string[] = ['open', 'tab', 'q'];

/** Whether the list supports the value of a filter. */
const isKnown = (filter: ListFilter, value: string): boolean => {
  const { options, accepts } = filter;
  if (accepts !== undefined) return accepts(value);
  return options === undefined || options.some(([each]) => each === value) || severalOf(filter, value) !== undefined;
};

type Others = {
  /** Parameters that belong to the panel of a row; without an open row they have no meaning. */
  ofPanel: readonly string[];
  /** Parameters of other tabs of the page, kept for when the user comes back to them. */
  ofTabs: readonly string[];
};

/**
 * Removes from the address what its list does not support: a link that was written manually, or is older than the page,
 * would only seem to filter. Returns the filters whose values were removed, as a text, until the filters are changed.
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
  // Texts, so that an equal result is the same value in the next render.
  const names = JSON.stringify(unknown.map(([name]) => name));
  // A value of another filter moves there unless that filter already has a value.
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
