import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { Page } from '../api/client.ts';
import { type ChangeKind, useChanges } from './changes.tsx';

type Source<T> = {
  /** Names the list with all of its filters. */
  key: readonly unknown[];
  fetch: (cursor: string | undefined) => Promise<Page<T>>;
  idOf: (row: T) => string;
  isPaused: boolean;
  /** Kinds of things that its rows tell of: a change of one is a reason to ask. */
  kinds: readonly ChangeKind[];
};

const EVERY_MS = 3_000;
/** Changes are told, of rows that are not among the newest as well as of others. */
const TOLD_EVERY_MS = 30_000;

/**
 * A list that is read page by page, newest first, and looked at again when a change is told, else every 3 seconds. Rows that are shown change in place. New ones wait
 * until `showNew`, so that nothing moves under the reader, and come at once to a list without rows. A hidden tab asks for nothing.
 */
export function useLiveList<T>({ key, fetch, idOf, isPaused, kinds }: Source<T>) {
  const client = useQueryClient();
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => fetch(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
  });
  const isTold = useChanges(kinds, () => {
    if (!isPaused && list.isSuccess) void head.refetch();
  });
  const head = useQuery({
    queryKey: [...key, 'head'],
    queryFn: () => fetch(undefined),
    enabled: list.isSuccess && !isPaused,
    refetchInterval: isPaused ? false : isTold ? TOLD_EVERY_MS : EVERY_MS,
    retry: false,
  });
  // A look that is older than the list knows nothing of it.
  const look = head.dataUpdatedAt >= list.dataUpdatedAt ? head.data : undefined;
  const { rows, fresh, gone, hasFirst } = useMemo(() => {
    const read = list.data?.pages.flatMap(({ data }) => data) ?? [];
    const latest = look?.data ?? [];
    const byId = new Map(latest.map((row) => [idOf(row), row]));
    const known = new Set(read.map(idOf));
    const shown = read.map((row) => byId.get(idOf(row)) ?? row);
    // Rows behind the last one that is known were pushed out of the first page by nothing but a filter: only those before are new.
    const firstKnown = latest.findIndex((row) => known.has(idOf(row)));
    const isOther = firstKnown === -1 && read.length > 0 && latest.length > 0;
    // The first page covers the rows down to its last one, and all of them where it is the only one.
    const covered =
      look?.pagination.hasMore === true ? read.findIndex((row) => idOf(row) === idOf(latest.at(-1) ?? row)) : Infinity;
    const left = look === undefined ? [] : read.filter((row, at) => at < covered && !byId.has(idOf(row)));
    return {
      rows: shown,
      gone: new Set(left.map(idOf)),
      fresh: isOther ? latest.length : Math.max(0, firstKnown),
      hasFirst: read.length === 0 && latest.length > 0,
    };
  }, [list.data, look, idOf]);
  const showNew = useCallback(() => {
    if (look !== undefined) client.setQueryData(key, { pages: [look], pageParams: [undefined] });
  }, [client, key, look]);
  useEffect(() => {
    if (hasFirst) showNew();
  }, [hasFirst, showNew]);
  return {
    rows,
    /** Rows that are shown and match no more: they stay until the list is read anew. */
    gone,
    /** How many new rows wait; the whole first page where there are more than that. */
    fresh,
    showNew,
    isFirst: list.isPending,
    error: list.error ?? head.error,
    hasMore: list.hasNextPage,
    /** The last page had no row, although there are more pages: rows are looked at one by one, and few match. */
    isSearching: list.hasNextPage && list.data?.pages.at(-1)?.data.length === 0,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
    retry: () => void (list.isError ? list.refetch() : head.refetch()),
  };
}
