import { useQuery } from '@tanstack/react-query';
import { api, type Delivery, type Subscription } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';

/** How many of its newest deliveries are loaded. */
const RECENT = 8;

/** Returns one subscription, kept up to date. */
export function useSubscription(id: string) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'subscription', id],
    queryFn: () => api.subscriptions.get(id, at),
    refetchInterval: 5_000,
  });
}

/** Returns the newest deliveries of a subscription. */
export function useRecentDeliveries(id: string) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'recent-deliveries', id],
    queryFn: async (): Promise<readonly Delivery[]> =>
      (await api.deliveries.list({ subscriptionId: id, responseBodies: 'false', limit: RECENT }, at).page()).data,
    refetchInterval: 5_000,
  });
}

/** Returns the response to the last failed delivery of a subscription, with its body. */
export function useLastFailure(id: string, isWanted: boolean): Delivery | undefined {
  const { at, path } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'last-failure', id],
    queryFn: async () =>
      (await api.deliveries.list({ subscriptionId: id, status: ['failed', 'retrying'], limit: 1 }, at).page())
        .data[0] ?? null,
    enabled: isWanted,
    refetchInterval: 30_000,
    meta: { failure: 'own' },
  });
  return data ?? undefined;
}

/** Returns how many dead letters of a subscription are open. Undefined until it is known. */
export function useOpenLetters(id: string): { count: number; isMore: boolean } | undefined {
  const { at, path } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'open-letters', id],
    queryFn: () => api.deadLetters.group({ subscriptionId: id }, at),
    refetchInterval: 10_000,
    meta: { failure: 'own' },
  });
  if (data === undefined) return undefined;
  return { count: data.groups.reduce((sum, { count }) => sum + count, 0), isMore: !data.isExact };
}

/** The clocks of two processes differ by less than this. */
const MOMENT_MS = 10_000;

/** Returns who paused a subscription, for users who may read the audit log. */
export function usePausedBy({ id, status, statusChangedAt }: Subscription): string | undefined {
  const { at, path, may } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'paused by', id, statusChangedAt],
    queryFn: async () => {
      // The entry is written together with the change, possibly by another process, so its time is almost the same.
      const changed = Date.parse(statusChangedAt ?? '');
      const [since, until] = [-MOMENT_MS, MOMENT_MS].map((by) => new Date(changed + by).toISOString());
      const which = { targetId: id, action: 'subscription.updated', since, until, limit: 20 } as const;
      const entries = (await api.audit.list(which, at).page()).data;
      return entries.find(({ after }) => after?.['status'] === 'paused')?.actor.id ?? null;
    },
    enabled: may('admin') && status === 'paused' && statusChangedAt !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { failure: 'own' },
  });
  return data ?? undefined;
}
