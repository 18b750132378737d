import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { Page } from '../api/client.ts';
import { type ChangeKind, useChanges } from './changes.tsx';

type Source<T> = {
  /** Identifies the list with all of its filters. */
  key: readonly unknown[];
  fetch: (cursor: string | undefined) => Promise<Page<T>>;
  idOf: (row: T) => string;
  isPaused: boolean;
  /** Index of the first visible row. */
  inView: number;
  /** Kinds of things that the rows show; a change of one is a reason to poll. */
  kinds: readonly ChangeKind[];
};

const EVERY_MS = 3_000;
/** The stream reports all changes, also those of rows that are not among the newest. */
const TOLD_EVERY_MS = 30_000;

/**
 * Loads a list page by page, newest first, and polls it when a change is reported, otherwise every 3 seconds. Visible
 * rows are updated in place. New rows wait until `showNew`, so that nothing moves while the user reads; in an empty
 * list they appear at once. A hidden tab does not poll.
 */
export function useLiveList<T>({ key, fetch, idOf, isPaused, inView, kinds }: Source<T>) {
  const client = useQueryClient();
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => fetch(pageParam),
    // The list shows its own failures.
    meta: { failure: 'own' },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
  });
  const isTold = useChanges(kinds, () => {
    if (isPaused || !list.isSuccess) return;
    void head.refetch();
    if (viewed > 0) void further.refetch();
  });
  const head = useQuery({
    queryKey: [...key, 'head'],
    queryFn: () => fetch(undefined),
    meta: { failure: 'own' },
    enabled: list.isSuccess && !isPaused,
    refetchInterval: isPaused ? false : isTold ? TOLD_EVERY_MS : EVERY_MS,
    retry: false,
  });
  const viewed = pageAt(list.data?.pages ?? [], inView);
  const cursor = list.data?.pages[viewed - 1]?.pagination.cursor;
  const further = useQuery({
    queryKey: [...key, 'viewed', viewed, cursor],
    queryFn: async () => {
      const { data } = await fetch(cursor);
      const newer = new Map(data.map((row) => [idOf(row), row]));
      client.setQueryData<InfiniteData<Page<T>>>(
        key,
        (before) =>
          before && {
            ...before,
            pages: before.pages.map((page, place) =>
              place === viewed ? { ...page, data: page.data.map((row) => newer.get(idOf(row)) ?? row) } : page,
            ),
          },
        // The first page was not polled, so the age of the list stays the same.
        { updatedAt: list.dataUpdatedAt },
      );
      return data.length;
    },
    meta: { failure: 'own' },
    // The list has just loaded that page; a new request is needed only later.
    initialData: 0,
    staleTime: Infinity,
    // Each page that has been visible has a query, and its functions hold the rows of that time.
    gcTime: 0,
    enabled: list.isSuccess && viewed > 0 && !isPaused,
    refetchInterval: isPaused ? false : isTold ? TOLD_EVERY_MS : EVERY_MS,
    retry: false,
  });
  // A poll that is older than the list does not count.
  const look = head.dataUpdatedAt >= list.dataUpdatedAt ? head.data : undefined;
  const read = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const { rows, fresh, gone, hasFirst } = useMemo(() => lookedAt(read, look, idOf), [read, look, idOf]);
  const showNew = useCallback(() => {
    if (look !== undefined) client.setQueryData(key, { pages: [look], pageParams: [undefined] });
  }, [client, key, look]);
  useEffect(() => {
    if (hasFirst) showNew();
  }, [hasFirst, showNew]);
  return {
    rows,
    /** Visible rows that no longer match. They stay until the list is reloaded. */
    gone,
    /** How many new rows wait. If there are more than one page, the size of the first page. */
    fresh,
    showNew,
    isFirst: list.isPending,
    error: list.error ?? head.error,
    hasMore: list.hasNextPage,
    /** The last page had no rows although there are more pages: rows are checked one by one, and few match. */
    isSearching: list.hasNextPage && list.data?.pages.at(-1)?.data.length === 0,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
    retry: () => void (list.isError ? list.refetch() : head.refetch()),
  };
}

/** Returns the index of the page that contains a row. */
function pageAt<T>(pages: readonly Page<T>[], row: number): number {
  let before = 0;
  const at = pages.findIndex(({ data }) => {
    before += data.length;
    return before > row;
  });
  return Math.max(0, at);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the loaded rows, updated by a later poll of the first page. Only rows that the poll covers are processed,
 * because a list may have 100,000.
 */
function lookedAt<T>(read: readonly T[], look: Page<T> | undefined, idOf: (row: T) => string) {
  if (look === undefined) return { rows: read, gone: NONE, fresh: 0, hasFirst: false };
  const latest = look.data;
  const places = new Map(latest.map((row, place) => [idOf(row), place]));
  const last = latest.at(-1);
  // The first page covers the rows down to its last one, or all rows if it is the only page.
  const lastCovered = last === undefined ? -1 : read.findIndex((row) => idOf(row) === idOf(last));
  const covered = look.pagination.hasMore ? lastCovered : read.length - 1;
  const rows = [...read];
  const gone = new Set<string>();
  // Only rows ahead of the first known one are new. An unknown row after it is older and is there because of a filter.
  let firstKnown: number | undefined;
  let found = 0;
  const isWanted = (at: number): boolean =>
    at <= covered || found === 0 || (look.pagination.hasMore && lastCovered === -1 && found < places.size);
  for (let at = 0; at < read.length && isWanted(at); at += 1) {
    const row = read[at];
    if (row === undefined) break;
    const place = places.get(idOf(row));
    const newer = place === undefined ? undefined : latest[place];
    if (place !== undefined) firstKnown ??= place;
    if (newer !== undefined) {
      rows[at] = newer;
      found += 1;
    } else if (at < covered || !look.pagination.hasMore) gone.add(idOf(row));
  }
  const isOther = firstKnown === undefined && read.length > 0 && latest.length > 0;
  return {
    rows,
    gone,
    fresh: isOther ? latest.length : (firstKnown ?? 0),
    hasFirst: read.length === 0 && latest.length > 0,
  };
}
