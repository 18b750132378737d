import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { type AnyReplay, isOver, kindOf, ofDeadLetters, ofDeliveries, ofMessages } from './any-replay.ts';

/** Queued deliveries may be attempted for hours. */
const IN_PROGRESS_MS = 3_000;

/**
 * Returns a replay of any kind, polled every second until it has ended, and less often until nothing of it is in
 * progress.
 */
export function useReplay(id: string): UseQueryResult<AnyReplay> {
  const { at, path } = useHere();
  const kind = kindOf(id);
  const found = useQuery({
    queryKey: [path, 'replay', id],
    queryFn: async () =>
      kind === 'deliveries'
        ? ofDeliveries(await api.deliveries.getBulkRetry(id, at))
        : kind === 'messages'
          ? ofMessages(await api.replays.get(id, at))
          : ofDeadLetters(await api.deadLetters.getBulkReplay(id, at)),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || !isOver(data) ? 1_000 : data.outcome.underWay > 0 && IN_PROGRESS_MS,
  });
  const refresh = useRefresh();
  const hasEnded = found.data !== undefined && isOver(found.data);
  // The list and the navigation's count poll less often, and would still show it in progress after it has ended.
  useEffect(() => {
    if (hasEnded) void refresh();
  }, [hasEnded, refresh]);
  return found;
}

/** Cancels a replay. What it has queued stays queued. */
export function useCancelReplay(): (id: string) => Promise<void> {
  const { at } = useHere();
  const refresh = useRefresh();
  return async (id) => {
    const kind = kindOf(id);
    await (kind === 'deliveries'
      ? api.deliveries.cancelBulkRetry(id, at)
      : kind === 'messages'
        ? api.replays.cancel(id, at)
        : api.deadLetters.cancelBulkReplay(id, at));
    await refresh();
  };
}
