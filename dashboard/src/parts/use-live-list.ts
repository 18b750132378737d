import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { Page } from '../api/client.ts';
import { type ChangeKind, useChanges } from './changes.tsx';

type Source<T> = {
  /** Names the list with all of its filters. */
  key: readonly unknown[];
  fetch: (cursor: string | undefined) => Promise<Page<T>>;
  idOf: (row: T) => string;
  isPaused: boolean;
  /** Number of the first row in view. */
  inView: number;
  /** Kinds of things that its rows tell of: a change of one is a reason to ask. */
  kinds: readonly ChangeKind[];
};

const EVERY_MS = 3_000;
/** Changes are told, of rows that are not among the newest as well as of others. */
const TOLD_EVERY_MS = 30_000;

/**
 * A list that is read page by page, newest first, and looked at again when a change is told, else every 3 seconds. Rows that are shown
 * change in place. New ones wait until `showNew`, so that nothing moves under the reader, and come at once to a list without rows. A
 * hidden tab asks for nothing.
 */
export function useLiveList<T>({ key, fetch, idOf, isPaused, inView, kinds }: Source<T>) {
  const client = useQueryClient();
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => fetch(pageParam),
    // The list shows its failures itself.
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
        // The first page was not looked at: the age of the list stays.
        { updatedAt: list.dataUpdatedAt },
      );
      return data.length;
    },
    meta: { failure: 'own' },
    // The list has just read that page: only later looks are worth a request.
    initialData: 0,
    staleTime: Infinity,
    // Each page that was in view has a query, whose functions hold the rows of its time.
    gcTime: 0,
    enabled: list.isSuccess && viewed > 0 && !isPaused,
    refetchInterval: isPaused ? false : isTold ? TOLD_EVERY_MS : EVERY_MS,
    retry: false,
  });
  // A look that is older than the list knows nothing of it.
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

/** Number of the page that has a row. */
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
 * The rows that were read, as a later look at the first page shows them. Only rows that the look covers are gone through: a list may have
 * 100,000.
 */
function lookedAt<T>(read: readonly T[], look: Page<T> | undefined, idOf: (row: T) => string) {
  if (look === undefined) return { rows: read, gone: NONE, fresh: 0, hasFirst: false };
  const latest = look.data;
  const places = new Map(latest.map((row, place) => [idOf(row), place]));
  const last = latest.at(-1);
  // The first page covers the rows down to its last one, and all of them where it is the only one.
  const lastCovered = last === undefined ? -1 : read.findIndex((row) => idOf(row) === idOf(last));
  const covered = look.pagination.hasMore ? lastCovered : read.length - 1;
  const rows = [...read];
  const gone = new Set<string>();
  // Rows behind the last one that is known were pushed out of the first page by nothing but a filter: only those before are new.
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
