import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { FOUND_KINDS, type FoundKind, type ListFilter, type NamePair, type Search } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';

/** Page size of names for choices. If the page is full, there may be more. */
export const FULL = 100;
/** Delay before a search, because a request per letter would be too many. */
const PAUSE_MS = 250;
/** Longest search text that the service accepts. */
const MOST_LETTERS = 512;

/** Returns the text once nothing has been typed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/**
 * The query for the things of a kind whose name contains a text or whose id is the text. The result is also cached by
 * id, so that the name of a selected thing is known.
 */
export function useNameQuestion() {
  const client = useQueryClient();
  const { at, path } = useHere();
  return (kind: FoundKind, wanted: string) => ({
    queryKey: [path, 'find', kind, wanted],
    queryFn: async (): Promise<readonly NamePair[]> => {
      if (wanted.length > MOST_LETTERS) return [];
      const { data } = await api.search.find({ q: wanted, payloads: 'false' }, at);
      const isWanted = (of: string): boolean =>
        kind === 'thing' ? FOUND_KINDS.some((each) => each === of) : of === kind;
      const pairs = data.flatMap((hit): NamePair[] => (isWanted(hit.kind) ? [[hit.id, hit.summary]] : []));
      for (const pair of pairs) if (pair[0] !== wanted) client.setQueryData([path, 'find', kind, pair[0]], [pair]);
      return pairs;
    },
    staleTime: 30_000,
  });
}

/**
 * Returns things found by the text being typed, in addition to those already known. Results for the previous text stay
 * until the new ones arrive.
 */
export function useFoundNames(
  kind: FoundKind,
  wanted: string,
  { known, isAsked = true }: { known: readonly NamePair[]; isAsked?: boolean },
): readonly NamePair[] {
  const ask = useNameQuestion();
  const found = useQuery({
    ...ask(kind, wanted),
    enabled: isAsked && wanted !== '' && !known.some(([each, name]) => each === wanted || name === wanted),
    placeholderData: (before, query) => (query?.queryKey[2] === kind ? before : undefined),
  });
  return (found.data ?? []).filter(([each]) => !known.some(([other]) => other === each));
}

/** Whether a filter has more things to choose from than were loaded. */
export const hasMore = ({ find, isMore, options = [] }: ListFilter): boolean =>
  find !== undefined && (isMore === true || options.length >= FULL);

/** Returns the filters, with the names of those ids in the address that are not among the loaded things. */
export function useNamedFilters(filters: readonly ListFilter[], search: Search): readonly ListFilter[] {
  const ask = useNameQuestion();
  const unknown = filters.flatMap((filter) => {
    const value = search[filter.name] ?? '';
    const isKnown = value === '' || filter.options?.some(([each]) => each === value) === true;
    return filter.find === undefined || !hasMore(filter) || isKnown ? [] : [{ filter, kind: filter.find, value }];
  });
  const found = useQueries({ queries: unknown.map(({ kind, value }) => ask(kind, value)) });
  return filters.map((filter) => {
    const index = unknown.findIndex((each) => each.filter === filter);
    const pair = found[index]?.data?.find(([each]) => each === unknown[index]?.value);
    return pair === undefined ? filter : { ...filter, options: [...(filter.options ?? []), pair] };
  });
}
