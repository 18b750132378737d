import { useQuery } from '@tanstack/react-query';
import { api, type Backlog, isApiError } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';

const EVERY_MS = 15_000;

type Away = {
  /** A sentence for each part that is away. */
  away: readonly string[];
  /** Whether the page of the service is this person's. */
  hasPage: boolean;
  /** Whether every part that this person may know of has been read. */
  isKnown: boolean;
  isFailed: boolean;
};

/**
 * Parts of the service that are away. Everybody knows of workers and of Temporal, by the `service` of the backlog, and operators of the
 * other parts too.
 */
export function useAway(service: Backlog['service'] | undefined): Away {
  const t = useTexts();
  const { organisation, may } = useHere();
  const { data, error, isSuccess } = useQuery({
    queryKey: ['service', organisation.id],
    queryFn: () => api.service.get({ place: { organisationId: organisation.id } }),
    // Another organisation than the first one is refused, and stays so.
    refetchInterval: ({ state }) => (isApiError(state.error, 'FORBIDDEN') ? false : EVERY_MS),
    enabled: may('admin'),
    retry: false,
    meta: { failure: 'none' },
  });
  // One fault is told once: the backlog tells everybody of Temporal.
  const isTold = (name: string): boolean => name === 'temporal' && service?.temporal === 'down';
  const isOperator = may('admin') && !isApiError(error, 'FORBIDDEN');
  return {
    away: [
      ...(service?.worker === 'down' ? [t.overview.noWorker] : []),
      ...(service?.temporal === 'down' ? [t.overview.noTemporal] : []),
      ...(data?.checks ?? [])
        .filter(({ name, state }) => state === 'down' && !isTold(name))
        .map(({ name }) => t.overview.isDown(name)),
    ],
    hasPage: data !== undefined,
    isKnown: service !== undefined && (!isOperator || isSuccess),
    isFailed: isOperator && error !== null,
  };
}
