import { useQuery } from '@tanstack/react-query';
import { api, type SubscriptionStats } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

/**
 * Returns the statistics of a subscription for the last day, and since when its attempts have been failing; undefined
 * until they are loaded.
 */
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
