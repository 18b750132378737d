import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';

/** Whether the newest tries of a subscription have all failed; false where there is none. */
export function useFailing(id: string | undefined): boolean {
  const { at, path } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'subscription-figures', [id]],
    queryFn: async () =>
      id === undefined ? [] : (await api.stats.getSubscriptions({ subscriptionIds: [id] }, at)).subscriptions,
    enabled: id !== undefined,
    refetchInterval: 10_000,
  });
  return data?.[0]?.failingSince !== undefined;
}
