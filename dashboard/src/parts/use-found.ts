import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { FOUND_KINDS, type FoundKind, type ListFilter, type NamePair, type Search } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';

/** A page of names is read for choices: with so many there may be more. */
export const FULL = 100;
/** A question for each letter would be many for one word. */
const PAUSE_MS = 250;
/** The service takes no longer text to search for. */
const MOST_LETTERS = 512;

/** The text itself, once nobody has written for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/**
 * The question for the things of a kind with a text in their name, or with it as their id. The answer is kept for the id of each as well:
 * once one is chosen, its name is known.
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

/** Things that were found beside those that are known, by a text that is being written. Names of the text before stay until then. */
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

/** Whether a filter has more things to choose from than were read. */
export const hasMore = ({ find, isMore, options = [] }: ListFilter): boolean =>
  find !== undefined && (isMore === true || options.length >= FULL);

/** The filters, with the names of those ids in the address that are not among the things that were read. */
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
