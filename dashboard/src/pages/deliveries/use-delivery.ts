import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, type Attempt } from '../../api/client.ts';
import { useRefresh, useWatch } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { useOneAtATime } from '../../parts/one-at-a-time.ts';

/** Returns a delivery with its subscription and its attempts, newest first, and polls while it is unfinished. */
export function useDelivery(id: string) {
  const { at, path } = useHere();
  const watch = useWatch();
  const delivery = useQuery({
    queryKey: [path, 'delivery', id],
    queryFn: () => api.deliveries.get(id, at),
    // Equal responses are the same object (structural sharing).
    refetchInterval: ({ state: { data } }) =>
      watch({
        seen: data,
        isOver: data?.status === 'delivered' || data?.status === 'failed',
        dueAt: data?.nextRetryAt,
      }),
  });
  const made = delivery.data?.attempts ?? 0;
  const attempts = useInfiniteQuery({
    queryKey: [path, 'attempts', id, made],
    queryFn: ({ pageParam }) => api.deliveries.listAttempts(id, { limit: 100, cursor: pageParam }, at).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    enabled: delivery.isSuccess,
    placeholderData: (before) => before,
  });
  const subscriptionId = delivery.data?.subscriptionId;
  const subscription = useQuery({
    queryKey: [path, 'subscription', subscriptionId],
    queryFn: () => api.subscriptions.get(subscriptionId ?? '', at),
    enabled: subscriptionId !== undefined,
    // A deleted subscription is not a failure of this page.
    meta: { failure: 'own' },
    retry: false,
  });
  const all: readonly Attempt[] = attempts.data?.pages.flatMap(({ data }) => data) ?? [];
  return { delivery, attempts, all, subscription: subscription.data };
}

/** Retries a delivery once, however often its key is pressed. */
export function useRetry(id: string): { retry: () => Promise<void>; retryNow: () => void } {
  const { at } = useHere();
  const { act } = useActs();
  const { run } = useOneAtATime();
  const refresh = useRefresh();
  const retry = async (): Promise<void> => {
    await api.deliveries.retry(id, at);
    await refresh();
  };
  return { retry, retryNow: () => run(() => act(retry, { told: 'Retry queued' })) };
}
