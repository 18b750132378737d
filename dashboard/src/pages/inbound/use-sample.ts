import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type WebhookSample } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';

/** Returns a sample of an inbound webhook, with new ids on each fetch. */
export function useSample(id: string, { isWanted = true } = {}): UseQueryResult<WebhookSample> {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'sample', id],
    queryFn: () => api.webhooks.getSample(id, at),
    enabled: isWanted,
    meta: { failure: 'own' },
  });
}
