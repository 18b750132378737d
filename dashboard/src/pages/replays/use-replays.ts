import { useCallback, useRef } from 'react';
import { api, type Page } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import {
  type AnyReplay,
  REPLAY_LISTS,
  ofDeadLetters,
  ofDeliveries,
  ofMessages,
  type AnyReplayKind,
  type AnyReplayStatus,
} from './any-replay.ts';

type Filter = {
  kind: AnyReplayKind | undefined;
  status: AnyReplayStatus | undefined;
  subscriptionId: string | undefined;
};
/**
 * What is left of each kind after a page: rows that were loaded and not shown yet, and the cursor of those after them.
 */
type Rest = { readonly [kind in AnyReplayKind]?: { rows: readonly AnyReplay[]; cursor: string | undefined } };

const LIMIT = 100;

/**
 * Loads the replays of all kinds as one list, newest first. The API has a list for each kind: their pages are merged
 * here as far as the order is certain, and the rest is kept for the cursor of the merged page.
 */
export function useReplays({ kind, status, subscriptionId }: Filter): (cursor?: string) => Promise<Page<AnyReplay>> {
  const { at } = useHere();
  const rests = useRef(new Map<string, Rest>());
  return useCallback(
    async (cursor) => {
      const before = cursor === undefined ? undefined : rests.current.get(cursor);
      const wanted = kind === undefined ? REPLAY_LISTS : [kind];
      const isWanted = (row: AnyReplay): boolean =>
        subscriptionId === undefined || row.subscriptionId === subscriptionId;
      const read = async (of: AnyReplayKind, from: string | undefined): Promise<Page<AnyReplay>> => {
        const query = { status, limit: LIMIT, cursor: from };
        if (of === 'messages')
          return mapped(await api.replays.list({ ...query, subscriptionId }, at).page(), ofMessages);
        return of === 'deliveries'
          ? mapped(await api.deliveries.listBulkRetries(query, at).page(), ofDeliveries)
          : mapped(await api.deadLetters.listBulkReplays(query, at).page(), ofDeadLetters);
      };
      const heads = await Promise.all(
        wanted.map(async (each) => {
          const rest = before?.[each];
          // Finished, or enough of it is left.
          if (before !== undefined && (rest === undefined || rest.rows.length > 0))
            return { kind: each, rows: rest?.rows ?? [], cursor: rest?.cursor };
          const { data, pagination } = await read(each, rest?.cursor);
          return { kind: each, rows: data.filter(isWanted), cursor: pagination.cursor };
        }),
      );
      // If a kind has more pages, its rows are known only down to its last one: older ones may come later.
      const known = heads.flatMap(({ rows, cursor: next }) =>
        next === undefined ? [] : [rows.at(-1)?.createdAt ?? new Date().toISOString()],
      );
      const end = known.toSorted().at(-1);
      const isSure = (row: AnyReplay): boolean => end === undefined || row.createdAt >= end;
      const data = heads
        .flatMap(({ rows }) => rows.filter(isSure))
        .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
      const rest: Rest = Object.fromEntries(
        heads.flatMap((head) => {
          const rows = head.rows.filter((row) => !isSure(row));
          return rows.length === 0 && head.cursor === undefined ? [] : [[head.kind, { rows, cursor: head.cursor }]];
        }),
      );
      if (Object.keys(rest).length === 0) return { data, pagination: { hasMore: false } };
      const name = JSON.stringify(
        Object.entries(rest).map(([each, { rows, cursor: next }]) => [each, next, rows[0]?.id]),
      );
      rests.current.set(name, rest);
      return { data, pagination: { hasMore: true, cursor: name } };
    },
    [at, kind, status, subscriptionId],
  );
}

const mapped = <T>(page: Page<T>, of: (row: T) => AnyReplay): Page<AnyReplay> => ({
  data: page.data.map(of),
  pagination: page.pagination,
});
