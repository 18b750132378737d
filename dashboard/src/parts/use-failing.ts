import { useQuery } from '@tanstack/react-query';
import { api, type SubscriptionStats } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

/** The figures of the last day of one subscription, and since when its attempts fail; undefined before they are known. */
export function useSubscriptionStats(id: string | undefined): SubscriptionStats['subscriptions'][number] | undefined {
  const { at, path } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'subscription-figures', [id]],
    queryFn: async () =>
      id === undefined ? [] : (await api.stats.getSubscriptions({ subscriptionIds: [id] }, at)).subscriptions,
    enabled: id !== undefined,
    refetchInterval: 10_000,
  });
  return data?.[0];
}
